"""A graph is found by name or by file, and what is missing is said."""

import os
import stat

import numpy as np
import pytest

from edgeorbit.data import DATASETS, datasets, load_graph
from edgeorbit.data.files import cache_dir, resolve_data_dir
from edgeorbit.errors import DatasetNotFoundError, GraphFormatError, InvalidParameterError

SEAL = {name: dataset for name, dataset in DATASETS.items() if dataset.family == "seal"}


@pytest.mark.parametrize("name", SEAL)
def test_seal_graphs_have_the_published_counts(name, data_dir):
    for _ in ("parsed", "derived"):
        graph = load_graph(name, data_dir=data_dir)
        assert (graph.name, graph.num_nodes, graph.num_edges) == (name, SEAL[name].num_nodes, SEAL[name].num_edges)


def test_a_seal_graph_is_the_matrix_in_its_file(data_dir):
    from scipy.io import loadmat

    matrix = loadmat(data_dir / "seal" / "Yeast.mat")["net"].toarray() != 0
    graph = load_graph("yeast", data_dir=data_dir)
    expected = np.argwhere(np.triu(matrix | matrix.T, 1))
    assert np.array_equal(graph.edges, expected)
    assert np.array_equal(load_graph("yeast", data_dir=data_dir).edges, expected)


@pytest.mark.parametrize("name", ["karate", "Karate", "KARATE", "two-copies"])
def test_a_toy_needs_no_files_and_no_case(name, tmp_path):
    graph = load_graph(name, data_dir=tmp_path / "nowhere")
    assert graph.name == name.lower()


def test_a_file_wins_over_a_data_set_of_the_same_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "karate").write_text("0 1\n1 2\n")
    assert load_graph("karate").num_edges == 2
    assert load_graph("Karate").num_edges == 78


def test_a_directory_does_not_hide_a_data_set(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "karate").mkdir()
    assert load_graph("karate").num_edges == 78


def test_a_path_object_is_taken(tmp_path):
    file = tmp_path / "edges.csv"
    file.write_text("source,target\n0,1\n1,2\n2,0\n")
    assert load_graph(file).num_edges == 3
    assert load_graph(str(file), format="edgelist", columns=("target", "source"), threads=1).num_edges == 3


@pytest.mark.parametrize(("typed", "meant"), [("corra", "cora"), ("Pubmet", "pubmed"), ("two-copy", "two-copies")])
def test_an_unknown_name_names_the_nearest_ones(typed, meant):
    with pytest.raises(DatasetNotFoundError, match=rf"{typed}: no such file.*did you mean.* {meant}\b"):
        load_graph(typed)


def test_a_file_that_does_not_exist_is_said_to_be_missing(tmp_path):
    with pytest.raises(DatasetNotFoundError, match=r"edges\.parquet: no such file.*data sets are cora, .*karate"):
        load_graph(tmp_path / "edges.parquet")


@pytest.mark.parametrize("options", [{"format": "edgelist"}, {"columns": (0, 1)}])
def test_reading_options_do_not_go_with_a_data_set(options):
    with pytest.raises(InvalidParameterError, match="no file 'karate'"):
        load_graph("karate", **options)


@pytest.mark.parametrize(("name", "relative"), [("cora", "planetoid/Cora/raw/ind.cora.x"), ("ns", "seal/NS.mat")])
def test_a_missing_file_is_named_with_its_place(name, relative, tmp_path):
    with pytest.raises(DatasetNotFoundError) as caught:
        load_graph(name, data_dir=tmp_path)
    message = str(caught.value)
    assert str(tmp_path / relative) in message
    assert "EDGEORBIT_DATA" in message and "--data-dir" in message and "github.com" in message
    assert "\n" not in message


def test_a_file_of_another_size_than_published_is_refused(data_dir, tmp_path):
    (tmp_path / "seal").mkdir()
    (tmp_path / "seal" / "NS.mat").write_bytes((data_dir / "seal" / "USAir.mat").read_bytes())
    with pytest.raises(GraphFormatError, match=r"NS\.mat holds 332 nodes and 2126 edges, not 1589 and 2742"):
        load_graph("ns", data_dir=tmp_path)


def test_a_file_where_a_directory_should_be_is_an_error_of_one_sentence(tmp_path):
    (tmp_path / "seal" / "NS.mat").mkdir(parents=True)
    with pytest.raises(DatasetNotFoundError, match=r"^ns: .*NS\.mat: is a directory; give one file"):
        load_graph("ns", data_dir=tmp_path)


