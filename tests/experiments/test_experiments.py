"""Experiments: what a file says is run, kept, and not run twice."""

import platform
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

pytest.importorskip("torch_geometric")

from edgeorbit import __version__
from edgeorbit.experiments import cell
from edgeorbit.experiments.executors import LocalPool
from edgeorbit.experiments.plan import Cell, Experiment
from edgeorbit.experiments.reading import read_experiment
from edgeorbit.experiments.running import run_cells
from edgeorbit.experiments.store import Store
from edgeorbit.experiments.tables import to_markdown
from edgeorbit.graph.toys import karate
from edgeorbit.prediction import LinkPredictor
from edgeorbit.prediction.result import settings_digest
from experiments.small_experiment import SMALL, write


@pytest.fixture(scope="module")
def ran(tmp_path_factory) -> tuple[Experiment, Store]:
    directory = tmp_path_factory.mktemp("experiment")
    experiment = read_experiment(write(directory, SMALL))
    run_cells(experiment.cells, Store(directory / "small.parquet"), LocalPool(1))
    return experiment, Store(directory / "small.parquet")


def test_a_file_becomes_all_its_cells_first_seeds_first(tmp_path) -> None:
    cells = read_experiment(write(tmp_path, SMALL)).cells
    assert len(cells) == 2 * 2 + 2 * 2 == len({cell.key for cell in cells})
    assert [cell.seed for cell in cells] == [0] * 6 + [1] * 2
    assert str(cells[0]) == "ra on karate, constant features, seed 0"
    assert cells[-1].settings == {"hidden_channels": 8} and cells[0].settings == {}


def test_every_cell_has_a_row_for_every_kind_of_negatives(ran) -> None:
    experiment, store = ran
    expected = {(cell.key, kind) for cell in experiment.cells for kind in cell.negatives}
    assert {(row["key"], row["negatives"]) for row in store.rows} == expected
    assert not any(row.get("failed") for row in store.rows)


def test_rows_hold_what_a_predictor_finds_by_itself(ran) -> None:
    row = next(row for row in ran[1].rows if (row["model"], row["negatives"], row["seed"]) == ("ra", "random", 1))
    found = LinkPredictor("ra", seed=1).fit("karate", features="constant").evaluate()
    assert row["test_auc"] == found.test["auc"] and row["valid_mrr"] == found.valid["mrr"]
    assert row["split_digest"] == found.split_digest


def test_validation_links_are_not_judged_by_the_many_negatives_of_heart() -> None:
    rows = cell.run_cell(Cell("karate", {"source": "karate"}, "constant", "ra", 1, ("random", "heart", "orbit"), 1))
    found = {row["negatives"]: row for row in rows}
    predictor = LinkPredictor("ra", seed=1).fit("karate", features="constant")
    for kind, options in (("random", {}), ("heart", {}), ("orbit", {"rounds": 1})):
        expected = predictor.evaluate(kind, **options)
        assert found[kind]["test_mrr"] == expected.test["mrr"]
        assert found[kind].get("valid_mrr") == (None if kind == "heart" else expected.valid["mrr"])


def test_precision_of_the_list_is_measured_where_it_is_asked_for(tmp_path) -> None:
    text = SMALL.replace('models = ["ra", "gcn"]', 'models = ["ra"]')
    plain = read_experiment(write(tmp_path, text))
    asked = read_experiment(write(tmp_path, f"backtest = true\n{text}"))
    assert not {one.key for one in plain.cells} & {one.key for one in asked.cells}
    rows = cell.run_cell(asked.cells[0])
    tested = LinkPredictor("ra", threads=1).fit("karate", features="constant").backtest()
    assert rows[0]["test_precision@100"] == tested.model.at[2].precision
    assert not any("precision@100" in name for name in rows[1])
    assert "Precision@100" in to_markdown(asked, rows, "edgeorbit bench")
    assert "Precision@100" not in to_markdown(plain, cell.run_cell(plain.cells[0]), "edgeorbit bench")


def test_negatives_do_not_depend_on_what_was_run_before(monkeypatch) -> None:
    """HeaRT's negatives compare the features that a graph brings: those of one graph must not serve for another."""
    x = np.random.default_rng(0).random((34, 6)).astype(np.float32)
    graphs = {"plain": karate(), "words": karate().with_attributes(x=x)}
    monkeypatch.setattr(cell, "find_source", lambda one: graphs[one.source["source"]])
    monkeypatch.setattr(cell, "features_from", lambda _: {})
    orders = []
    for names in (["plain"], ["words"], ["plain", "words"], ["words", "plain"]):
        cell._sampled.clear()
        digests = {}
        for name in names:
            for row in cell.run_cell(Cell("karate", {"source": name}, "constant", "ra", 0, ("random", "heart"))):
                digests[name, row["negatives"]] = row["negatives_digest"]
        orders.append(digests)
    assert orders[0] | orders[1] == orders[2] == orders[3]
    assert orders[0]["plain", "heart"] != orders[1]["words", "heart"]
    assert orders[0]["plain", "random"] == orders[1]["words", "random"]


