"""What message passing from a source to a target needs: at every step, the nodes that lie between the two.

After t of L steps, only nodes within t steps of a source know of it, and only those within L - t steps of one of its
targets can still tell. On sparse graphs these are few. Everywhere else a node is in the state that it would have
without any source, its *background*, which all sources share. So nothing is left out: a step reads the states of the
step before it where there are any, and the background elsewhere.

All sources begin alike, and so do all other nodes. After the first step a node's state thus depends on whether it is
the source (*begun*), a neighbour of it (*told*) or neither (background), and not on which the source is: these are
three states of every node, and a source has states to itself from the second step on.
"""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from edgeorbit._compiled import kernel
from edgeorbit._parallel import resolve_threads, run_all, split_range
from edgeorbit.errors import InvalidParameterError
from edgeorbit.graph.graph import Graph
from edgeorbit.pairwise.pairs import Queries, check_pairs, group_by_source

FAR = np.int32(1 << 30)  # the distance of a node that was not found
FIRST = 2  # the first step after which a source has states to itself
SOURCES_PER_THREAD = 8  # below this a second thread costs more than it saves


@kernel
def _search(indptr, indices, starts, radius, distance, order):
    """Write distances from the nearest start up to `radius`, and the nodes that have one, nearest first."""
    count = 0
    for start in starts:
        if distance[start] == FAR and radius >= 0:
            distance[start], order[count] = 0, start
            count += 1
    head = 0
    while head < count and distance[order[head]] < radius:
        node = order[head]
        head += 1
        for k in range(np.uint64(indptr[node]), np.uint64(indptr[node + np.uint32(1)])):
            other = indices[k]
            if distance[other] == FAR:
                distance[other], order[count] = distance[node] + 1, other
                count += 1
    return count


@kernel
def _search_between(indptr, indices, source, to_target, near, length, distance, order):
    """Write distances from a source: of itself, of its neighbours, and of the nodes between it and a target.

    `near` are the nodes within `length - 2` of a target. Where they have fewer neighbours than the neighbours of the
    source have, it is they who look for those.
    """
    distance[source], order[0], count = 0, source, 1
    beyond, before = 0, 0
    for k in range(np.uint64(indptr[source]), np.uint64(indptr[source + np.uint32(1)])):
        other = indices[k]
        distance[other], order[count] = 1, other
        count += 1
        beyond += indptr[other + np.uint32(1)] - indptr[other]
    for node in near:
        before += indptr[node + np.uint32(1)] - indptr[node]
    head = 1
    if before < beyond:
        head = count
        for node in near:
            if distance[node] < FAR:
                continue
            for k in range(np.uint64(indptr[node]), np.uint64(indptr[node + np.uint32(1)])):
                if distance[indices[k]] == 1:
                    distance[node], order[count] = 2, node
                    count += 1
                    break
    while head < count:
        node = order[head]
        head += 1
        further = distance[node] + 1
        if further > length:
            break
        for k in range(np.uint64(indptr[node]), np.uint64(indptr[node + np.uint32(1)])):
            other = indices[k]
            if distance[other] == FAR and further + to_target[other] <= length:
                distance[other], order[count] = further, other
                count += 1
    return count


@kernel
def _count(indptr, indices, sources, offsets, targets, length, low, high, states, entries):
    """Count for sources `low` to `high` the nodes of every step, and the states that they read."""
    num_nodes = len(indptr) - 1
    to_target, from_source = np.full(num_nodes, FAR), np.full(num_nodes, FAR)
    near_targets, between = np.empty(num_nodes, np.uint32), np.empty(num_nodes, np.uint32)
    for s in range(low, high):
        own_targets = targets[offsets[s] : offsets[s + 1]]
        num_near = _search(indptr, indices, own_targets, length - 2, to_target, near_targets)
        num_between = _search_between(
            indptr, indices, sources[s], to_target, near_targets[:num_near], length, from_source, between
        )
        for i in range(num_between):
            node = between[i]
            reads = indptr[node + np.uint32(1)] - indptr[node] + 1
            for step in range(max(from_source[node], FIRST), length - to_target[node] + 1):
                states[s, step - FIRST] += 1
                entries[s, step - FIRST] += reads
            from_source[node] = FAR
        for i in range(num_near):
            to_target[near_targets[i]] = FAR


