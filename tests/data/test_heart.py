"""A directory in HeaRT's layout is a graph, a split and its negatives, or an error that names the file and the line."""

import random
import shutil

import numpy as np
import pytest

from edgeorbit import _memory as memory
from edgeorbit.data import has_official_split, load_graph, official_split
from edgeorbit.errors import (
    DatasetNotFoundError,
    EdgeorbitError,
    GraphFormatError,
    InvalidParameterError,
    LimitExceededError,
)

PARTS = {"train": [(0, 1), (1, 2), (2, 3), (5, 5)], "valid": [(3, 4)], "test": [(0, 4), (1, 3)]}
POOLS = {"valid": [(0, 2), (0, 5)], "test": [(4, 5)]}
SAMPLES = {"valid": [[(3, 0), (5, 4)]], "test": [[(0, 3), (2, 4)], [(1, 4), (5, 3)]]}


@pytest.fixture
def directory(tmp_path):
    """A small split with everything."""
    path = tmp_path / "mine"
    path.mkdir()
    for part, pairs in PARTS.items():
        (path / f"{part}_pos.txt").write_text("".join(f"{u}\t{v}\n" for u, v in pairs))
    for part, pairs in POOLS.items():
        (path / f"{part}_neg.txt").write_text("".join(f"{u} {v}\n" for u, v in pairs))
        np.save(path / f"heart_{part}_samples.npy", np.array(SAMPLES[part]))
    return path


class TestCiteseer:
    """HeaRT's own files."""

    @pytest.fixture
    def path(self, data_dir):
        return data_dir / "heart" / "citeseer"

    def test_parts_and_negatives_have_the_published_sizes(self, path):
        split = official_split(path)
        split.check()
        assert (split.graph.num_nodes, split.graph.num_edges, split.graph.self_loops) == (3327, 3870, 48)
        assert len(split.valid) == 227 and len(split.test) == 455
        assert split.negatives["random"].valid.shape == (227, 2) and split.negatives["random"].test.shape == (455, 2)
        assert split.negatives["heart"].valid.shape == (227, 500, 2)
        assert split.negatives["heart"].test.shape == (455, 500, 2)

    def test_edges_and_negatives_are_those_of_the_files_in_order(self, path):
        split = official_split(path)
        for part in ("valid", "test"):
            assert np.array_equal(split.positives(part), np.loadtxt(path / f"{part}_pos.txt", dtype=int))
            assert np.array_equal(split.negatives["random"].of(part), np.loadtxt(path / f"{part}_neg.txt", dtype=int))
            samples = np.load(path / f"heart_{part}_samples.npy")
            assert np.array_equal(split.negatives["heart"].of(part), samples)
            # Half of them replace the target, half the source, of the edge at the same place.
            assert np.array_equal(samples[:, :250, 0], np.repeat(split.positives(part)[:, :1], 250, axis=1))
            assert np.array_equal(samples[:, 250:, 1], np.repeat(split.positives(part)[:, 1:], 250, axis=1))

    def test_the_graph_is_that_of_planetoid(self, path, data_dir):
        theirs = load_graph("citeseer", data_dir=data_dir)
        assert np.array_equal(load_graph(path).indices, theirs.indices)
        assert np.array_equal(official_split(path).whole.indices, theirs.indices)

    def test_features_are_taken_from_the_data_set_with_the_same_nodes(self, path, data_dir):
        theirs = load_graph("citeseer", data_dir=data_dir)
        split = official_split(path, features_from="citeseer", data_dir=data_dir)
        assert (split.graph.x != theirs.x).nnz == 0 and np.array_equal(split.graph.y, theirs.y)
        assert split.graph.num_edges == 3870
        assert load_graph(path, features_from="citeseer", data_dir=data_dir).x.shape == (3327, 3703)

    def test_features_of_other_nodes_are_refused(self, path, data_dir):
        with pytest.raises(InvalidParameterError, match="citeseer has 3327 nodes and cora has 2708"):
            official_split(path, features_from="cora", data_dir=data_dir)
        with pytest.raises(InvalidParameterError, match="karate has no features for citeseer"):
            official_split(path, features_from="karate", data_dir=data_dir)

    def test_negatives_that_are_edges_after_all_are_counted(self, path):
        edges = {frozenset(pair) for pair in load_graph(path).edges.tolist()}
        negatives = official_split(path).negatives
        for part in ("valid", "test"):
            among = sum(frozenset(pair) in edges for pair in negatives["heart"].of(part).reshape(-1, 2).tolist())
            assert negatives["heart"].info["edges_among_negatives"][part] == among > 0
            assert negatives["random"].info["edges_among_negatives"][part] == 0


