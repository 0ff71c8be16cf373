"""Subgraphs from files are those that are extracted; a file that is damaged is made anew."""

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch_geometric")
import torch

from edgeorbit.errors import EdgeorbitError
from edgeorbit.graph.graph import Graph
from edgeorbit.graph.toys import karate
from edgeorbit.models.seal import subgraphs as module
from edgeorbit.models.seal.model import SEAL
from edgeorbit.models.seal.subgraphs import StoredSubgraphs
from edgeorbit.pairwise.enclosing_subgraphs import enclosing_subgraphs

PAIRS = np.array([[0, 1], [5, 30], [33, 2], [4, 4]])


@pytest.fixture
def extracted(monkeypatch) -> list[int]:
    """How many pairs were extracted, each time."""
    calls: list[int] = []
    monkeypatch.setattr(
        module, "enclosing_subgraphs", lambda g, p, **o: calls.append(len(p)) or enclosing_subgraphs(g, p, **o)
    )
    return calls


def same(one, other) -> bool:
    return all(np.array_equal(a, b) and a.dtype == b.dtype for a, b in zip(one, other, strict=True))


def test_a_second_look_reads_the_file(tmp_path: Path, extracted) -> None:
    store = StoredSubgraphs(karate(), str(tmp_path / "a" / "b"), hops=2, max_nodes_per_hop=3)
    first = store.find(PAIRS, keep=True)
    again = StoredSubgraphs(karate(), str(tmp_path / "a" / "b"), hops=2, max_nodes_per_hop=3).find(PAIRS, keep=True)
    assert extracted == [4] and same(first, again)
    assert same(first, enclosing_subgraphs(karate(), PAIRS, hops=2, max_nodes_per_hop=3))
    assert [file.name for file in (tmp_path / "a" / "b").iterdir()] == [store.path_of(PAIRS).name]


def test_other_pairs_graphs_and_settings_have_other_files(tmp_path: Path) -> None:
    graph = karate()
    other = Graph.from_edges(graph.edges[1:], graph.num_nodes)
    stores = [
        StoredSubgraphs(graph, str(tmp_path), hops=1, max_nodes_per_hop=None),
        StoredSubgraphs(graph, str(tmp_path), hops=2, max_nodes_per_hop=None),
        StoredSubgraphs(graph, str(tmp_path), hops=2, max_nodes_per_hop=3),
        StoredSubgraphs(graph, str(tmp_path), hops=2, max_nodes_per_hop=3, seed=1),
        StoredSubgraphs(other, str(tmp_path), hops=1, max_nodes_per_hop=None),
    ]
    names = {store.path_of(pairs).name for store in stores for pairs in (PAIRS, PAIRS[:3], PAIRS[::-1], PAIRS[:, ::-1])}
    assert len(names) == 20


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-40])


def flip(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)


def empty(path: Path) -> None:
    path.write_bytes(b"")


def exchange(path: Path) -> None:
    """Put the subgraphs of fewer pairs in its place."""
    np.savez(path, **enclosing_subgraphs(karate(), PAIRS[:2], hops=2)._asdict())


def pickle(path: Path) -> None:
    np.savez(path, nodes=np.array([{}], object))


@pytest.mark.parametrize("damage", [cut, flip, empty, exchange, pickle])
def test_a_damaged_file_is_made_anew(tmp_path: Path, damage, extracted) -> None:
    store = StoredSubgraphs(karate(), str(tmp_path), hops=2, max_nodes_per_hop=None)
    first = store.find(PAIRS, keep=True)
    damage(store.path_of(PAIRS))
    assert same(store.find(PAIRS, keep=True), first) and extracted == [4, 4]
    assert same(store.find(PAIRS, keep=True), first) and extracted == [4, 4]


def test_a_directory_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    store = StoredSubgraphs(karate(), str(tmp_path / "file"), hops=1, max_nodes_per_hop=None)
    with pytest.raises(EdgeorbitError, match=r"file: cannot be made .*set cache to a directory"):
        store.find(PAIRS, keep=True)


@pytest.mark.parametrize("most", [0, 4])
def test_scores_from_files_are_those_on_the_fly(tmp_path: Path, most: int, extracted) -> None:
    torch.set_num_threads(1)
    graph = karate().with_attributes(x=np.ones((34, 1), np.float32))
    pairs = np.concatenate([graph.edges[:20].astype(np.int64), PAIRS])
    found = []
    for cache in ("", str(tmp_path), str(tmp_path)):
        model = SEAL(hops=2, max_nodes_per_hop=most, cache=cache)
        model.build(graph, 0)
        found.append(model.on(graph)(pairs))
    assert np.array_equal(found[0], found[1]) and np.array_equal(found[0], found[2])
    assert np.array_equal(model.on(graph)(pairs[:, ::-1]), found[0])
    assert extracted == [len(pairs)] * 2  # both directions of a pair are one
