"""OGB's files give OGB's graphs, splits and negatives; ogbl-ddi for real, the others on small data in their layouts."""

import gzip
import json
import os
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from edgeorbit import _memory as memory
from edgeorbit.data import DATASETS, load_graph, official_split
from edgeorbit.data.ogb import _read_features
from edgeorbit.errors import EdgeorbitError

torch = pytest.importorskip("torch")
RNG = np.random.default_rng(5)
NUM_NODES = 30


def pairs(count, num_nodes=NUM_NODES):
    """Distinct edges u < v in random order."""
    upper = np.argwhere(np.triu(np.ones((num_nodes, num_nodes), bool), 1))
    return RNG.permutation(upper)[:count]


def pooled(**extra):
    """The parts of a data set with pools of negatives, all pairs different."""
    chosen = pairs(100)
    return {
        "train": {"edge": chosen[:60], **{key: value[:60] for key, value in extra.items()}},
        "valid": {"edge": chosen[60:70], "edge_neg": chosen[80:87], **{key: v[60:70] for key, v in extra.items()}},
        "test": {"edge": chosen[70:80], "edge_neg": chosen[87:100], **{key: v[70:80] for key, v in extra.items()}},
    }


def ranked():
    """The parts of a data set with negatives for every positive, edges directed, as in ogbl-citation2."""
    chosen = pairs(80)
    flipped = np.where(RNG.random((80, 1)) < 0.5, chosen, chosen[:, ::-1])
    parts = {}
    for part, rows in {"train": slice(0, 60), "valid": slice(60, 70), "test": slice(70, 80)}.items():
        parts[part] = {"source_node": flipped[rows, 0].copy(), "target_node": flipped[rows, 1].copy()}
        if part != "train":
            parts[part]["target_node_neg"] = RNG.integers(0, NUM_NODES, (10, 5))
    return parts


def as_set(edges):
    return {frozenset(pair) for pair in np.asarray(edges).tolist()}


@pytest.fixture(scope="module")
def ddi(tmp_path_factory):
    """The folder of ogbl-ddi, its split, and a data directory and cache that have seen it."""
    if "EDGEORBIT_DATA" not in os.environ:
        pytest.skip("EDGEORBIT_DATA is not set: no real data sets on this machine")
    data_dir = Path(os.environ["EDGEORBIT_DATA"])
    cache = tmp_path_factory.mktemp("ddi")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("EDGEORBIT_CACHE", str(cache))
        return SimpleNamespace(data_dir=data_dir, cache=cache, split=official_split("OGBL-DDI", data_dir=data_dir))


class TestDdi:
    """The real thing."""

    def test_the_training_graph_is_that_of_the_raw_file(self, ddi):
        with gzip.open(ddi.data_dir / "ogb" / "ogbl_ddi" / "raw" / "edge.csv.gz") as file:
            raw = np.array(file.read().replace(b",", b" ").split(), np.int64).reshape(-1, 2)
        graph = ddi.split.graph
        assert graph.num_nodes == 4267 and graph.num_edges == len(raw) == 1_067_911
        low, high = np.sort(raw, axis=1).T
        order = np.lexsort((high, low))
        assert np.array_equal(graph.edges, np.stack([low, high], axis=1)[order])
        assert graph.merged_edges == graph.self_loops == 0 and graph.x is None

    def test_held_out_edges_and_negatives_are_the_official_ones_in_order(self, ddi):
        ddi.split.check()
        assert set(ddi.split.negatives) == {"official"}
        numpys_own = [
            (np._core.multiarray._reconstruct, "numpy.core.multiarray._reconstruct"),
            *(np.ndarray, np.dtype, type(np.dtype("i8"))),
        ]
        for part, negatives in (("valid", 101_882), ("test", 95_599)):
            with torch.serialization.safe_globals(numpys_own):
                theirs = torch.load(ddi.data_dir / "ogb" / "ogbl_ddi" / "split" / "target" / f"{part}.pt")
            assert np.array_equal(ddi.split.positives(part), theirs["edge"]) and len(theirs["edge"]) == 133_489
            assert np.array_equal(ddi.split.negatives["official"].of(part), theirs["edge_neg"])
            assert len(theirs["edge_neg"]) == negatives

    def test_the_protocol_names_the_split(self, ddi):
        described = json.loads(ddi.split.describe())
        assert described["split"] == "official" and described["by"] == "target" and described["repeated_test"] == 0

    def test_the_graph_by_name_has_all_edges_and_the_second_time_needs_no_torch(self, ddi, monkeypatch):
        monkeypatch.setenv("EDGEORBIT_CACHE", str(ddi.cache))
        monkeypatch.setattr("edgeorbit.data.ogb.read_torch_arrays", lambda path: pytest.fail("parsed again"))
        graph = load_graph("ogbl-ddi", data_dir=ddi.data_dir)
        assert graph.num_edges == DATASETS["ogbl-ddi"].num_edges == 1_334_889
        assert np.array_equal(graph.indices, ddi.split.whole.indices)