def test_a_self_loop_keeps_a_node_and_is_no_edge(directory):
    split = official_split(directory)
    assert split.graph.num_nodes == 6 and split.graph.edges.tolist() == [[0, 1], [1, 2], [2, 3]]
    assert split.graph.name == "mine"
    assert split.protocol == {"split": "files", "layout": "HeaRT", "directory": "mine"}
    assert load_graph(directory).num_edges == 6


@pytest.mark.parametrize("kind", ["random", "heart"])
def test_negatives_are_optional(directory, kind):
    for part in ("valid", "test"):
        (directory / (f"{part}_neg.txt" if kind == "random" else f"heart_{part}_samples.npy")).unlink()
    assert set(official_split(directory).negatives) == {"random", "heart"} - {kind}


def test_the_current_directory_and_a_name_of_a_data_set_will_do(directory, monkeypatch):
    monkeypatch.chdir(directory)
    assert official_split(".").graph.name == "mine"
    monkeypatch.chdir(directory.parent)
    directory.rename(directory.parent / "cora")
    assert has_official_split("cora") and official_split("cora").graph.num_edges == 3
    assert load_graph("cora").num_nodes == 6


def test_features_come_from_a_file_too(directory, tmp_path):
    np.save(tmp_path / "x.npy", np.arange(12).reshape(6, 2))
    assert official_split(directory, features_file=tmp_path / "x.npy").graph.x.tolist()[5] == [10, 11]
    assert load_graph(directory, features_file=tmp_path / "x.npy").x.shape == (6, 2)
    with pytest.raises(InvalidParameterError, match="not from both"):
        official_split(directory, features_file=tmp_path / "x.npy", features_from="cora")


