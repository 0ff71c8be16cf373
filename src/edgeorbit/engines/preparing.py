"""From the rows of a source to a simple graph in tables: each edge once, and a first colour for each node."""

from typing import Any

from edgeorbit.engines.database import Database
from edgeorbit.engines.work import State, WorkDirectory
from edgeorbit.errors import GraphFormatError, InvalidParameterError

INITIAL = (None, "degree")

LOOK = """
SELECT count(*), coalesce(sum(CASE WHEN a = b THEN 1 ELSE 0 END), 0),
    coalesce(sum(CASE WHEN a IS NULL OR b IS NULL THEN 1 ELSE 0 END), 0),
    coalesce(sum(CASE WHEN {bad} THEN 1 ELSE 0 END), 0), min(CASE WHEN {bad} THEN least(a, b) END)
FROM raw
"""
EDGES = "SELECT DISTINCT least(a, b) AS u, greatest(a, b) AS v FROM {pairs} WHERE a <> b"
NODES = "SELECT a AS node FROM {pairs} UNION SELECT b AS node FROM {pairs}"
# Nodes that are in a self-loop and nowhere else are nodes all the same.
ENDS = "SELECT u AS node FROM edges UNION SELECT v AS node FROM edges UNION SELECT a AS node FROM {pairs} WHERE a = b"
NUMBERED = "(SELECT x.node AS a, y.node AS b FROM raw r JOIN names x ON r.a = x.name JOIN names y ON r.b = y.name)"
DEGREES = """
SELECT n.node, coalesce(d.c, 0) AS c FROM nodes n
LEFT JOIN (SELECT u AS node, count(*) AS c FROM (SELECT u FROM edges UNION ALL SELECT v AS u FROM edges) ends
    GROUP BY u) d ON n.node = d.node
"""


class NotWholeNumbersError(Exception):
    """Some node id of the source is no whole number, and all are text."""


def check_initial(initial: str | None, engine: str) -> None:
    """Raise an error unless an engine on tables can start from these colours."""
    if initial not in INITIAL:
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
    pairs = "raw"
    if as_text:
        names = work.new_table("names")
        distinct = f"({NODES.format(pairs='raw')})"
        database.write(names, f"SELECT node AS name, CAST({database.row_id()} AS BIGINT) AS node FROM {distinct} d")
        database.define("names", [names])
        state.tables["names"] = names.name
        pairs = f"{NUMBERED} numbered"
    edges = work.new_table("edges")
    database.write(edges, EDGES.format(pairs=pairs))
    database.define("edges", [edges])
    query = "SELECT node FROM names" if as_text else ENDS.format(pairs="raw")
    initial_table = work.new_table("initial")
    if initial == "degree":
        database.define_as("nodes", query)
        database.write(initial_table, DEGREES)
    else:
        database.write(initial_table, f"SELECT node, CAST(0 AS BIGINT) AS c FROM ({query}) n")
    database.define("colours", [initial_table])
    state.tables |= {"all_edges": edges.name, "initial": initial_table.name}
    (num_edges,), (num_nodes,) = (database.fetch(f"SELECT count(*) FROM {view}") for view in ("edges", "colours"))
    state.num_nodes, state.num_edges = int(num_nodes), int(num_edges)
    state.merged_edges = rows - state.self_loops - state.num_edges


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
