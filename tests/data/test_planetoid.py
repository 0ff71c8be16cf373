"""Planetoid's raw files give the graphs of PyG, and nothing that is not one of them is unpickled."""

import os
import pickle
import shutil

import numpy as np
import pytest

from edgeorbit.data import load_graph
from edgeorbit.data.planetoid import PlanetoidUnpickler
from edgeorbit.errors import GraphFormatError

TITLES = {"cora": "Cora", "citeseer": "CiteSeer", "pubmed": "PubMed"}


def copy_raw(data_dir, title, target):
    """Copy the raw files of one data set to a directory that can be written."""
    raw = target / "planetoid" / title / "raw"
    raw.mkdir(parents=True)
    for file in (data_dir / "planetoid" / title / "raw").iterdir():
        shutil.copyfile(file, raw / file.name)
    return raw


@pytest.mark.parametrize("name", TITLES)
@pytest.mark.parametrize("state", ["parsed", "derived"])
def test_graph_features_and_labels_are_those_of_pyg(name, state, data_dir, tmp_path):
    planetoid = pytest.importorskip("torch_geometric.datasets").Planetoid
    copy_raw(data_dir, TITLES[name], tmp_path)
    theirs = planetoid(str(tmp_path / "planetoid"), TITLES[name])[0]
    for _ in range(1 if state == "parsed" else 2):
        ours = load_graph(name, data_dir=data_dir)
    both = theirs.edge_index.numpy()
    assert np.array_equal(ours.edge_index, both[:, np.lexsort((both[1], both[0]))])
    assert ours.x.dtype == np.float32 and ours.y.dtype == np.int64
    assert np.array_equal(ours.x.toarray(), theirs.x.numpy())
    assert np.array_equal(ours.y, theirs.y.numpy())


@pytest.mark.parametrize(
    ("name", "nodes", "edges", "merged", "loops"),
    [("cora", 2708, 5278, 151, 0), ("citeseer", 3327, 4552, 56, 124), ("pubmed", 19717, 44324, 11, 3)],
)
def test_counts_are_the_published_ones_and_repetitions_are_reported(name, nodes, edges, merged, loops, data_dir):
    for graph in (load_graph(name, data_dir=data_dir), load_graph(name, data_dir=data_dir)):
        assert (graph.num_nodes, graph.num_edges) == (nodes, edges)
        assert (graph.merged_edges, graph.self_loops) == (merged, loops)
        assert graph.x.shape[0] == len(graph.y) == nodes


def test_citeseer_keeps_its_isolated_nodes_and_the_fifteen_without_features(data_dir):
    graph = load_graph("citeseer", data_dir=data_dir)
    assert (graph.degree == 0).sum() == 48
    bare = np.flatnonzero(np.diff(graph.x.indptr) == 0)
    assert len(bare) == 15 and bare.min() >= 2312
    assert graph.degree[bare].min() >= 1 and not graph.y[bare].any()


@pytest.mark.parametrize("part", ["graph", "allx", "x", "test.index"])
def test_a_changed_raw_file_is_named_and_never_opened(part, data_dir, tmp_path):
    raw = copy_raw(data_dir, "Cora", tmp_path)
    load_graph("cora", data_dir=tmp_path)  # a derived file must not hide the change
    marker = tmp_path / "ran"

    class Evil:
        def __reduce__(self):
            return os.mkdir, (str(marker),)

    (raw / f"ind.cora.{part}").write_bytes(pickle.dumps(Evil()))
    with pytest.raises(GraphFormatError, match=rf"ind\.cora\.{part} has the SHA-256 .* fetch it again"):
        load_graph("cora", data_dir=tmp_path)
    assert not marker.exists()


def test_one_changed_bit_is_noticed(data_dir, tmp_path):
    file = copy_raw(data_dir, "Cora", tmp_path) / "ind.cora.ally"
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 1
    file.write_bytes(content)
    with pytest.raises(GraphFormatError, match=r"ind\.cora\.ally"):
        load_graph("cora", data_dir=tmp_path)


@pytest.mark.parametrize(
    "thing", [os.system, print, eval, getattr, np.load, np.lib.format.open_memmap, dict, pickle.loads]
)
@pytest.mark.parametrize("protocol", [0, 2, 4])
def test_the_unpickler_refuses_every_other_global(thing, protocol):
    with pytest.raises(GraphFormatError, match="not part of the format"):
        PlanetoidUnpickler(pickle.dumps(thing, protocol)).load()


def test_the_unpickler_cannot_be_led_through_attributes():
    # Protocol 4 resolves dotted names ("dtype.__class__"); only whole names are looked up here.
    payload = b"\x80\x04\x8c\x05numpy\x8c\x12ndarray.__class__.\x93."
    with pytest.raises((GraphFormatError, pickle.UnpicklingError)):
        PlanetoidUnpickler(payload).load()
    with pytest.raises(GraphFormatError, match=r"numpy\.ndarray\.tofile"):
        PlanetoidUnpickler(b"\x80\x04\x8c\x05numpy\x8c\x0endarray.tofile\x93.").load()
