"""What is known about where nodes and edges come from."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from edgeorbit.graph.graph import ADDED, EDGE_KINDS, ORIGINAL, TWIN, Origin


def test_kinds_have_their_places() -> None:
    assert [EDGE_KINDS[kind] for kind in (ORIGINAL, ADDED, TWIN)] == ["original", "added", "twin"]


@given(num_nodes=st.integers(0, 9), num_edges=st.integers(0, 9))
def test_a_plain_graph_is_its_own_source(num_nodes: int, num_edges: int) -> None:
    origin = Origin.plain(num_nodes, num_edges)
    assert origin.num_copies == 1
    assert origin.kind_counts() == {"original": num_edges, "added": 0, "twin": 0}
    assert origin.original.tolist() == list(range(num_nodes))
    assert not origin.twinned.any() and len(origin.twinned) == num_nodes


@given(data=st.data(), num_nodes=st.integers(1, 12), kinds=st.lists(st.sampled_from([0, 1, 2])))
def test_counts_are_those_of_plain_python(data: st.DataObject, num_nodes: int, kinds: list[int]) -> None:
    twin_of = [data.draw(st.integers(-1, num_nodes - 1)) for _ in range(num_nodes)]
    copy = data.draw(st.lists(st.integers(0, 4), min_size=num_nodes, max_size=num_nodes))
    nodes = np.arange(num_nodes, dtype=np.int32)
    origin = Origin(np.array(kinds, np.uint8), np.array(copy, np.int32), nodes, np.array(twin_of, np.int32))
    assert origin.kind_counts() == {name: kinds.count(kind) for kind, name in enumerate(EDGE_KINDS)}
    assert origin.num_copies == max(copy) + 1
    assert origin.twinned.tolist() == [twin_of[node] >= 0 or node in twin_of for node in range(num_nodes)]
    assert origin.twin_of.tolist() == twin_of
