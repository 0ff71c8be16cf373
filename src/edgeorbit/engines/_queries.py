"""The steps of a refinement in SQL: a graph in tables, rounds, the proof of the colours, and the counts of edge orbits.

A round visits only neighbours of nodes that changed their colour. Within a colour of round t all nodes have the same
multiset of neighbours' colours of round t - 1. When such a colour splits, one of its parts, the largest, keeps the
colour's number, and the others get new numbers: their nodes have *moved*. Two nodes that still share a colour then have
different neighbours in round t if and only if they have different multisets of colours among their moved neighbours,
because the numbers of all parts of a colour add up to what is equal already. So the signature of a node is the multiset
of the colours of its moved neighbours, and nodes without any keep together. With the largest part left out a node moves
at most log2(n) times.

A multiset is represented by two sums modulo 2^64 of salted hash values, 128 bits, with other salts in every round.
Where `is_equitable` finds that two multisets had the same sums, signatures are the sorted lists themselves.
"""

import secrets
from contextlib import AbstractContextManager, nullcontext
from typing import Any, NamedTuple

from edgeorbit.engines._database import Database, NotWholeNumbersError, Salts
from edgeorbit.engines._work import State, WorkDirectory
from edgeorbit.errors import GraphFormatError, InvalidParameterError
from edgeorbit.orbits.edge_orbits import OrbitCounts

# From the rows of a source to a simple graph in tables: each edge once, and a first colour for each node.

LOOK = """
SELECT count(*), coalesce(sum(CASE WHEN a = b THEN 1 ELSE 0 END), 0),
    coalesce(sum(CASE WHEN a IS NULL OR b IS NULL THEN 1 ELSE 0 END), 0),
    coalesce(sum(CASE WHEN {bad} THEN 1 ELSE 0 END), 0), min(CASE WHEN {bad} THEN least(a, b) END)
FROM raw
"""
NAMES = """
SELECT name, CAST({row_id} AS BIGINT) AS node
FROM (SELECT a AS name FROM raw WHERE in_slice(a) UNION SELECT b AS name FROM raw WHERE in_slice(b)) d
"""
HALF_NUMBERED = """
SELECT x.node AS a, r.b FROM raw r JOIN names x ON r.a = x.name WHERE in_slice(r.a) AND in_slice(x.name)
"""
NUMBERED = """
SELECT h.a, y.node AS b FROM half_numbered h JOIN names y ON h.b = y.name WHERE in_slice(h.b) AND in_slice(y.name)
"""
EDGES = """
SELECT DISTINCT u, v FROM (SELECT least(a, b) AS u, greatest(a, b) AS v FROM {pairs} WHERE a <> b) p
WHERE in_slice(u, v)
"""
# Nodes that are in a self-loop and nowhere else are nodes all the same.
NODES = """
SELECT node, CAST({colour} AS BIGINT) AS c
FROM (
    SELECT u AS node, 1 AS ends FROM edges UNION ALL SELECT v AS node, 1 AS ends FROM edges
    UNION ALL SELECT node, 0 AS ends FROM {others} o
) e
WHERE in_slice(node) GROUP BY node
"""
COLOUR = {None: "0", "degree": "sum(ends)"}


def check_initial(initial: str | None, engine: str) -> None:
    """Raise an error unless an engine on tables can start from these colours."""
    if initial not in list(COLOUR):
        raise InvalidParameterError(
            f"the engine {engine} starts from nodes that are all alike or from their degrees, not from {initial!r}; "
            "use the engine memory for other initial colours"
        )


def prepare(database: Database, work: WorkDirectory, source: Any, state: State, initial: str | None) -> None:
    """Write the tables of a graph, and fill in its counts."""
    try:
        database.read_edges(source, as_text=False)
        rows, state.self_loops, as_text = *_look(database, source.shown, as_text=False), False
    except NotWholeNumbersError:
        database.read_edges(source, as_text=True)
        rows, state.self_loops, as_text = *_look(database, source.shown, as_text=True), True
    edges, nodes = work.new_table("edges"), work.new_table("initial")
    with _numbered(database, work, state) if as_text else nullcontext():
        database.write(edges, EDGES.format(pairs="numbered" if as_text else "raw"))
    database.define("edges", [edges])
    others = "names" if as_text else "(SELECT a AS node FROM raw WHERE a = b)"
    database.write(nodes, NODES.format(colour=COLOUR[initial], others=others))
    database.define("colours", [nodes])
    state.tables |= {"all_edges": edges.name, "initial": nodes.name}
    (num_edges,), (num_nodes,) = (database.fetch(f"SELECT count(*) FROM {view}") for view in ("edges", "colours"))
    state.num_nodes, state.num_edges = int(num_nodes), int(num_edges)
    state.merged_edges = rows - state.self_loops - state.num_edges


