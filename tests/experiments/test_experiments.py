"""Experiments: what a file says is run, kept, not run twice, and shown."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow.parquet
import pytest

pytest.importorskip("torch_geometric")

from edgeorbit.errors import GraphFormatError, InvalidParameterError
from edgeorbit.experiments.plan import Experiment, read_experiment
from edgeorbit.experiments.running import run_cells
from edgeorbit.experiments.store import Store
from edgeorbit.experiments.tables import to_markdown
from edgeorbit.prediction import LinkPredictor

SMALL = """
title = "Small"
seeds = 2
models = ["ra", "gcn"]
negatives = ["random", "orbit"]

[training]
epochs = 2
evaluate_every = 2
metric = "auc"

[settings.gcn]
hidden_channels = 8

[[data]]
name = "karate"
source = "karate"
features = ["constant"]

[[data]]
name = "two karates"
generator = "syn-karate"
options = { edges = 40 }
features = ["constant", "identity"]
negatives = ["orbit"]
orbit_rounds = 2
seeds = 1
"""


def write(directory: Path, text: str) -> Path:
    path = directory / "small.toml"
    path.write_text(text)
    return path


@pytest.fixture(scope="module")
def ran(tmp_path_factory) -> tuple[Experiment, Store]:
    directory = tmp_path_factory.mktemp("experiment")
    experiment = read_experiment(write(directory, SMALL))
    run_cells(experiment.cells, Store(directory / "small.parquet"), jobs=2)
    return experiment, Store(directory / "small.parquet")


def test_a_file_becomes_all_its_cells_first_seeds_first(tmp_path) -> None:
    cells = read_experiment(write(tmp_path, SMALL)).cells
    assert len(cells) == 2 * 2 + 2 * 2 == len({cell.key for cell in cells})
    assert [cell.seed for cell in cells] == [0] * 6 + [1] * 2
    assert str(cells[0]) == "ra on karate, constant features, seed 0"
    assert cells[-1].settings == {"hidden_channels": 8} and cells[0].settings == {}


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("seeds = 2", "seed = 2", "no key 'seed'"),
        ("seeds = 2", "seeds = 0", "seeds is a whole number"),
        ('"ra", "gcn"', '"ra", "gcm"', "'gcm' is unknown"),
        ('source = "karate"', "", "either source or generator"),
        ('features = ["constant"]', 'features = "constant"', "give a list"),
        ('negatives = ["orbit"]', 'negatives = ["hard"]', "'hard' is unknown"),
        ("[training]", "[training", "is no TOML"),
    ],
)
def test_a_file_that_cannot_be_run_is_refused_in_a_sentence(tmp_path, old, new, said) -> None:
    path = write(tmp_path, SMALL.replace(old, new, 1))
    with pytest.raises(InvalidParameterError, match=said) as error:
        read_experiment(path)
    assert str(error.value).startswith(str(path))


def test_a_file_that_is_not_there_is_told(tmp_path) -> None:
    with pytest.raises(InvalidParameterError, match=r"nothing\.toml"):
        read_experiment(tmp_path / "nothing.toml")


def test_every_cell_has_a_row_for_every_kind_of_negatives(ran) -> None:
    experiment, store = ran
    expected = {(cell.key, kind) for cell in experiment.cells for kind in cell.negatives}
    assert {(row["key"], row["negatives"]) for row in store.rows} == expected
    assert not any(row.get("failed") for row in store.rows)


def test_rows_hold_what_a_predictor_finds_by_itself(ran) -> None:
    row = next(row for row in ran[1].rows if (row["model"], row["negatives"], row["seed"]) == ("ra", "random", 1))
    found = LinkPredictor("ra", seed=1).fit("karate", features="constant").evaluate()
    assert row["test_auc"] == found["test"]["auc"] and row["valid_mrr"] == found["valid"]["mrr"]
    assert row["split_digest"] == found["split_digest"]


def test_original_edges_of_synthetic_graphs_are_judged_apart(ran) -> None:
    apart = {row["data"] for row in ran[1].rows if row.get("valid_original_auc") is not None}
    assert apart == {"two karates"}


def test_what_is_there_is_not_run_again(ran) -> None:
    experiment, store = ran
    before = [dict(row) for row in store.rows]
    run_cells(experiment.cells, store, jobs=1, report=lambda *_: pytest.fail("a cell was run again"))
    assert store.rows == before


def test_other_settings_make_another_cell(tmp_path) -> None:
    keys = [
        {cell.key for cell in read_experiment(write(tmp_path, text)).cells if cell.model == "gcn"}
        for text in (SMALL, SMALL.replace("hidden_channels = 8", "hidden_channels = 16"))
    ]
    assert not keys[0] & keys[1]


def test_a_cell_that_fails_is_kept_with_its_reason_and_the_others_go_on(tmp_path) -> None:
    text = SMALL.replace('features = ["constant"]', 'features = ["original", "constant"]').replace(
        "seeds = 2", "seeds = 1"
    )
    text = text.replace('source = "karate"', 'source = "not-there.csv"').split('[[data]]\nname = "two')[0]
    experiment = read_experiment(write(tmp_path, text + '[[data]]\nsource = "karate"\nfeatures = ["constant"]'))
    store = Store(tmp_path / "r.parquet")
    run_cells([cell for cell in experiment.cells if cell.model == "ra"], store, jobs=1)
    assert {bool(row.get("failed")) for row in store.rows} == {True, False}
    page = to_markdown(experiment, store.rows, "command")
    assert "## Runs that failed" in page and "not-there.csv" in page


def test_a_store_replaces_rows_of_the_same_cell(tmp_path) -> None:
    store = Store(tmp_path / "deep" / "r.parquet")
    row = {"key": "a", "data": "d", "model": "m", "seed": 0, "negatives": "random"}
    store.add([row | {"test_auc": 0.5}])
    store.add([row | {"key": "b"}])
    store.add([row | {"test_auc": 0.7, "extra": 1}])
    assert {found["key"]: found["test_auc"] for found in Store(store.path).rows} == {"a": 0.7, "b": None}


def test_a_file_of_something_else_is_no_store(tmp_path) -> None:
    (tmp_path / "text.parquet").write_text("no table")
    pyarrow.parquet.write_table(pyarrow.table({"a": [1]}), tmp_path / "other.parquet")
    for name in ("text.parquet", "other.parquet"):
        with pytest.raises(GraphFormatError, match=name):
            Store(tmp_path / name)


def test_tables_show_mean_and_deviation_and_mark_the_best(tmp_path) -> None:
    experiment = read_experiment(write(tmp_path, SMALL.replace('"ra", "gcn"', '"ra", "gcn", "cn"')))
    values = {"ra": [0.5, 0.7], "gcn": [0.8, 0.9], "cn": [0.84]}
    rows = []
    for cell in experiment.cells:
        if cell.data == "karate" and cell.seed < len(values[cell.model]):
            rows.append(
                {"key": cell.key, "data": cell.data, "features": cell.features, "model": cell.model, "seed": cell.seed}
                | {"negatives": "random", "test_auc": values[cell.model][cell.seed], "train_ear": 0.25}
            )
    page = to_markdown(experiment, rows, "command")
    assert "| ra | 60.00 ± 14.14 |" in page
    assert f"| gcn | **85.00 ± {100 * np.std([0.8, 0.9], ddof=1):.2f}** |" in page
    assert "| cn | *84.00 (1)* |" in page
    assert "| karate | 0.250 |" in page and "MRR" not in page


def test_variants_of_a_model_are_rows_of_their_own(tmp_path) -> None:
    variants = '[variants."gcn, wide"]\nmodel = "gcn"\nsettings = { hidden_channels = 512 }\n'
    text = SMALL.replace('["ra", "gcn"]', '["gcn", "gcn, wide"]').replace("[training]", f"{variants}[training]", 1)
    experiment = read_experiment(write(tmp_path, text))
    wide = [cell for cell in experiment.cells if cell.label == "gcn, wide"]
    assert len(wide) == len(experiment.cells) / 2
    assert all(cell.model == "gcn" and cell.settings == {"hidden_channels": 512} for cell in wide)
    cell = wide[0]
    row = {"key": cell.key, "data": cell.data, "features": "constant", "model": "gcn", "seed": 0, "negatives": "random"}
    assert "| gcn, wide | **70.00** |" in to_markdown(experiment, [row | {"test_auc": 0.7}], "command")


def test_a_variant_of_no_model_is_refused(tmp_path) -> None:
    with pytest.raises(InvalidParameterError, match="variant 'x', model"):
        read_experiment(write(tmp_path, SMALL.replace("[training]", '[variants.x]\nmodel = "y"\n[training]', 1)))


PUBLISHED = (
    SMALL
    + """
