"""From the rows of a source to a simple graph in tables: each edge once, and a first colour for each node."""

from contextlib import AbstractContextManager, nullcontext
from typing import Any

from edgeorbit.engines.database import Database
from edgeorbit.engines.work import State, WorkDirectory
from edgeorbit.errors import GraphFormatError, InvalidParameterError

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


class NotWholeNumbersError(Exception):
    """Some node id of the source is no whole number, and all are text."""


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
