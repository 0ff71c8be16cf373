"""Graphs of the user's own in experiment files: their content decides, and where they are looked for."""

from pathlib import Path

import pytest

from edgeorbit.errors import InvalidParameterError
from edgeorbit.experiments.cell import run_cell
from edgeorbit.experiments.named_graphs import with_paths
from edgeorbit.experiments.plan import Experiment
from edgeorbit.experiments.reading import read_experiment
from edgeorbit.experiments.state import unplanned
from edgeorbit.experiments.store import Store
from edgeorbit.experiments.tuning.task import read_tasks
from edgeorbit.graph.toys import karate
from edgeorbit.graph.writing import write_graph
from edgeorbit.synthetic import make, save_graph
from experiments.small_experiment import write

HEAD = 'models = ["cn"]\nseeds = 1\n[[data]]\nname = "mine"\nfeatures = ["constant"]\n'


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch) -> Path:
    """A directory of the test's own, with a graph that can be split."""
    monkeypatch.chdir(tmp_path)
    write_graph(karate(), "links.csv")
    return tmp_path


def change() -> None:
    with Path("links.csv").open("a") as file:
        file.write("0,9\n")


def plan(here: Path, graph: str) -> Experiment:
    return read_experiment(write(here, HEAD + graph))


@pytest.mark.parametrize(
    "graph",
    [
        'source = "links.csv"',
        'source = "karate"\nfeatures_from = "links.csv"',
        'generator = "syn-links.csv"\noptions = { edges = 3 }',
        'generator = "disjoint-copies"\noptions = { of = "links.csv" }',
    ],
)
def test_a_file_that_was_changed_makes_other_cells(here, graph) -> None:
    (before,) = plan(here, graph).cells
    assert plan(here, graph).cells[0].key == before.key
    change()
    (after,) = plan(here, graph).cells
    assert after.key != before.key
    with pytest.raises(InvalidParameterError, match="the file of mine was changed"):
        run_cell(before)


def test_rows_of_the_file_as_it_was_are_no_longer_planned(here) -> None:
    store = Store(here / "r.parquet")
    (cell,) = plan(here, 'source = "links.csv"').cells
    store.add(run_cell(cell))
    assert unplanned([cell], store) == set()
    change()
    assert unplanned(plan(here, 'source = "links.csv"').cells, store) == {cell.key}


def test_a_graph_of_a_changed_file_is_made_anew(here) -> None:
    graph = 'generator = "syn-links.csv"\noptions = { edges = 0 }'
    digests = []
    for _ in range(2):
        digests.append(run_cell(plan(here, graph).cells[0])[0]["split_digest"])
        change()
    assert len(set(digests)) == 2


def test_a_directory_that_synth_wrote_counts_by_its_content(here) -> None:
    save_graph(make("syn-karate", edges=3), here / "made")
    (before,) = plan(here, 'source = "made"').cells
    save_graph(make("syn-karate", edges=4), here / "made", force=True)
    assert plan(here, 'source = "made"').cells[0].key != before.key


def test_a_split_in_files_counts_by_its_content(here) -> None:
    (here / "split").mkdir()
    for part in ("train", "valid", "test"):
        (here / f"split/{part}_pos.txt").write_text("0 1\n")
    (before,) = plan(here, 'source = "split"').cells
    (here / "split/train_pos.txt").write_text("0 2\n")
    assert plan(here, 'source = "split"').cells[0].key != before.key


def test_data_sets_and_generators_have_no_content_of_their_own(here) -> None:
    for graph in ('source = "karate"', 'generator = "syn-karate"', 'generator = "twins"\noptions = { of = "grid" }'):
        assert plan(here, graph).cells[0].content == {}


@pytest.mark.parametrize(
    "graph",
    [
        'source = "links.csv"',
        'source = "karate"\nfeatures_from = "links.csv"',
        'generator = "syn-links.csv"',
        'generator = "disjoint-copies"\noptions = { of = "links.csv" }',
        'source = "../sub/links.csv"',
    ],
)
def test_files_are_looked_for_beside_the_experiment_file(here, graph) -> None:
    (here / "sub").mkdir()
    Path("links.csv").rename("sub/links.csv")
    (inside,) = read_experiment(write(here / "sub", HEAD + graph)).cells
    assert len(inside.content) == 1
    found = with_paths(inside.source, Path(inside.folder))
    (task,) = read_tasks(here / "sub/small.toml")  # of a search
    assert {**task.source, **task.preparing} == found and str(here / "sub") in str(found)
    if "features_from" not in graph:
        assert run_cell(inside)[0]["test_auc"] is not None


def test_the_place_of_an_experiment_is_not_decisive(here) -> None:
    (here / "sub").mkdir()
    before = plan(here, 'source = "links.csv"').cells[0].key
    Path("links.csv").rename("sub/links.csv")
    assert plan(here / "sub", 'source = "links.csv"').cells[0].key == before


def test_a_data_set_whose_files_are_not_here_can_be_planned(here, monkeypatch) -> None:
    monkeypatch.setenv("EDGEORBIT_DATA", str(here / "empty"))
    for source in ("cora", "ogbl-ddi", "heart/citeseer"):
        assert plan(here, f'source = "{source}"').cells[0].content == {}


def test_a_file_in_the_working_directory_does_not_stand_for_a_data_set(here) -> None:
    (here / "sub").mkdir()
    Path("links.csv").rename("cora")
    with pytest.raises(
        InvalidParameterError, match=r"line 6, data\[0\].source: cora: the working directory has a graph"
    ):
        plan(here / "sub", 'source = "cora"')