@kernel
def _write(
    indptr,
    indices,
    sources,
    offsets,
    targets,
    length,
    low,
    high,
    first_state,
    first_entry,
    state_bases,
    entry_bases,
    nodes,
    own,
    ends,
    reads,
    at_source,
    found,
):
    """Write the states of sources `low` to `high`, step after step, and where the targets are after the last one."""
    num_nodes = len(indptr) - 1
    to_target, from_source = np.full(num_nodes, FAR), np.full(num_nodes, FAR)
    near_targets, between = np.empty(num_nodes, np.uint32), np.empty(num_nodes, np.uint32)
    before, now = np.empty(num_nodes, np.int64), np.empty(num_nodes, np.int64)
    for s in range(low, high):
        own_targets = targets[offsets[s] : offsets[s + 1]]
        num_near = _search(indptr, indices, own_targets, length - 2, to_target, near_targets)
        num_between = _search_between(
            indptr, indices, sources[s], to_target, near_targets[:num_near], length, from_source, between
        )
        for i in range(num_between):
            node = between[i]
            if from_source[node] > 1:
                break
            before[node] = node if from_source[node] == 1 else num_nodes + node
        background = 2 * num_nodes  # behind the states of the step before
        for step in range(FIRST, length + 1):
            own_step = step - FIRST
            state, entry = first_state[s, own_step], first_entry[s, own_step]
            for i in range(num_between):
                node = between[i]
                if from_source[node] > step:
                    break
                if to_target[node] > length - step:
                    continue
                now[node] = state
                place = state_bases[own_step] + state
                nodes[place] = node
                if i == 0:
                    at_source[s, own_step] = state
                own[place] = before[node] if from_source[node] < step else background + node
                reads[entry_bases[own_step] + entry] = own[place]
                entry += 1
                for k in range(np.uint64(indptr[node]), np.uint64(indptr[node + np.uint32(1)])):
                    other = indices[k]
                    column = before[other] if from_source[other] < step else background + other
                    reads[entry_bases[own_step] + entry] = column
                    entry += 1
                ends[place] = entry
                state += 1
            before, now = now, before
            background = state_bases[own_step + 1] - state_bases[own_step]
        for q in range(offsets[s], offsets[s + 1]):
            target = targets[q]
            found[q] = before[target] if from_source[target] <= length else background + target
        for i in range(num_between):
            from_source[between[i]] = FAR
        for i in range(num_near):
            to_target[near_targets[i]] = FAR


class Step(NamedTuple):
    """The states after a step, the second or a later one, and how they are made of those before it.

    Attributes
    ----------
    nodes : int32 array
        The node of every state.
    own : int32 array
        For every state, where that of the same node was before the step: a state, or behind them the background.
        Before the second step the states are those of all nodes if told, and of all nodes if begun.
    indptr, reads : int64 and int32 arrays
        For every state, in CSR form, the same for the node itself and all its neighbours.
    num_columns : int
        How many states and backgrounds there were before the step.
    at_source : int64 array
        The states whose node is their source.
    """

    nodes: npt.NDArray[np.int32]
    own: npt.NDArray[np.int32]
    indptr: npt.NDArray[np.int64]
    reads: npt.NDArray[np.int32]
    num_columns: int
    at_source: npt.NDArray[np.int64]


class Trace(NamedTuple):
    """The states of some sources through all steps but the first.

    Attributes
    ----------
    steps : list of Step
        The steps.
    found : int32 array
        For every query, in the order of the plan, the state of its target after the last step: a state, or behind them
        the background of the node.
    """

    steps: list[Step]
    found: npt.NDArray[np.int32]


