"""From colours to the counts of nodes and edges: EAR without its exponent."""

from typing import NamedTuple

from edgeorbit.engines.database import Database

# Edges whose ends are both alone in their colours are alone in their orbit and need no grouping.
ORBITS = """
WITH sizes AS (SELECT c, count(*) AS n FROM colours GROUP BY c HAVING count(*) > 1),
marked AS (SELECT k.node, k.c, z.n IS NOT NULL AS shared FROM colours k LEFT JOIN sizes z ON k.c = z.c),
pairs AS (
    SELECT least(a.c, b.c) AS low, greatest(a.c, b.c) AS high, count(*) AS n
    FROM edges e JOIN marked a ON e.u = a.node JOIN marked b ON e.v = b.node
    WHERE a.shared OR b.shared
    GROUP BY least(a.c, b.c), greatest(a.c, b.c)
)
SELECT count(*), coalesce(sum(n), 0), coalesce(sum(CASE WHEN n = 1 THEN 1 ELSE 0 END), 0),
    coalesce(sum(CASE WHEN n = 1 AND low = high THEN 1 ELSE 0 END), 0)
FROM pairs
"""


class Counts(NamedTuple):
    """Edge orbits, edges alone in theirs, and those of them within one colour."""

    num_orbits: int
    alone: int
    alone_within_colour: int


def count_orbits(database: Database, num_edges: int) -> Counts:
    """Count the edge orbits of the views `edges` and `colours`."""
    pairs, edges, alone, within = map(int, database.fetch(ORBITS))
    return Counts(num_edges - edges + pairs, num_edges - edges + alone, within)