@pytest.mark.parametrize("name", ["karate", "cora"])
def test_sources_without_a_split_are_told_apart(name, tmp_path):
    assert not has_official_split(name)
    with pytest.raises(InvalidParameterError, match=rf"{name} brings no split of its own; split its edges at random"):
        official_split(name)
    (tmp_path / "links.csv").write_text("0,1\n")
    for source in (tmp_path / "links.csv", tmp_path):
        assert not has_official_split(source)
        with pytest.raises(InvalidParameterError, match="brings no split"):
            official_split(source)
    assert not has_official_split("ogbl-dd")
    with pytest.raises(DatasetNotFoundError, match="did you mean ogbl-ddi"):
        official_split("ogbl-dd")


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("train_pos.txt", "0 1\n1\n", r"train_pos\.txt line 2: expected two node numbers, found '1'"),
        ("train_pos.txt", "0 1\n\n1 2 3\n", "line 3: expected two node numbers, found '1 2 3'"),
        ("valid_pos.txt", "0 -1\n", "line 1: expected two node numbers"),
        ("valid_pos.txt", "a b\n", "line 1: expected two node numbers, found 'a b'"),
        ("test_pos.txt", "0 1.5\n", "line 1: expected two node numbers"),
        ("test_pos.txt", "", r"test_pos\.txt: holds no pairs"),
        ("test_pos.txt", b"\xff\xfe0\x00", "is not a readable text file"),
        ("valid_pos.txt", "3 3\n", r"valid_pos\.txt: joins node 3 to itself"),
        ("valid_pos.txt", "2 1\n", "mine: validation edge 1 - 2 is a training edge too"),
        ("test_pos.txt", "0 99999999999\n", "node 99999999999 is too large"),
        ("test_neg.txt", "0 6\n", r"test_neg\.txt: names nodes 0 to 6 of a graph of 6 nodes"),
        ("heart_test_samples.npy", np.zeros((3, 2, 2), int), "has negatives for 3 edges and test_pos.txt has 2"),
        ("heart_test_samples.npy", np.zeros((2, 2), int), r"has shape \(2, 2\)"),
        ("heart_test_samples.npy", np.zeros((2, 0, 2), int), r"has shape \(2, 0, 2\)"),
        ("heart_test_samples.npy", np.zeros((2, 2, 2)), "it holds no array of whole numbers"),
        (
            "heart_test_samples.npy",
            np.array(SAMPLES["test"])[::-1],
            r"a negative of edge 0 has no node in common .* order",
        ),
        (
            "heart_test_samples.npy",
            np.array([[(0, 9), (2, 4)], [(1, 4), (5, 3)]]),
            "names nodes 0 to 9 of a graph of 6",
        ),
        ("heart_test_samples.npy", np.array([{}], object), "holds pickled objects, which are not read"),
        ("heart_test_samples.npy", b"garbage", r"heart_test_samples\.npy: is not a readable npy file"),
        ("heart_valid_samples.npy", b"", r"heart_valid_samples\.npy: is not a readable npy file"),
    ],
)
def test_files_that_are_wrong_are_named(directory, name, content, message):
    path = directory / name
    if isinstance(content, np.ndarray):
        np.save(path, content)
    else:
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(GraphFormatError, match=message) as caught:
        official_split(directory)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", ["valid_neg.txt", "test_neg.txt", "heart_valid_samples.npy", "heart_test_samples.npy"])
def test_half_of_the_negatives_is_an_error(directory, name):
    (directory / name).unlink()
    with pytest.raises(GraphFormatError, match=rf"{name}: is missing, and that of the other part is not"):
        official_split(directory)


def test_without_its_edges_a_directory_is_no_split(directory):
    (directory / "test_pos.txt").unlink()
    assert not has_official_split(directory)
    with pytest.raises(InvalidParameterError, match=r"train_pos\.txt, valid_pos\.txt and test_pos\.txt"):
        official_split(directory)


def test_a_large_node_number_does_not_take_the_memory(directory, monkeypatch):
    monkeypatch.setattr(memory, "available_memory", lambda: 1 << 28)
    (directory / "test_pos.txt").write_text("0 2000000000\n")
    with pytest.raises(LimitExceededError, match="mine: reading it takes about"):
        official_split(directory)


@pytest.mark.filterwarnings("ignore:Reading `.npy`")
def test_damaged_files_give_a_split_or_an_error_of_ours(directory, tmp_path, monkeypatch):
    monkeypatch.setattr(memory, "available_memory", lambda: 1 << 28)
    rng = random.Random(3)
    names = sorted(path.name for path in directory.iterdir())
    outcomes = {True: 0, False: 0}
    for case in range(200):
        broken = tmp_path / "broken"
        shutil.copytree(directory, broken)
        path = broken / names[case % len(names)]
        content = bytearray(path.read_bytes())
        for _ in range(rng.choice((1, 1, 3))):
            place = rng.randrange(len(content) + 1)
            choice = (b"-1", b"\n", b" ", b"\t", b"9" * 12, b"\xff", b"\0", b"5 5\n", b"", b"7")
            content[place : place + rng.choice((0, 1, 2, 60))] = rng.choice(choice)
        path.write_bytes(content)
        try:
            split = official_split(broken)
            split.check()
            outcomes[True] += 1
        except EdgeorbitError as error:
            assert "\n" not in str(error) and "broken" in str(error)
            outcomes[False] += 1
        shutil.rmtree(broken)
    assert min(outcomes.values()) > 10