class Plan(NamedTuple):
    """Queries from sources to targets, and how many states each source needs.

    Attributes
    ----------
    graph : Graph
        The graph.
    length : int
        Number of steps.
    queries : Queries
        The queries, grouped by their source.
    states, entries : int64 arrays of shape (number of sources, length - 1)
        For every source and step from the second on, how many states it has to itself, and how many they read.
    """

    graph: Graph
    length: int
    queries: Queries
    states: npt.NDArray[np.int64]
    entries: npt.NDArray[np.int64]

    def trace(self, low: int, high: int, threads: int | None = None) -> Trace:
        """Return the states of the sources `low` to `high` of the queries."""
        chosen = slice(self.queries.offsets[low], self.queries.offsets[high])
        states, entries = self.states[low:high], self.entries[low:high]
        bases = [np.append(0, np.cumsum(part.sum(axis=0))) for part in (states, entries)]
        num_states, num_entries = int(bases[0][-1]), int(bases[1][-1])
        nodes, own, ends = (
            np.empty(num_states, np.int32),
            np.zeros(num_states, np.int32),
            np.zeros(num_states, np.int64),
        )
        reads, found = np.empty(num_entries, np.int32), np.empty(chosen.stop - chosen.start, np.int32)
        at_source = np.full(states.shape, -1)
        arguments = (
            *_arguments(self.graph),
            *(self.queries.sources[low:high], self.queries.offsets[low : high + 1] - chosen.start),
            *(self.queries.targets[chosen], self.length),
        )
        written = (
            *(part.cumsum(axis=0) - part for part in (states, entries)),
            *(*bases, nodes, own, ends, reads, at_source, found),
        )
        run_all(_write, [(*arguments, *part, *written) for part in _share(high - low, threads)])
        steps, num_before = [], 2 * self.graph.num_nodes
        for step in range(self.length - 1):
            mine, read = (slice(base[step], base[step + 1]) for base in bases)
            there, indptr = at_source[:, step], np.append(0, ends[mine])
            columns = num_before + self.graph.num_nodes
            steps.append(Step(nodes[mine], own[mine], indptr, reads[read], columns, there[there >= 0]))
            num_before = len(nodes[mine])
        return Trace(steps, found)


def plan_reach(graph: Graph, pairs: npt.ArrayLike, *, length: int, threads: int | None = None) -> Plan:
    """Group pairs by their first node, the source, and count the states between it and its targets.

    Parameters
    ----------
    graph
        The graph.
    pairs : integer array of shape (k, 2)
        Sources and targets.
    length
        Number of steps, at least 1.
    threads
        Number of threads; by default one per core. The result does not depend on it.

    Raises
    ------
    InvalidParameterError
        If `pairs` is no array of node pairs of the graph, or `length` is below 1.

    Examples
    --------
    On a path, two steps from one end reach the third node by one way alone; the fourth is too far, and takes no work:

    >>> path = Graph.from_edges([[0, 1], [1, 2], [2, 3]])
    >>> plan = plan_reach(path, [[0, 2], [3, 0]], length=2)
    >>> plan.states.tolist()
    [[1], [0]]
    >>> trace = plan.trace(0, 2)
    >>> [step.nodes.tolist() for step in trace.steps], trace.found.tolist()
    ([[2]], [0, 1])
    """
    if length < 1:
        raise InvalidParameterError(f"length must be at least 1, not {length}")
    queries = group_by_source(*check_pairs(graph, pairs))
    states, entries = np.zeros((2, len(queries.sources), length - 1), np.int64)
    arguments = (*_arguments(graph), queries.sources, queries.offsets, queries.targets, length)
    run_all(_count, [(*arguments, *part, states, entries) for part in _share(len(queries.sources), threads)])
    return Plan(graph, length, queries, states, entries)


def _arguments(graph: Graph) -> tuple[npt.NDArray[Any], ...]:
    return graph.indptr, graph.indices.view(np.uint32)


def _share(num_sources: int, threads: int | None) -> list[tuple[int, int]]:
    return split_range(num_sources, min(resolve_threads(threads), 1 + num_sources // SOURCES_PER_THREAD))