def test_rows_say_where_they_come_from(ran) -> None:
    experiment, store = ran
    assert {row["version"] for row in store.rows} == {__version__}
    code_of = {cell.key: cell.code for cell in experiment.cells}
    assert all(row["code"] == code_of[row["key"]] for row in store.rows)
    digests = {row["key"]: row["settings_digest"] for row in store.rows}
    assert digests == {cell.key: settings_digest(cell.settings, cell.training) for cell in experiment.cells}
    made = [datetime.fromisoformat(row["made"]) for row in store.rows]
    assert all(datetime.now(UTC) - timedelta(hours=1) < one <= datetime.now(UTC) for one in made)
    assert all(row["cell_seconds"] >= row["seconds"] > 0 and platform.node() not in row["host"] for row in store.rows)


def test_original_edges_of_synthetic_graphs_are_judged_apart(ran) -> None:
    apart = {row["data"] for row in ran[1].rows if row.get("valid_original_auc") is not None}
    assert apart == {"two karates"}


def test_what_is_there_is_not_run_again(ran) -> None:
    experiment, store = ran
    before = [dict(row) for row in store.rows]
    run_cells(experiment.cells, store, LocalPool(1), on_rows=lambda *_: pytest.fail("a cell was run again"))
    assert store.rows == before


def test_other_settings_make_another_cell(tmp_path) -> None:
    keys = [
        {cell.key for cell in read_experiment(write(tmp_path, text)).cells if cell.model == "gcn"}
        for text in (SMALL, SMALL.replace("hidden_channels = 8", "hidden_channels = 16"))
    ]
    assert not keys[0] & keys[1]


def test_an_exact_bound_is_one_more_figure_of_the_same_cell(tmp_path, ran) -> None:
    text = SMALL.replace("orbit_rounds = 2", "orbit_rounds = 2\nexact = true")
    exact = [one for one in read_experiment(write(tmp_path, text)).cells if one.exact]
    assert {one.data for one in exact} == {"two karates"}
    assert {one.key for one in exact} <= {one.key for one in ran[0].cells}
    (row,) = cell.run_cell(exact[0])
    known = next(other for other in ran[1].rows if other["key"] == exact[0].key)
    assert row["test_auc"] == known["test_auc"] and row["bound_walks"] == known["bound_walks"]
    assert known.get("bound_any_model") is None and row["test_auc"] <= row["bound_any_model"] <= 1


def test_a_cell_that_fails_is_kept_with_its_reason_and_the_others_go_on(tmp_path) -> None:
    text = SMALL.replace('features = ["constant"]', 'features = ["original", "constant"]').replace(
        "seeds = 2", "seeds = 1"
    )
    (tmp_path / "broken.csv").write_text("0,1\n0\n")
    text = text.replace('source = "karate"', 'source = "broken.csv"').split('[[data]]\nname = "two')[0]
    experiment = read_experiment(
        write(tmp_path, text + '[[data]]\nname = "real"\nsource = "karate"\nfeatures = ["constant"]')
    )
    store = Store(tmp_path / "r.parquet")
    run_cells([cell for cell in experiment.cells if cell.model == "ra"], store, LocalPool(1))
    assert {bool(row.get("failed")) for row in store.rows} == {True, False}
    assert any("broken.csv line 2" in (row["failed"] or "") for row in store.rows)


def test_a_folder_of_the_data_directory_is_a_source(tmp_path, monkeypatch) -> None:
    rng = np.random.default_rng(0)
    folder = tmp_path / "data" / "fixed" / "split"
    folder.mkdir(parents=True)
    edges = np.unique(np.sort(rng.integers(0, 34, (150, 2)), axis=1), axis=0)
    edges = rng.permutation(edges[edges[:, 0] != edges[:, 1]])
    for name, part in (("train", edges[20:]), ("valid", edges[:10]), ("test", edges[10:20])):
        np.savetxt(folder / f"{name}_pos.txt", part, fmt="%d", delimiter="\t")
    monkeypatch.setenv("EDGEORBIT_DATA", str(tmp_path / "data"))
    text = 'seeds = 1\nmodels = ["ra"]\n[[data]]\nsource = "fixed/split"\nfeatures = ["constant"]\n'
    experiment = read_experiment(write(tmp_path, text))
    store = Store(tmp_path / "found.parquet")
    run_cells(experiment.cells, store, LocalPool(1))
    assert [row.get("failed") for row in store.rows] == [None]
    assert store.rows[0]["test_auc"] > 0
