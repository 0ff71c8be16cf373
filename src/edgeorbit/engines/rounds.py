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

MESSAGES = """
SELECT a.u AS node, {carried} FROM {arcs} a JOIN (SELECT node, {hashed} FROM moved) m ON a.v = m.node
WHERE in_slice(a.v) AND in_slice(m.node)
"""
SIGNATURES = "SELECT node, {signature} FROM {messages} m WHERE in_slice(node) GROUP BY node"
AFFECTED = """
SELECT s.node, k.c, {keys} FROM signatures s JOIN colours k ON s.node = k.node
WHERE in_slice(s.node) AND in_slice(k.node)
"""

PARTS = "SELECT c, {keys}, count(*) AS n FROM affected WHERE in_slice(c, {keys}) GROUP BY c, {keys}"
# The largest part of a colour keeps its number: the nodes that no moved neighbour tells apart, if they are as many.
SPLITS = """
WITH totals AS (
    SELECT c, sum(n) AS n, count(*) AS parts, max(n) AS most, max_by(({keys}), n) AS largest
    FROM parts WHERE in_slice(c) GROUP BY c
),
sizes AS (SELECT k.c, count(*) AS n FROM colours k JOIN totals t ON k.c = t.c WHERE in_slice(k.c) GROUP BY k.c),
splitting AS (
    SELECT t.*, z.n - t.n AS rest, z.n - t.n >= t.most AS rest_stays
    FROM totals t JOIN sizes z ON t.c = z.c WHERE t.parts > 1 OR z.n > t.n
),
pieces AS (
    SELECT p.c, {part_keys}, p.n, FALSE AS is_rest, s.rest_stays OR ({part_keys}) <> s.largest AS is_new
    FROM parts p JOIN splitting s ON p.c = s.c WHERE in_slice(p.c)
    UNION ALL
    SELECT s.c, {no_keys}, s.rest AS n, TRUE AS is_rest, NOT s.rest_stays AS is_new FROM splitting s WHERE s.rest > 0
)
SELECT c, {keys}, CAST(n AS BIGINT) AS n, is_rest, is_new,
    CASE WHEN is_new THEN CAST({next_colour} + {row_id} AS BIGINT) ELSE c END AS new_c
FROM pieces
"""

TOTALS = """
SELECT coalesce(sum(CASE WHEN is_new THEN 1 ELSE 0 END), 0), coalesce(sum(CASE WHEN is_new THEN n ELSE 0 END), 0),
    coalesce(sum(CASE WHEN n = 1 THEN 1 ELSE 0 END), 0), coalesce(max(new_c), 0)
FROM splits
"""

MOVED = """
SELECT a.node, s.new_c AS c FROM affected a JOIN splits s ON a.c = s.c AND {same_keys}
WHERE s.is_new AND NOT s.is_rest AND in_slice({a_keys}) AND in_slice({s_keys})
UNION ALL
SELECT k.node, s.new_c AS c FROM colours k JOIN splits s ON k.c = s.c
WHERE s.is_new AND s.is_rest AND in_slice(k.node)
    AND NOT EXISTS (SELECT 1 FROM affected a WHERE a.node = k.node AND in_slice(a.node))
"""


class Split(NamedTuple):
    """What came out of a round: how many colours are new, nodes moved, and nodes became alone in their colour."""

    new_colours: int
    moved: int
    newly_alone: int
    next_colour: int
    table: str  # of the moved nodes; empty if there are none


def make_round(
    database: Database, work: WorkDirectory, num_nodes: int, next_colour: int, *, by_lists: bool, all_alike: bool
) -> Split:
    """Make a round from the views `edges`, `colours` and `moved`; its moved nodes go into a new table.

    Parameters
    ----------
    database, work
        The engine and its directory.
    num_nodes
        Number of rows of `colours`.
    next_colour
        Colours from here on are new.
    by_lists
        Whether signatures are sorted lists in the place of hash values.
    all_alike
        Whether all nodes have one colour, so that a signature is a degree and needs no hash value.
    """
    keys, signatures = _signatures(database, by_lists=by_lists, all_alike=all_alike)

    def each(form: str, separator: str = ", ") -> str:
        return separator.join(form.format(key=key) for key in keys)

    affected, splits = work.new_table("affected"), work.new_table("splits")
    with database.steps(signatures, num_nodes):
        database.write(affected, AFFECTED.format(keys=each("{key}")))
    database.define("affected", [affected])
    query = SPLITS.format(
        keys=each("{key}"),
        part_keys=each("p.{key}"),
        no_keys=each("NULL AS {key}"),
        next_colour=next_colour,
        row_id=database.row_id(),
    )
    with database.steps({"parts": PARTS.format(keys=each("{key}"))}, num_nodes):
        database.write(splits, query)
    database.define("splits", [splits])
    new, num_moved, alone, largest = map(int, database.fetch(TOTALS))
    if new == 0:
        return Split(0, 0, 0, next_colour, "")
    table = work.new_table("moved")
    same = each("a.{key} = s.{key}", " AND ")
    database.write(table, MOVED.format(same_keys=same, a_keys=each("a.{key}"), s_keys=each("s.{key}")))
    return Split(new, num_moved, alone, largest + 1, table.name)


def _signatures(database: Database, *, by_lists: bool, all_alike: bool) -> tuple[list[str], dict[str, str]]:
    """Return the columns of a signature, and the queries that lead to the view `signatures`."""
    if all_alike:
        degrees = SIGNATURES.format(signature="count(*) AS degree", messages=f"(SELECT u AS node FROM {ARCS} a)")
        return ["degree"], {"signatures": degrees}
    if by_lists:
        keys, carried, hashed, signature = ["listed"], "m.c", "c", f"{database.sorted_list('c')} AS listed"
    else:
        salts: Salts = (secrets.randbelow(MAX_SALT), secrets.randbelow(MAX_SALT))
        first, second = database.hashes("c", salts)
        keys, carried, hashed = ["h1", "h2"], "m.h1, m.h2", f"{first} AS h1, {second} AS h2"
        signature = f"{database.total('m.h1')} AS h1, {database.total('m.h2')} AS h2"
    messages = MESSAGES.format(arcs=ARCS, carried=carried, hashed=hashed)
    return keys, {"messages": messages, "signatures": SIGNATURES.format(signature=signature, messages="messages")}