def test_the_data_directory_is_the_argument_then_the_variable_then_the_cache(monkeypatch, tmp_path):
    monkeypatch.setenv("EDGEORBIT_DATA", "/variable")
    assert resolve_data_dir("/argument").as_posix() == "/argument"
    assert resolve_data_dir().as_posix() == "/variable"
    monkeypatch.delenv("EDGEORBIT_DATA")
    assert resolve_data_dir() == cache_dir() / "data"
    monkeypatch.delenv("EDGEORBIT_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert resolve_data_dir() == tmp_path / "edgeorbit" / "data"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    assert cache_dir() == tmp_path / "home" / ".cache" / "edgeorbit"


def test_the_variable_is_used_when_no_directory_is_given(monkeypatch, tmp_path):
    monkeypatch.setenv("EDGEORBIT_DATA", str(tmp_path / "variable"))
    with pytest.raises(DatasetNotFoundError, match=r"variable/seal/NS\.mat is missing"):
        load_graph("ns")


def test_datasets_tells_what_is_here(tmp_path, data_dir):
    toys = {listing.dataset.name for listing in datasets(tmp_path) if listing.available}
    assert toys == {name for name, dataset in DATASETS.items() if dataset.family == "toy"}
    absent = {listing.dataset.name for listing in datasets(data_dir) if not listing.available}
    assert absent <= {"ogbl-collab", "ogbl-ppa", "ogbl-citation2"}


@pytest.mark.parametrize("name", DATASETS)
def test_every_data_set_says_where_it_comes_from_and_what_to_cite(name):
    dataset = DATASETS[name]
    assert dataset.name == name == name.lower()
    assert dataset.family == "toy" or (dataset.source.startswith("https://") and dataset.citation)


class TestDerivedFiles:
    """What was parsed is kept, and is never more than a shortcut."""

    def derived(self, cache):
        return sorted((cache / "derived").iterdir())

    def test_nothing_is_written_to_the_data_directory(self, data_dir, tmp_path, cache):
        (tmp_path / "data" / "seal").mkdir(parents=True)
        (tmp_path / "data" / "seal" / "NS.mat").write_bytes((data_dir / "seal" / "NS.mat").read_bytes())
        load_graph("ns", data_dir=tmp_path / "data")
        assert [p.name for p in (tmp_path / "data").rglob("*")] == ["seal", "NS.mat"]
        assert len(self.derived(cache)) == 1

    def test_the_second_time_the_raw_files_are_not_parsed(self, data_dir, monkeypatch):
        first = load_graph("cora", data_dir=data_dir)
        monkeypatch.setattr("edgeorbit.data.planetoid.PlanetoidUnpickler.load", lambda self: pytest.fail("parsed"))
        second = load_graph("cora", data_dir=data_dir)
        assert np.array_equal(first.indices, second.indices)
        assert (first.x != second.x).nnz == 0

    def test_a_changed_raw_file_never_meets_an_old_result(self, data_dir, tmp_path):
        from scipy.io import loadmat, savemat

        (tmp_path / "seal").mkdir()
        file = tmp_path / "seal" / "NS.mat"
        file.write_bytes((data_dir / "seal" / "NS.mat").read_bytes())
        before = load_graph("ns", data_dir=tmp_path)
        savemat(file, {"net": loadmat(file)["net"][::-1, ::-1]})
        after = load_graph("ns", data_dir=tmp_path)
        assert np.array_equal(after.degree, before.degree[::-1])

    @pytest.mark.parametrize("spoil", [b"", b"garbage", "cut", "bit"])
    def test_a_spoilt_derived_file_is_replaced(self, spoil, data_dir, cache):
        load_graph("cora", data_dir=data_dir)
        (file,) = self.derived(cache)
        good = file.read_bytes()
        middle = len(good) // 2
        flipped = good[:middle] + bytes([good[middle] ^ 1]) + good[middle + 1 :]
        file.write_bytes({"cut": good[:middle], "bit": flipped}.get(spoil, spoil))
        assert load_graph("cora", data_dir=data_dir).num_edges == 5278
        assert load_graph("cora", data_dir=data_dir).x.nnz == 49216
        assert file.read_bytes()[:middle] == good[:middle]

    def test_a_derived_file_is_never_unpickled(self, data_dir, cache):
        load_graph("cora", data_dir=data_dir)
        (file,) = self.derived(cache)
        with np.load(file) as stored:
            arrays = dict(stored)
        arrays["y"] = np.array([print] * 2708, object)
        np.savez(file, **arrays)
        assert load_graph("cora", data_dir=data_dir).y.dtype == np.int64

    def test_without_a_cache_that_can_be_written_the_graph_is_parsed_each_time(self, data_dir, tmp_path, monkeypatch):
        blocked = tmp_path / "file"
        blocked.write_text("not a directory")
        monkeypatch.setenv("EDGEORBIT_CACHE", str(blocked / "cache"))
        assert load_graph("ns", data_dir=data_dir).num_edges == 2742

    def test_a_directory_in_the_place_of_a_derived_file_is_no_error(self, data_dir, cache):
        load_graph("ns", data_dir=data_dir)
        (file,) = self.derived(cache)
        file.unlink()
        file.mkdir()
        assert load_graph("ns", data_dir=data_dir).num_edges == 2742

    @pytest.mark.skipif(os.geteuid() == 0, reason="root writes everywhere")
    def test_a_read_only_cache_is_no_error(self, data_dir, cache):
        cache.mkdir()
        cache.chmod(stat.S_IRUSR | stat.S_IXUSR)
        assert load_graph("ns", data_dir=data_dir).num_edges == 2742

    def test_features_can_be_left_out_without_being_lost(self, data_dir):
        assert load_graph("cora", data_dir=data_dir, features=False).x is None
        assert load_graph("cora", data_dir=data_dir, features=False).x is None
        assert load_graph("cora", data_dir=data_dir).x.shape == (2708, 1433)

    def test_a_warm_load_without_features_imports_neither_scipy_nor_numba(self, data_dir, cache):
        import subprocess
        import sys

        load_graph("cora", data_dir=data_dir)
        code = (
            "import sys; from edgeorbit.data import load_graph; load_graph('cora', features=False); "
            "sys.exit(any(name in sys.modules for name in ('scipy', 'numba', 'networkx', 'pyarrow')))"
        )
        environment = os.environ | {"EDGEORBIT_DATA": str(data_dir), "EDGEORBIT_CACHE": str(cache)}
        assert subprocess.run([sys.executable, "-c", code], env=environment, check=False).returncode == 0