@pytest.mark.parametrize("zipped", [True, False])
@pytest.mark.parametrize("as_tensors", [True, False])
def test_pools_as_in_ppa(write_ogb, tmp_path, zipped, as_tensors):
    x = np.eye(NUM_NODES, 4, dtype=int)
    parts = pooled()
    stored = {
        part: {key: torch.from_numpy(array) if as_tensors else array for key, array in arrays.items()}
        for part, arrays in parts.items()
    }
    write_ogb("ogbl-tiny", "throughput", NUM_NODES, stored, x, zipped=zipped)
    split = official_split("ogbl-tiny", data_dir=tmp_path)
    split.check()
    assert split.graph.name == "ogbl-tiny" and split.graph.num_nodes == NUM_NODES
    assert as_set(split.graph.edges) == as_set(parts["train"]["edge"])
    assert np.array_equal(split.valid, parts["valid"]["edge"]) and np.array_equal(split.test, parts["test"]["edge"])
    assert np.array_equal(split.negatives["official"].valid, parts["valid"]["edge_neg"])
    assert np.array_equal(split.negatives["official"].test, parts["test"]["edge_neg"])
    assert np.array_equal(split.graph.x, x) and split.graph.x.dtype == np.float32
    for array in (split.valid, split.test, split.negatives["official"].valid, split.negatives["official"].test):
        assert array.flags.writeable and array.flags.c_contiguous and array.dtype == np.int64
    assert as_set(load_graph("ogbl-tiny", data_dir=tmp_path).edges) == as_set(
        np.concatenate([arrays["edge"] for arrays in parts.values()])
    )


def test_years_and_repeated_edges_as_in_collab(write_ogb, tmp_path):
    chosen = pairs(60)
    train = np.concatenate([chosen[:40], chosen[:10, ::-1], chosen[:5]])
    valid, test = (
        np.concatenate([chosen[40:48], chosen[10:13]]),
        np.concatenate([chosen[48:50], chosen[41:42], chosen[:4]]),
    )
    parts = {
        part: {"edge": edge, "weight": np.ones(len(edge), int), "year": np.full(len(edge), year)}
        for part, edge, year in (("train", train, 2017), ("valid", valid, 2018), ("test", test, 2019))
    }
    for part in ("valid", "test"):
        parts[part]["edge_neg"] = chosen[50:60]
    write_ogb("ogbl-again", "time", NUM_NODES, parts, RNG.normal(size=(NUM_NODES, 3)))
    split = official_split("ogbl-again", data_dir=tmp_path)
    assert split.graph.num_edges == 40 and split.graph.merged_edges == 15
    # People who work together again stay in the official task, and are counted.
    assert np.array_equal(split.valid, valid) and split.protocol["repeated_valid"] == 3
    assert np.array_equal(split.test, test) and split.protocol["repeated_test"] == 4
    whole = load_graph("ogbl-again", data_dir=tmp_path)
    assert whole.num_edges == 50 and whole.num_edges + whole.merged_edges == DATASETS["ogbl-again"].num_edges


@pytest.mark.parametrize("zipped", [True, False])
def test_negatives_of_every_positive_as_in_citation2(write_ogb, tmp_path, zipped):
    parts = ranked()
    write_ogb("ogbl-cites", "time", NUM_NODES, parts, RNG.normal(size=(NUM_NODES, 3)), zipped=zipped)
    split = official_split("ogbl-cites", data_dir=tmp_path)
    for part in ("valid", "test"):
        source, target, negative = parts[part].values()
        assert np.array_equal(split.positives(part), np.stack([source, target], axis=1))
        found = split.negatives["official"].of(part)
        assert found.shape == (10, 5, 2) and found.dtype == np.int64
        assert np.array_equal(found[..., 0], np.repeat(source[:, None], 5, axis=1))
        assert np.array_equal(found[..., 1], negative)
    train = np.stack([parts["train"]["source_node"], parts["train"]["target_node"]], axis=1)
    assert as_set(split.graph.edges) == as_set(train)