def _numbered(database: Database, work: WorkDirectory, state: State) -> AbstractContextManager[None]:
    """Number the nodes, write their names, and let `numbered` stand for the pairs of numbers."""
    names = work.new_table("names")
    database.write(names, NAMES.format(row_id=database.row_id()))
    database.define("names", [names])
    state.tables["names"] = names.name
    (num_names,) = database.fetch("SELECT count(*) FROM names")
    return database.steps({"half_numbered": HALF_NUMBERED, "numbered": NUMBERED}, int(num_names))


def _look(database: Database, shown: str, *, as_text: bool) -> tuple[int, int]:
    """Return the numbers of rows and of self-loops, once no row lacks a usable id."""
    bad = "a = '' OR b = ''" if as_text else "a < 0 OR b < 0"
    rows, loops, missing, wrong, example = database.fetch(LOOK.format(bad=bad))
    if rows == 0:
        raise GraphFormatError(f"{shown}: there are no rows; give at least one edge")
    if missing:
        raise GraphFormatError(f"{shown}: {missing} rows lack a node id; fill them in or delete the rows")
    if wrong:
        what = "an empty node id" if as_text else f"negative node ids such as {example}"
        raise GraphFormatError(f"{shown}: {wrong} rows have {what}; give whole numbers from 0, or text")
    return int(rows), int(loops)


# A round.

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
# The largest part of a colour keeps its number: the nodes that no moved neighbour separates, if they are as many.
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
        Whether signatures are sorted lists instead of hash values.
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


# The proof, by counting alone, that nodes of one colour have the same neighbours: for every node and every colour of
# its neighbours the neighbours are counted, and within a colour all nodes must have the same counts. No hash value is
# involved, and the engine that made the colours does it on its own tables.

SHARED = """
SELECT k.node, k.c, z.n AS members
FROM colours k
JOIN (SELECT c, count(*) AS n FROM colours WHERE in_slice(c) GROUP BY c HAVING count(*) > 1) z ON k.c = z.c
WHERE in_slice(k.c)
"""
LOOKING = """
SELECT k.c, k.node, k.members, a.v AS other FROM {arcs} a JOIN shared k ON a.u = k.node
WHERE in_slice(a.u) AND in_slice(k.node)
"""
SEEING = """
SELECT l.c, l.node, l.members, s.c AS seen FROM looking l JOIN {senders} s ON l.other = s.node
WHERE in_slice(l.other) AND in_slice(s.node)
"""
COUNTS = """
SELECT c, node, seen, max(members) AS members, count(*) AS n FROM seeing WHERE in_slice(node) GROUP BY c, node, seen
"""
DISAGREEING = """
SELECT c, seen FROM counts WHERE in_slice(c, seen)
GROUP BY c, seen HAVING min(n) <> max(n) OR count(*) <> max(members)
"""


def is_equitable(database: Database, num_nodes: int, senders: str = "colours") -> bool:
    """Tell whether nodes of one colour of the view `colours` have equally many neighbours of every colour.

    Parameters
    ----------
    database
        The engine, with views `edges` and `colours`.
    num_nodes
        Number of rows of `colours`.
    senders
        The view of nodes and colours that are counted: `colours` itself, or those that moved in the round before.
    """
    steps = {
        "shared": SHARED,
        "looking": LOOKING.format(arcs=ARCS),
        "seeing": SEEING.format(senders=senders),
        "counts": COUNTS,
        "disagreeing": DISAGREEING,
    }
    with database.steps(steps, num_nodes):
        (disagreeing,) = database.fetch("SELECT count(*) FROM disagreeing")
    return int(disagreeing) == 0


# From colours to the counts of edges: EAR without its exponent.

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


def count_orbits(database: Database, num_nodes: int, num_edges: int) -> OrbitCounts:
    """Count the edge orbits of the views `edges` and `colours`, which have so many nodes and edges."""
    steps = {"marked": MARKED, "half_coloured": HALF_COLOURED, "coloured": COLOURED, "pairs": PAIRS}
    with database.steps(steps, num_nodes):
        pairs, edges, alone, within = map(int, database.fetch(ORBITS))
    return OrbitCounts(num_edges - edges + pairs, num_edges - edges + alone, within)