[published.auc.random]
ra = [70.0]
gcn = [50.0, 5.0]
"""
)


def test_published_figures_stand_beside_ours_with_how_far_ours_are_off(ran, tmp_path) -> None:
    experiment = read_experiment(write(tmp_path, PUBLISHED))
    page = to_markdown(experiment, ran[1].rows, "make it")
    table = page.split("## AUC, random negatives, constant features")[1].split("##")[0]
    values = [row["test_auc"] for row in ran[1].rows if row["model"] == "gcn" and row["negatives"] == "random"]
    assert f"| 50.00 ± 5.00 | {(100 * np.mean(values) - 50) / 5:+.1f} |" in table
    assert "| 70.00 |  |" in table
    assert "published" not in page.split("## MRR, random negatives")[1]


@pytest.mark.parametrize(
    ("said", "sentence"),
    [
        ("[published.auc.random]\nra = 3\n", "by metric, negatives and model"),
        ("[published.auc.random]\nra = [1, 2, 3]\n", "a mean and a deviation of ra"),
        ("[published.auc.luck]\nra = [1]\n", "'luck' is unknown"),
        ("[published.auc.random]\nnobody = [1]\n", "'nobody' is unknown"),
    ],
)
def test_published_figures_that_say_nothing_are_refused(tmp_path, said: str, sentence: str) -> None:
    with pytest.raises(InvalidParameterError, match=sentence):
        read_experiment(write(tmp_path, SMALL + said))


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
    run_cells(experiment.cells, store, jobs=1)
    assert [row.get("failed") for row in store.rows] == [None]
    assert store.rows[0]["test_auc"] > 0


ADDING = """
import sys
from edgeorbit.experiments.store import Store
store = Store(sys.argv[1])
for i in range(20):
    store.add([{"key": f"{sys.argv[2]}-{i}", "data": "a", "model": "ra", "seed": i, "negatives": "random"}])
"""


def test_two_processes_lose_no_rows_of_each_other(tmp_path) -> None:
    path = tmp_path / "found.parquet"
    both = [subprocess.Popen([sys.executable, "-c", ADDING, path, name]) for name in ("one", "other")]
    assert [process.wait() for process in both] == [0, 0]
    assert Store(path).keys == {f"{name}-{i}" for name in ("one", "other") for i in range(20)}
    assert [file.name for file in tmp_path.iterdir()] == ["found.parquet"]