def test_a_citation_whose_reverse_is_in_training_is_counted(write_ogb, tmp_path):
    parts = ranked()
    for key, other in (("source_node", "target_node"), ("target_node", "source_node")):
        parts["test"][key][0] = parts["train"][other][0]
    write_ogb("ogbl-cites", "time", NUM_NODES, parts)
    split = official_split("ogbl-cites", data_dir=tmp_path)
    assert (split.protocol["repeated_valid"], split.protocol["repeated_test"]) == (0, 1)


@pytest.mark.parametrize("kind", ["floats", "integers"])
def test_graph_and_features_are_those_of_ogbs_own_reader(write_ogb, tmp_path, kind):
    theirs = pytest.importorskip("ogb.io.read_graph_raw").read_csv_graph_raw
    x = RNG.normal(size=(NUM_NODES, 7)) if kind == "floats" else RNG.integers(0, 2, (NUM_NODES, 7))
    folder = write_ogb("ogbl-tiny", "time", NUM_NODES, pooled(), x)
    graph = theirs(str(folder / "raw"), add_inverse_edge=True)[0]
    split = official_split("ogbl-tiny", data_dir=tmp_path)
    assert np.array_equal(split.graph.x, graph["node_feat"])
    assert split.graph.num_nodes == graph["num_nodes"]
    order = np.lexsort(graph["edge_index"][::-1])
    assert np.array_equal(split.graph.edge_index, graph["edge_index"][:, order])


@settings(max_examples=20)
@given(st.integers(1, 50), st.integers(1, 4), st.integers(0, 2**32 - 1))
def test_features_are_the_numbers_of_the_file(tmp_path, rows, columns, seed):
    x = np.random.default_rng(seed).normal(size=(rows, columns)) * 10.0 ** np.arange(columns)
    path = tmp_path / "node-feat.csv.gz"
    path.write_bytes(gzip.compress("".join(",".join(map(repr, row)) + "\n" for row in x.tolist()).encode()))
    assert np.array_equal(_read_features(path, rows, columns), x.astype(np.float32))


def test_features_are_rounded_as_ogb_rounds_them(tmp_path):
    # In 64 bits this is half-way between two numbers of 32, and half-way goes to the even one; in one step it goes up.
    (tmp_path / "x.csv.gz").write_bytes(gzip.compress(b"1.00000005960464477539062500000000001\n", mtime=0))
    assert _read_features(tmp_path / "x.csv.gz", 1, 1) == np.float32(1)


def test_the_table_has_the_published_numbers():
    total = {"ogbl-ddi": 1_334_889, "ogbl-collab": 1_285_465, "ogbl-ppa": 30_326_273, "ogbl-citation2": 30_561_187}
    nodes = {"ogbl-ddi": 4_267, "ogbl-collab": 235_868, "ogbl-ppa": 576_289, "ogbl-citation2": 2_927_963}
    found = {name: dataset for name, dataset in DATASETS.items() if dataset.family == "ogb"}
    assert {name: dataset.num_edges for name, dataset in found.items()} == total
    assert {name: dataset.num_nodes for name, dataset in found.items()} == nodes
    assert {name: dataset.num_features for name, dataset in found.items()} == dict(
        zip(total, (0, 128, 58, 128), strict=True)
    )
    assert [dataset.official.by for dataset in found.values()] == ["target", "time", "throughput", "time"]


