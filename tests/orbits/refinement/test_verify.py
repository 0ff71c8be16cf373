"""The proof must reject every partition that is too coarse; nothing else stands between a collision and the user."""

import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st

from edgeorbit import Graph
from edgeorbit.orbits._refinement.partition import Partition, Workspace
from edgeorbit.orbits._refinement.verify import members_agree
from oracles import graphs, naive_rounds


def _partition(colours: list[int]) -> Partition:
    keys = np.array(colours, np.int64)
    return Partition.from_keys(keys, Workspace(len(keys)))


def _agree(graph: Graph, partition: Partition, seen: np.ndarray) -> bool:
    return members_agree(graph.indptr, graph.indices.view(np.uint32), partition, seen, [(0, graph.num_nodes)])


@given(graph=graphs())
def test_stable_partitions_are_accepted(graph: Graph) -> None:
    partition = _partition(naive_rounds(graph)[-1])
    assert _agree(graph, partition, partition.colour)


@given(graph=graphs(), data=st.data())
def test_coarsened_partitions_are_rejected(graph: Graph, data: st.DataObject) -> None:
    """Merging two classes of the coarsest stable partition never gives a stable one, unless it gives a finer start."""
    stable = naive_rounds(graph)[-1]
    num_colours = max(stable) + 1
    assume(num_colours > 1)
    first, second = data.draw(st.tuples(st.integers(0, num_colours - 1), st.integers(0, num_colours - 1)))
    assume(first != second)
    merged = _partition([first if colour == second else colour for colour in stable])
    assert not _agree(graph, merged, merged.colour)


@given(graph=graphs())
def test_a_round_that_was_left_out_is_noticed(graph: Graph) -> None:
    path = graph.num_nodes + np.stack([np.arange(7), np.arange(1, 8)], axis=1)  # which takes several rounds
    graph = Graph.from_edges(np.concatenate([graph.edges, path]), graph.num_nodes + 8)
    history = naive_rounds(graph)
    one_round, two_rounds = _partition(history[1]), _partition(history[2])
    assert _agree(graph, two_rounds, one_round.colour)
    assert not _agree(graph, one_round, one_round.colour)
