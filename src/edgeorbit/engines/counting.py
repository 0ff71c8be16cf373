"""From colours to the counts of nodes and edges: EAR without its exponent."""

from typing import NamedTuple

from edgeorbit.engines.database import Database

MARKED = """
SELECT k.node, k.c, z.c IS NOT NULL AS shared
FROM colours k LEFT JOIN (SELECT c FROM colours WHERE in_slice(c) GROUP BY c HAVING count(*) > 1) z ON k.c = z.c
WHERE in_slice(k.c)
"""
HALF_COLOURED = """
SELECT e.v, m.c, m.shared FROM edges e JOIN marked m ON e.u = m.node WHERE in_slice(e.u) AND in_slice(m.node)
"""
# Edges whose ends are both alone in their colours are alone in their orbit and need no grouping.
COLOURED = """
SELECT least(h.c, m.c) AS low, greatest(h.c, m.c) AS high FROM half_coloured h JOIN marked m ON h.v = m.node
WHERE (h.shared OR m.shared) AND in_slice(h.v) AND in_slice(m.node)
"""
PAIRS = "SELECT low, high, count(*) AS n FROM coloured WHERE in_slice(low, high) GROUP BY low, high"
ORBITS = """
SELECT count(*), coalesce(sum(n), 0), coalesce(sum(CASE WHEN n = 1 THEN 1 ELSE 0 END), 0),
    coalesce(sum(CASE WHEN n = 1 AND low = high THEN 1 ELSE 0 END), 0)
FROM pairs
"""


class Counts(NamedTuple):
    """Edge orbits, edges alone in theirs, and those of them within one colour."""

    num_orbits: int
    alone: int
    alone_within_colour: int


def count_orbits(database: Database, num_nodes: int, num_edges: int) -> Counts:
    """Count the edge orbits of the views `edges` and `colours`, which have so many nodes and edges."""
    steps = {"marked": MARKED, "half_coloured": HALF_COLOURED, "coloured": COLOURED, "pairs": PAIRS}
    with database.steps(steps, num_nodes):
        pairs, edges, alone, within = map(int, database.fetch(ORBITS))
    return Counts(num_edges - edges + pairs, num_edges - edges + alone, within)
