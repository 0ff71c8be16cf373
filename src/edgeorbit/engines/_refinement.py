"""A refinement on tables, from the edges as they come to colours that are proved right."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from edgeorbit.engines._database import Database
from edgeorbit.engines._in_memory import refine_in_memory
from edgeorbit.engines._queries import count_orbits, is_equitable, make_round, prepare
from edgeorbit.engines._sources import memory_of_refinement
from edgeorbit.engines._work import State, WorkDirectory
from edgeorbit.measures.ear import Measurement, Variant

SHRINK_AT = 0.5  # tables are written anew when no more than this share of their nodes can still change
MERGE_AT = 0.125  # new colours are merged into the table of all when they are more than this share of it

COLOURS = "SELECT b.node, coalesce(d.c, b.c) AS c FROM base b LEFT JOIN delta d ON b.node = d.node"
NEWER = """
SELECT node, c FROM moved WHERE in_slice(node)
UNION ALL
SELECT d.node, d.c FROM delta d
WHERE in_slice(d.node) AND NOT EXISTS (SELECT 1 FROM moved m WHERE m.node = d.node AND in_slice(m.node))
"""
# A node that is alone in its colour cannot split others any more, unless it became so in the very last round.
ACTIVE = """
SELECT k.node, k.c
FROM colours k JOIN (SELECT c FROM colours WHERE in_slice(c) GROUP BY c HAVING count(*) > 1) z ON k.c = z.c
WHERE in_slice(k.c)
UNION
SELECT node, c FROM moved WHERE in_slice(c)
"""
RETIRED = """
SELECT k.node, k.c FROM colours k
WHERE in_slice(k.node) AND NOT EXISTS (SELECT 1 FROM active a WHERE a.node = k.node AND in_slice(a.node))
"""
HALF_ACTIVE = """
SELECT e.u, e.v FROM edges e JOIN active a ON e.u = a.node WHERE in_slice(e.u) AND in_slice(a.node)
"""
ACTIVE_EDGES = """
SELECT h.u, h.v FROM half_active h JOIN active a ON h.v = a.node WHERE in_slice(h.v) AND in_slice(a.node)
"""


class CollisionError(Exception):
    """Two nodes have one colour and different neighbours: their hash values were equal by chance."""


class TableRefinement:
    """A refinement under way.

    Parameters
    ----------
    database, work
        The engine, and the directory of its tables.
    rounds
        How many rounds to make; None until the colours are stable.
    tail_memory
        Once the rest fits into so many bytes, it is refined in memory; 0 for never.
    progress
        Called after each round with the number of rounds and of colours.
    """

    def __init__(
        self,
        database: Database,
        work: WorkDirectory,
        *,
        rounds: int | None,
        tail_memory: int,
        threads: int | None,
        progress: Callable[[int, int], None] | None,
    ) -> None:
        self.database, self.work = database, work
        self.rounds, self.tail_memory, self.threads = rounds, tail_memory, threads
        self.progress = progress or (lambda made, colours: None)

    def run(self, source: Any, run: dict[str, Any], initial: str | None, gamma: float, variant: Variant) -> Measurement:
        """Refine the graph of a source, or resume the same run where it stopped, and count."""
        found = self.work.load(run)
        if found is None:
            self.state = State(run)
            prepare(self.database, self.work, source, self.state, initial)
            self._start()
        else:
            self.state = found
        try:
            self._refine_and_prove()
        except CollisionError:
            self.state.by_lists = True
            self._start()
            self._refine_and_prove()
        state = self.state
        return Measurement.from_counts(
            count_orbits(self.database, state.num_nodes, state.num_edges),
            state.num_edges,
            gamma,
            variant,
            initial,
            graph=source.name,
            num_nodes=state.num_nodes,
            merged_edges=state.merged_edges,
            self_loops=state.self_loops,
            rounds=state.round,
            stable=state.stable,
            num_node_orbits=state.colours_by_round[-1],
            alpha_v=1 - state.alone / state.num_nodes if state.num_nodes else 0.0,
            engine=self.database.name,
            colours_by_round=state.colours_by_round,
            seconds_by_round=state.seconds_by_round,
        )

    def export(self, target: Path) -> None:
        """Write the colours with the user's node ids."""
        if "names" in self.state.tables:
            self.database.define("names", [self.work.table(self.state.tables["names"])])
            query = "SELECT i.name AS node, k.c AS colour FROM colours k JOIN names i ON k.node = i.node"
        else:
            query = "SELECT node, c AS colour FROM colours"
        self.database.export(target, query)

    def _start(self) -> None:
        """Begin with the initial colours: all edges, all nodes, and every colour new to the neighbours."""
        state, tables = self.state, self.state.tables
        tables["edges"], tables["base"] = tables["all_edges"], tables["initial"]
        tables["moved"] = tables["initial"]
        for name in ("delta", "final"):
            tables.pop(name, None)
        state.retired, state.delta_nodes = [], 0
        state.table_nodes, state.table_edges = state.num_nodes, state.num_edges
        self.database.define("colours", [self.work.table(tables["initial"])])
        colours, alone, largest = self.database.fetch(
            "SELECT count(*), coalesce(sum(CASE WHEN n = 1 THEN 1 ELSE 0 END), 0), coalesce(max(c), 0) "
            "FROM (SELECT c, count(*) AS n FROM colours GROUP BY c) sizes"
        )
        state.alone, state.next_colour = int(alone), int(largest) + 1
        state.colours_by_round, state.seconds_by_round = [int(colours)], []
        state.stable = state.alone == state.num_nodes
        self.work.save(state)

    def _refine_and_prove(self) -> None:
        self._refine()
        self._define_final()
        proved = is_equitable(self.database, self.state.num_nodes)
        if self.state.stable and not proved:
            raise CollisionError
        self.state.stable = proved  # after K rounds, it was unknown

    def _refine(self) -> None:
        state = self.state
        self.progress(state.round, state.colours_by_round[-1])
        while not state.stable and (self.rounds is None or state.round < self.rounds):
            if self.tail_memory and memory_of_refinement(state.table_nodes, state.table_edges) <= self.tail_memory:
                self._finish_in_memory()
                return
            self._round()

    def _round(self) -> None:
        state, begun = self.state, time.perf_counter()
        self._define_current()
        all_alike = state.round == 0 and state.colours_by_round == [1]
        split = make_round(
            self.database,
            self.work,
            state.table_nodes,
            state.next_colour,
            by_lists=state.by_lists,
            all_alike=all_alike,
        )
        if split.new_colours == 0:
            state.stable = True
            self.work.save(state)
            return
        before = state.tables["moved"]
        state.tables["moved"] = split.table
        if "delta" in state.tables:
            self.database.define("moved", [self.work.table(split.table)])
            delta = self.work.new_table("delta")
            self.database.write(delta, NEWER)
            state.tables["delta"] = delta.name
        else:
            state.tables["delta"] = split.table
        self._define_current()
        if self.rounds is not None and not all_alike:
            self.database.define("senders", [self.work.table(before)])
            if not is_equitable(self.database, state.table_nodes, "senders"):
                raise CollisionError
        state.colours_by_round.append(state.colours_by_round[-1] + split.new_colours)
        state.next_colour = split.next_colour
        state.alone += split.newly_alone
        state.stable = state.alone == state.num_nodes
        state.delta_nodes += split.moved
        if not state.stable:
            self._tidy_tables(split.moved)
        state.seconds_by_round.append(time.perf_counter() - begun)
        self.work.save(state)
        self.progress(state.round, state.colours_by_round[-1])

    def _define_current(self) -> None:
        tables, table = self.state.tables, self.work.table
        self.database.define("edges", [table(tables["edges"])])
        self.database.define("base", [table(tables["base"])])
        self.database.define("moved", [table(tables["moved"])])
        if "delta" in tables:
            self.database.define("delta", [table(tables["delta"])])
            self.database.define_as("colours", COLOURS)
        else:
            self.database.define("colours", [table(tables["base"])])

    def _tidy_tables(self, moved: int) -> None:
        """Write tables anew that hold much that cannot change any more, or many newer colours beside the old ones."""
        state = self.state
        active = state.num_nodes - state.alone + moved
        if active <= SHRINK_AT * state.table_nodes:
            self._shrink()
        elif state.delta_nodes > MERGE_AT * state.table_nodes or not self.database.fits(state.delta_nodes):
            self._merge()

    def _merge(self) -> None:
        """Write the newer colours and the old ones into one table."""
        if "delta" in self.state.tables:
            self._write("base", "SELECT node, c FROM colours")
            del self.state.tables["delta"]
            self.state.delta_nodes = 0

    def _shrink(self) -> None:
        """Keep the nodes that may still change or have just changed, and the edges between them."""
        state = self.state
        base = self.work.new_table("base")
        self.database.write(base, ACTIVE)
        self.database.define("active", [base])
        retired = self.work.new_table("retired")
        self.database.write(retired, RETIRED)
        with self.database.steps({"half_active": HALF_ACTIVE}, state.table_nodes):
            self._write("edges", ACTIVE_EDGES)
        state.retired.append(retired.name)
        state.tables["base"] = base.name
        del state.tables["delta"]
        state.delta_nodes = 0
        self._define_current()
        (nodes,) = self.database.fetch("SELECT count(*) FROM base")
        (edges,) = self.database.fetch("SELECT count(*) FROM edges")
        state.table_nodes, state.table_edges = int(nodes), int(edges)

    def _write(self, name: str, query: str) -> None:
        table = self.work.new_table(name)
        self.database.write(table, query)
        self.state.tables[name] = table.name

    def _finish_in_memory(self) -> None:
        state = self.state
        self._define_current()
        self._merge()
        left = None if self.rounds is None else self.rounds - state.round
        target = self.work.new_table("base")
        edges, colours = (self.work.table(state.tables[name]) for name in ("edges", "base"))
        tail = refine_in_memory(edges, colours, target, state.next_colour, left, self.threads)
        retired = state.colours_by_round[-1] - tail.colours_by_round[0]
        state.colours_by_round += [retired + count for count in tail.colours_by_round[1:]]
        state.alone = retired + tail.alone  # every colour without a row in the tables has one node
        state.next_colour += state.table_nodes
        state.tables["base"] = state.tables["moved"] = target.name
        state.stable = tail.stable
        self.work.save(state)
        self.progress(state.round, state.colours_by_round[-1])

    def _define_final(self) -> None:
        """Let `colours` and `edges` stand for the whole graph."""
        state = self.state
        if "final" not in state.tables:
            self._define_current()
            query = "SELECT node, c FROM colours"
            if state.retired:
                self.database.define("retired", [self.work.table(name) for name in state.retired])
                query += " UNION ALL SELECT node, c FROM retired"
            self._write("final", query)
            self.work.save(state)
        self.database.define("colours", [self.work.table(state.tables["final"])])
        self.database.define("edges", [self.work.table(state.tables["all_edges"])])
