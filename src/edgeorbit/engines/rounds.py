"""One round of colour refinement in SQL: only neighbours of nodes that changed their colour are looked at.

Within a colour of round t all nodes have the same multiset of neighbours' colours of round t - 1. When such a colour
splits, one of its parts, the largest, keeps the colour's number, and the others get new numbers: their nodes have
*moved*. Two nodes that still share a colour then have different neighbours in round t if and only if they have
different multisets of colours among their moved neighbours, because the numbers of all parts of a colour add up to
what is equal already. So the signature of a node is the multiset of the colours of its moved neighbours, and nodes
without any keep together. With the largest part left out a node moves at most log2(n) times.

A multiset is told by two sums modulo 2^64 of salted hash values, 128 bits, with other salts in every round. Where
`verify` finds that two multisets had the same sums, signatures are the sorted lists themselves.
"""

import secrets
from typing import NamedTuple

from edgeorbit.engines.database import Database, Salts
from edgeorbit.engines.work import WorkDirectory

MAX_SALT = 2**63 - 1

ARCS = "(SELECT u, v FROM edges UNION ALL SELECT v AS u, u AS v FROM edges)"

AFFECTED = """
SELECT s.node, k.c, {keys}
FROM (SELECT a.u AS node, {signature} FROM {arcs} a {senders} GROUP BY a.u) s
JOIN colours k ON s.node = k.node
"""

SPLITS = """
WITH parts AS (SELECT c, {keys}, count(*) AS n FROM affected GROUP BY c, {keys}),
totals AS (SELECT c, sum(n) AS n, count(*) AS parts FROM parts GROUP BY c),
sizes AS (SELECT k.c, count(*) AS n FROM colours k JOIN totals t ON k.c = t.c GROUP BY k.c),
splitting AS (SELECT t.c, z.n - t.n AS rest FROM totals t JOIN sizes z ON t.c = z.c WHERE t.parts > 1 OR z.n > t.n),
pieces AS (
    SELECT p.c, {part_keys}, p.n, FALSE AS is_rest FROM parts p JOIN splitting s ON p.c = s.c
    UNION ALL
    SELECT s.c, {no_keys}, s.rest AS n, TRUE AS is_rest FROM splitting s WHERE s.rest > 0
),
ranked AS (SELECT *, row_number() OVER (PARTITION BY c ORDER BY n DESC, is_rest DESC, {keys}) AS place FROM pieces)
SELECT c, {keys}, CAST(n AS BIGINT) AS n, is_rest, place > 1 AS is_new,
    CASE WHEN place > 1 THEN CAST({next_colour} + {row_id} AS BIGINT) ELSE c END AS new_c
FROM ranked
"""

TOTALS = """
SELECT coalesce(sum(CASE WHEN is_new THEN 1 ELSE 0 END), 0), coalesce(sum(CASE WHEN is_new THEN n ELSE 0 END), 0),
    coalesce(sum(CASE WHEN n = 1 THEN 1 ELSE 0 END), 0), coalesce(max(new_c), 0)
FROM splits
"""

MOVED = """
SELECT a.node, s.new_c AS c FROM affected a JOIN splits s ON a.c = s.c AND {same_keys}
WHERE s.is_new AND NOT s.is_rest
UNION ALL
SELECT k.node, s.new_c AS c FROM colours k JOIN splits s ON k.c = s.c
WHERE s.is_new AND s.is_rest AND NOT EXISTS (SELECT 1 FROM affected a WHERE a.node = k.node)
"""


class Split(NamedTuple):
    """What came out of a round: how many colours are new, nodes moved, and nodes became alone in their colour."""

    new_colours: int
    moved: int
    newly_alone: int
    next_colour: int
    table: str  # of the moved nodes; empty if there are none


def make_round(database: Database, work: WorkDirectory, next_colour: int, *, by_lists: bool, all_alike: bool) -> Split:
    """Make a round from the views `edges`, `colours` and `moved`; its moved nodes go into a new table.

    Parameters
    ----------
    database, work
        The engine and its directory.
    next_colour
        Colours from here on are new.
    by_lists
        Whether signatures are sorted lists in the place of hash values.
    all_alike
        Whether all nodes have one colour, so that a signature is a degree and needs no hash value.
    """
    keys, signature, senders = _signature(database, by_lists=by_lists, all_alike=all_alike)
    names = ", ".join(keys)
    affected = work.new_table("affected")
    database.write(affected, AFFECTED.format(keys=names, signature=signature, arcs=ARCS, senders=senders))
    database.define("affected", [affected])
    splits = work.new_table("splits")
    query = SPLITS.format(
        keys=names,
        part_keys=", ".join(f"p.{key}" for key in keys),
        no_keys=", ".join(f"NULL AS {key}" for key in keys),
        next_colour=next_colour,
        row_id=database.row_id(),
    )
    database.write(splits, query)
    database.define("splits", [splits])
    new, num_moved, alone, largest = map(int, database.fetch(TOTALS))
    if new == 0:
        return Split(0, 0, 0, next_colour, "")
    table = work.new_table("moved")
    database.write(table, MOVED.format(same_keys=" AND ".join(f"a.{key} = s.{key}" for key in keys)))
    return Split(new, num_moved, alone, largest + 1, table.name)


def _signature(database: Database, *, by_lists: bool, all_alike: bool) -> tuple[list[str], str, str]:
    """Return the columns of a signature, the expressions that make them, and the join with the moved nodes."""
    if all_alike:
        return ["degree"], "count(*) AS degree", ""
    if by_lists:
        return ["listed"], f"{database.sorted_list('m.c')} AS listed", "JOIN moved m ON a.v = m.node"
    salts: Salts = (secrets.randbelow(MAX_SALT), secrets.randbelow(MAX_SALT))
    first, second = database.hashes("c", salts)
    sums = f"{database.total('m.h1')} AS h1, {database.total('m.h2')} AS h2"
    return ["h1", "h2"], sums, f"JOIN (SELECT node, {first} AS h1, {second} AS h2 FROM moved) m ON a.v = m.node"