class TestDamage:
    """What is damaged, missing or foreign is said in one sentence."""

    @pytest.fixture
    def parts(self):
        return pooled()

    @pytest.fixture
    def folder(self, write_ogb, parts):
        return write_ogb("ogbl-tiny", "time", NUM_NODES, parts, np.ones((NUM_NODES, 3)))

    def refused(self, tmp_path, match):
        for load in (load_graph, official_split):
            with pytest.raises(EdgeorbitError, match=match) as caught:
                load("ogbl-tiny", data_dir=tmp_path)
            assert "\n" not in str(caught.value)

    @pytest.mark.parametrize(
        ("part", "change", "message"),
        [
            ("train", {"edge": np.zeros((60, 3), int)}, r"train\.pt: edge has shape \(60, 3\)"),
            ("train", {"edge": np.zeros((60, 2))}, "edge has shape .* type float64, not n x 2 whole numbers"),
            ("train", {"edge": np.full((60, 2), NUM_NODES)}, "edge names nodes 30 to 30 of a graph of 30 nodes"),
            ("valid", {"edge": np.full((10, 2), -1)}, "edge names nodes -1 to -1 of a graph of 30 nodes"),
            ("train", {"edge": np.zeros((59, 2), int)}, "holds 59 edges, not 60; fetch the data set again"),
            ("test", {"edge_neg": np.zeros((2, 2), int)}, "holds 2 negatives, not 13"),
            ("test", {"edge_neg": np.full((13, 2), 99)}, "edge_neg names nodes 99 to 99"),
        ],
    )
    def test_arrays_that_are_wrong(self, folder, parts, tmp_path, part, change, message):
        torch.save(parts[part] | change, folder / "split" / "time" / f"{part}.pt")
        self.refused(tmp_path, message)

    def test_arrays_that_are_missing(self, folder, tmp_path):
        torch.save({"edge": pairs(10), "other": np.ones(2)}, folder / "split" / "time" / "test.pt")
        self.refused(tmp_path, r"test\.pt: there is no edge_neg, only other; fetch")

    def test_sources_without_targets(self, write_ogb, tmp_path):
        parts = ranked()
        folder = write_ogb("ogbl-tiny", "time", NUM_NODES, parts)
        torch.save(parts["train"] | {"target_node": np.zeros(9, int)}, folder / "split" / "time" / "train.pt")
        self.refused(tmp_path, r"train\.pt: holds 60 sources and 9 targets")

    @pytest.mark.parametrize("name", ["raw/num-node-list.csv.gz", "raw/node-feat.csv.gz", "split/time/valid.pt"])
    def test_files_that_are_missing_are_named_with_what_to_do(self, folder, tmp_path, name):
        (folder / name).unlink()
        self.refused(tmp_path, rf"ogbl_tiny/{name} is missing; put it there \(it comes from https://.*EDGEORBIT_DATA")

    @pytest.mark.parametrize("name", ["raw/num-node-list.csv.gz", "raw/node-feat.csv.gz", "split/time/valid.pt"])
    @pytest.mark.parametrize("content", [b"", b"garbage", b"\x1f\x8b\x08", gzip.compress(b"a,b\n", mtime=0), "cut"])
    def test_files_that_are_foreign_are_named(self, folder, tmp_path, name, content):
        path = folder / name
        path.write_bytes(path.read_bytes()[:-9] if content == "cut" else content)
        self.refused(tmp_path, path.name)

    @pytest.mark.parametrize("text", ["", "-1", "0", "x", "1e3", "99999999999", "30\n31"])
    def test_a_number_of_nodes_that_is_none(self, folder, tmp_path, text):
        (folder / "raw" / "num-node-list.csv.gz").write_bytes(gzip.compress(text.encode()))
        self.refused(tmp_path, "does not hold the number of nodes")

    @pytest.mark.parametrize(
        ("lines", "message"),
        [
            (["1,2,3"] * 29, "has 29 lines for 30 nodes"),
            (["1,2,3"] * 31, "has more lines than the 30 nodes"),
            (["1,2"] * 30, "has 2 columns, not 3"),
            (["1,2,3"] * 20 + ["1,nan,3"] + ["1,2,3"] * 9, "line 21: a number is missing or not finite"),
            (["1,2,3"] * 20 + ["1,,3"] + ["1,2,3"] * 9, "line 21: a number is missing or not finite"),
            (["1,2,3"] * 20 + ["1,1e300,3"] + ["1,2,3"] * 9, "line 21: a number is missing or not finite"),
            (["1,2,3"] * 20 + ["1,x,3"] + ["1,2,3"] * 9, "is not a readable table of features"),
            (["1,2,3"] * 20 + ["1,2"] + ["1,2,3"] * 9, "is not a readable table of features"),
        ],
    )
    def test_features_that_do_not_fit(self, folder, tmp_path, lines, message):
        path = folder / "raw" / "node-feat.csv.gz"
        path.write_bytes(gzip.compress("\n".join(lines).encode()))
        self.refused(tmp_path, message)

    def test_another_number_of_nodes_than_published(self, folder, tmp_path, monkeypatch):
        monkeypatch.setitem(DATASETS, "ogbl-tiny", replace(DATASETS["ogbl-tiny"], num_nodes=31))
        self.refused(tmp_path, "holds 30 nodes and 80 edges, not 31 and 80")

    def test_negatives_that_do_not_fit_into_memory(self, write_ogb, tmp_path, monkeypatch):
        parts = ranked()
        for part in ("valid", "test"):
            parts[part]["target_node_neg"] = np.zeros((10, 50_000), np.int8)
        write_ogb("ogbl-tiny", "time", NUM_NODES, parts)
        # The file itself, with what reading it takes, is 2 MB; its negatives are 8.
        monkeypatch.setattr(memory, "available_memory", lambda: 5 << 20)
        self.refused(tmp_path, r"valid\.pt: reading it takes about 7 MB of memory and 5 MB are available")
