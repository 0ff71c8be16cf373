"""Tables of results: numbers from the rows, marks from the test, what was published beside, in every format."""

import csv
import io
import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest
from scipy import stats

from edgeorbit.errors import EdgeorbitError, InvalidParameterError
from edgeorbit.experiments.cell import run_cell
from edgeorbit.experiments.plan import Cell
from edgeorbit.experiments.reading import read_experiment
from edgeorbit.experiments.store import Store
from edgeorbit.experiments.tables import (
    Results,
    gather_results,
    make_tables,
    read_results,
    results_to_markdown,
    to_csv,
    to_latex,
    to_markdown,
)
from edgeorbit.experiments.tables.special import times_legend
from made_results import HOSTILE, write_results


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    return write_results(tmp_path_factory.mktemp("made"), seeds=9)


@pytest.fixture(scope="module")
def results(path) -> Results:
    return read_results(path)


def made(values: dict[str, list[float]], **more) -> Results:
    """Results of models on one graph."""
    rows = [
        {"key": f"{model}{seed}", "data": "g", "features": "constant", "model": model, "base": model, "seed": seed}
        | {"negatives": "random", "test_auc": value}
        for model, found in values.items()
        for seed, value in enumerate(found)
    ]
    return Results("Title", rows, tuple(values), **more)


def test_heart_results_of_version_0_1_without_own_features_are_withdrawn(tmp_path) -> None:
    common = {"data": "g", "model": "gcn", "test_auc": 0.5, "settings_digest": "a"}
    rows = [
        common
        | {"key": f"{features}{protocol}{kind}", "seed": number}
        | extra
        | {"features": features, "negatives": kind}
        for number, (features, kind, protocol) in enumerate(
            [
                ("constant", "heart", ""),
                ("original", "heart", ""),
                ("constant", "random", ""),
                ("constant", "heart", "{}"),
            ]
        )
        for extra in [{"negatives_protocol": protocol} if protocol else {}]
    ]
    Store(tmp_path / "made.parquet").add(rows)
    results = read_results(tmp_path / "made.parquet")
    assert [row["seed"] for row in results.rows] == [1, 2, 3]
    assert results.withdrawn == 1
    page = results_to_markdown(results, "command")
    assert "Withdrawn: 1 results against HeaRT's negatives" in page
    assert "In 2 of 3 rows, validation negatives avoid test links, too" in page


def test_cells_are_mean_and_deviation_of_the_rows(results) -> None:
    table = next(one for one in make_tables(results) if (one.metric, one.negatives) == ("mrr", "orbit"))
    for (model, graph), cell in table.cells.items():
        found = [
            100 * row["test_mrr"]
            for row in results.rows
            if (row["model"], row["data"], row["negatives"], row["features"]) == (model, graph, "orbit", table.features)
        ]
        assert (cell.mean, cell.deviation, cell.number) == pytest.approx((np.mean(found), np.std(found, ddof=1), 9))


def test_models_with_less_than_half_of_the_seeds_are_not_ranked() -> None:
    found = made({"a": [0.5] * 4, "b": [0.6] * 2, "c": [0.9]})
    found.rows.extend([row | {"data": "h", "key": row["key"] + "h"} for row in found.rows])
    (table,) = make_tables(found)
    assert table.ranking.ranks == {"a": 2.0, "b": 1.0} and table.cells["c", "g"].mean == 90
    assert (
        "of the 2 models that have all of them, with at least half of the seeds; by means over the 2 seeds"
        in table.notes[-1]
    )


def test_there_is_a_table_for_every_metric_negatives_and_features(results) -> None:
    found = {(table.metric, table.negatives, table.features) for table in make_tables(results)}
    assert len(found) == 3 * 2 * 2 == len(make_tables(results))


def test_marks_agree_with_scipys_test_and_holms_correction_by_hand(results) -> None:
    rows = {(r["model"], r["seed"]): r["test_auc"] for r in results.rows if r["data"] == "Citeseer" and r["features"] == "original" and r["negatives"] == "random"}  # fmt: skip
    table = next(
        t for t in make_tables(results) if (t.metric, t.negatives, t.features) == ("auc", "random", "original")
    )
    best = max(results.order, key=lambda m: np.mean([rows[m, s] for s in range(9)]))
    raw = {
        m: stats.wilcoxon([rows[best, s] - rows[m, s] for s in range(9)], method="exact").pvalue
        for m in results.order
        if m != best
    }
    running = 0.0
    for place, model in enumerate(sorted(raw, key=raw.__getitem__)):
        running = max(running, min(1.0, (len(raw) - place) * raw[model]))
        cell = table.cells[model, "Citeseer"]
        assert cell.p == pytest.approx(running)
        assert cell.mark == ("worse" if running <= 0.05 else "not worse")
    assert table.cells[best, "Citeseer"].mark == "best"


def test_too_few_seeds_mark_nobody_as_worse_and_say_so() -> None:
    few = make_tables(made({"a": [0.9, 0.91, 0.92], "b": [0.1, 0.11, 0.12], "c": [0.905, 0.9, 0.9]}))[0]
    assert [few.cells[model, "g"].mark for model in "abc"] == ["best", "", "near"]
    assert any("too few" in note and "smallest p 0.5" in note for note in few.notes)
    six = {"a": list(np.linspace(0.8, 0.9, 6)), "b": list(np.linspace(0.1, 0.3, 6))}
    assert make_tables(made(six))[0].cells["b", "g"].mark == "worse"
    assert not any("too few" in note for note in make_tables(made(six))[0].notes)


def test_a_model_with_fewer_seeds_is_marked_by_those_that_it_shares_with_the_best() -> None:
    best = [0.9, 0.92, 0.9, 0.92, 0.9, 0.92, 0.5, 0.5]  # the last two splits are hard
    found = made({"best": best, "ahead": [0.95, 0.96], "near": [0.89, 0.91], "off": [0.64, 0.66], "rest": [0.1] * 8})
    (table,) = make_tables(found)
    assert {name: table.cells[name, "g"].mark for name in found.order} == {
        "best": "best",
        "ahead": "ahead",
        "near": "near",
        "off": "",  # though within one deviation of the best mean over all seeds
        "rest": "worse",
    }
    page = results_to_markdown(found, "c")
    assert "| ahead | ↑ 95.50 ± 0.71 (2) |" in page and "↑ marks it if its mean is higher there" in page
    assert r"ahead & $\uparrow$ 95.50" in to_latex([found])


def test_marks_of_real_results_hold_on_the_seeds_in_common() -> None:
    results = read_results(Path(__file__).parents[2] / "experiments" / "real.toml")
    frame = [row for row in results.rows if not row.get("failed")]
    for table in make_tables(results):
        values: dict[tuple[str, str], dict[int, float]] = {}
        for row in frame:
            value = row.get(f"test_{table.metric}")
            if (row["negatives"], row["features"]) == (table.negatives, table.features) and value is not None:
                values.setdefault((row["data"], row["model"]), {})[row["seed"]] = value
        for column in table.columns:
            models = [name for name in table.models if (name, column.graph) in table.cells]
            marks = {name: table.cells[name, column.graph].mark for name in models}
            best = next(name for name in models if marks[name] == "best")
            assert len(values[column.graph, best]) == max(len(values[column.graph, name]) for name in models)
            for name in models:
                both = values[column.graph, best].keys() & values[column.graph, name].keys()
                above = np.mean([values[column.graph, name][s] - values[column.graph, best][s] for s in both]) > 1e-11
                assert above == (marks[name] == "ahead"), (table.title, column.graph, name)


def test_all_that_have_the_best_mean_are_marked_as_best_whatever_the_order_of_their_seeds() -> None:
    found = {
        "a": [0.1, 0.2, 0.3],
        "b": [0.3, 0.2, 0.1],
        "c": [0.2] * 3,
        "less": [0.2, 0.2, 0.1999],
    }
    (table,) = make_tables(made(found))
    assert [table.cells[name, "g"].mark for name in found] == ["best", "best", "best", "near"]
    page = results_to_markdown(made({"a": [1.0, 1.0], "b": [1.0, 1.0], "c": [0.5, 0.5]}), "c")
    assert page.count("**100.00 ± 0.00**") == 2


def test_a_model_alone_is_not_marked_and_its_seeds_are_not_too_few() -> None:
    (table,) = make_tables(made({"a": [0.7, 0.8]}))
    assert table.cells["a", "g"].mark == "" and table.notes == []


def test_seeds_that_suffice_for_one_comparison_are_too_few_for_many() -> None:
    six = {name: list(np.linspace(low, low + 0.1, 6)) for name, low in (("a", 0.8), ("b", 0.78), ("c", 0.1))}
    table = make_tables(made(six))[0]
    assert [table.cells[name, "g"].mark for name in "abc"] == ["best", "near", ""]
    assert any("smallest p 0.062" in note for note in table.notes)


def test_runs_on_other_splits_are_not_paired() -> None:
    results = made({"a": list(np.linspace(0.8, 0.9, 7)), "b": list(np.linspace(0.1, 0.3, 7))})
    for row in results.rows:
        row["split_digest"] = f"{row['seed']}{row['model'] if row['seed'] < 3 else ''}"
    assert make_tables(results)[0].cells["b", "g"].pairs == 4


def test_one_split_for_all_seeds_is_said() -> None:
    results = made({"a": [0.8, 0.9], "b": [0.7, 0.6]})
    for row in results.rows:
        row["split_digest"] = "fixed"
    assert any("share one split" in note for note in make_tables(results)[0].notes)


def test_published_figures_stand_beside_the_graph_that_they_are_of(results) -> None:
    page = results_to_markdown(results, "command")
    table = page.split("## AUC, random negatives, original features")[1].split("\n## ")[0]
    gcn = next(line for line in table.splitlines() if line.startswith("| gcn |"))
    cell = next(t for t in make_tables(results) if t.metric == "auc").cells["gcn", "Citeseer"]
    assert f"| 70.00 ± 2.00 | {cell.mean - 70:+.2f} |" in gcn
    other = next(t for t in make_tables(results) if t.metric == "auc").cells["eo-gnn", "Citeseer"]
    assert f"| 91.50 | {other.mean - 91.5:+.2f} |" in table  # also where it has no deviation
    assert "| published | ours - published |" in table and "ours - published is in percentage points" in page
    assert "91.50" in table and "Published figures: one run of others" in page
    assert "published |" not in page.split("## MRR, random negatives, original features")[1].split("\n## ")[0]


@pytest.mark.parametrize(
    ("rounds", "head"),
    [
        ({"g": 2, "h": 2}, "EAR@2"),
        ({"g": 2, "h": 3}, "EAR after the rounds of orbit negatives"),
        ({}, "EAR after the rounds of orbit negatives"),
        ({"g": None, "h": None}, None),  # stable colours: it would be the EAR of the training graph again
    ],
)
def test_ear_after_the_rounds_of_orbit_negatives_is_told_where_there_are_any(rounds, head) -> None:
    planned = [Cell(graph, {}, "constant", "gcn", 0, ("orbit",), orbit_rounds=rounds[graph]) for graph in rounds]
    found = made({"a": [0.5]}, cells=tuple(planned))
    facts = {"train_ear": 0.1, "colour_ear": 0.2}
    found.rows[:] = [found.rows[0] | facts | {"data": graph, "negatives": "orbit"} for graph in "gh"]
    expected = ["graph, mean over seeds", "EAR of the training graph", *([head] if head else [])]
    assert "| " + " | ".join(expected) + " |" in results_to_markdown(found, "c")
    found.rows[:] = [row | {"negatives": "random"} for row in found.rows]
    assert "| graph, mean over seeds | EAR of the training graph |\n" in results_to_markdown(found, "c")


def test_a_graph_without_features_stands_under_those_that_it_was_given(tmp_path) -> None:
    (tmp_path / "e.toml").write_text('models = ["cn"]\nseeds = 1\n[[data]]\nsource = "karate"\n')
    experiment = read_experiment(tmp_path / "e.toml")
    (cell,) = experiment.cells
    assert cell.features == "original"
    Store(tmp_path / "e.parquet").add(run_cell(cell))
    for path in (tmp_path / "e.toml", tmp_path / "e.parquet"):
        titles = [table.title for table in make_tables(read_results(path))]
        assert titles and all(title.endswith("identity features") for title in titles)


def test_versions_of_the_code_and_failures_are_told(results) -> None:
    page = results_to_markdown(results, "command")
    assert "2 versions of the code" in page
    failed = made({"a": [0.5]})
    failed.rows.append(failed.rows[0] | {"seed": 1, "failed": "out of\nmemory", "test_auc": None})
    assert "- a on g, constant features: out of memory" in results_to_markdown(failed, "c")
    assert "versions of the code" not in results_to_markdown(failed, "c")


def test_remarks_of_an_experiment_stand_with_its_tables(results) -> None:
    assert r"Remarks: gin saw \<i\>few\</i\> links" in results_to_markdown(results, "command")
    assert r"gin saw \textless{}i\textgreater{}few" in to_latex([results])
    assert "Remarks" not in results_to_markdown(made({"a": [0.5]}), "command")


def test_markdown_says_by_what_it_was_written_and_every_line_of_a_table_has_as_many_cells(path, results) -> None:
    page = to_markdown(read_experiment(path), Store(path.with_suffix(".parquet")).rows, "make it")
    assert "`make it`" in page and HOSTILE not in page and r"\<script\>" in page
    for block in re.findall(r"(?:^\|.*\n)+", page, flags=re.M):
        assert len({len(re.findall(r"(?<!\\)\|", line)) for line in block.splitlines()}) == 1
    best = [line for line in page.splitlines() if "**" in line]
    assert best and "± " in best[0]


def test_csv_has_every_number_unrounded(results) -> None:
    lines = list(csv.DictReader(io.StringIO(to_csv([results]))))
    tables = make_tables(results)
    assert len(lines) == sum(len(table.cells) for table in tables)
    for line in lines:
        table = next(
            t
            for t in tables
            if (t.metric, t.negatives, t.features) == (line["metric"], line["negatives"], line["features"])
        )
        cell = table.cells[line["model"], line["graph"]]
        assert (float(line["mean"]), float(line["deviation"])) == (cell.mean, cell.deviation)
        assert (float(line["p_holm"]) if line["p_holm"] else None) == cell.p
    assert {line["published_mean"] for line in lines} == {"", "70.0", "91.5"}


def test_latex_is_escaped_balanced_and_has_rules(results) -> None:
    text = to_latex([results])
    assert text.count(r"\begin{table}") == text.count(r"\end{table}") == text.count(r"\caption{") >= 12
    assert text.count("(continued)") == text.count(r"\begin{table}") - 12
    rules = {text.count(rule) for rule in (r"\begin{table}", r"\toprule", r"\midrule", r"\bottomrule")}
    assert len(rules) == 1
    assert r"\textless{}script\textgreater{}" in text and "<" not in text.replace("% Made up & <b>bold</b>", "")
    assert r"\textbf{" in text and "±" not in text
    for body in re.findall(r"\\midrule\n(.*?)\\bottomrule", text, flags=re.S):
        assert len({len(re.findall(r"(?<!\\)&", line)) for line in body.splitlines()}) == 1


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="no pdflatex on this machine")
def test_latex_compiles(results, tmp_path) -> None:
    (tmp_path / "t.tex").write_text(
        "\\documentclass{article}\\usepackage[T1]{fontenc}\\usepackage{booktabs,graphicx}\\begin{document}"
        + to_latex([results])
        + "\\end{document}"
    )
    subprocess.run(["pdflatex", "-interaction=batchmode", "-halt-on-error", "t.tex"], cwd=tmp_path, check=True)


def test_results_without_their_file_are_named_by_the_rows(path, tmp_path) -> None:
    rows = [row for row in Store(path.with_suffix(".parquet")).rows if row["model"] in {"gcn", "cn"}]
    Store(tmp_path / "alone.parquet").add(rows)
    alone = read_results(tmp_path / "alone.parquet")
    assert alone.title == "alone" and alone.order == ("cn", "gcn")
    assert [t.title for t in make_tables(alone)] == [t.title for t in make_tables(read_results(path))]


def test_variants_without_their_file_cannot_be_told_apart_unless_rows_say(path, tmp_path) -> None:
    rows = Store(path.with_suffix(".parquet")).rows
    Store(tmp_path / "a.parquet").add(rows)
    with pytest.raises(InvalidParameterError, match=r"put its experiment file a\.toml beside it"):
        read_results(tmp_path / "a.parquet")
    labels = read_experiment(path).labels
    Store(tmp_path / "b.parquet").add([row | {"settings_digest": f"{labels[row['key']]:>9}"[-9:]} for row in rows])
    assert len(read_results(tmp_path / "b.parquet").order) == len(read_results(path).order)


@pytest.mark.parametrize("name", ["nothing.toml", "nothing.parquet", "nothing"])
def test_a_file_that_is_not_there_is_named(tmp_path, name: str) -> None:
    with pytest.raises(InvalidParameterError, match="there is no such file"):
        read_results(tmp_path / name)


def test_an_experiment_that_was_not_run_says_what_to_run(path, tmp_path) -> None:
    shutil.copy(path, tmp_path / "e.toml")
    with pytest.raises(InvalidParameterError, match=r"run edgeorbit bench .*e\.toml first"):
        read_results(tmp_path / "e.toml")
    pyarrow.parquet.write_table(pa.table({"key": pa.array([], pa.string())}), tmp_path / "e.parquet")
    with pytest.raises(EdgeorbitError):
        read_results(tmp_path / "e.toml")


def test_published_figures_stand_beside_the_features_that_they_are_for() -> None:
    published = {"g": {"auc": {"random": {"gcn": [70.0, 1.0]}}}}
    for features, expected in ((None, True), (("constant",), True), (("original",), False)):
        (table,) = make_tables(made({"gcn": [0.6, 0.7]}, published=published, published_features=features))
        assert table.columns[0].has_published == expected
        assert bool(table.cells["gcn", "g"].published) == expected


def test_graphs_stand_in_the_order_of_the_file_whichever_was_run_first(path) -> None:
    experiment, rows = read_experiment(path.with_suffix(".toml")), Store(path.with_suffix(".parquet")).rows
    expected = list(dict.fromkeys(cell.data for cell in experiment.cells))
    assert len(expected) > 1
    for given in (rows, rows[::-1]):
        assert gather_results(experiment, given).names("data") == expected


def test_running_time_is_told_with_what_the_file_gives_and_on_how_many_machines() -> None:
    wide = {"hidden_channels": 64}
    cells = [
        Cell("Cora", {}, "original", model, 0, ("random",), None, wide, {"epochs": 20}) for model in ("gcn", "ncn")
    ]
    cells.append(Cell("Cora", {}, "original", "seal", 0, ("random",), None, {"hidden_channels": 32}, {"epochs": 20}))
    cells.append(Cell("Cora", {}, "original", "cn", 0, ("random",), None, {}, {"epochs": 99}))  # is not trained
    found = made({"gcn": [0.5, 0.5], "seal": [0.6]}, kind="time", cells=tuple(cells))
    assert times_legend(found).endswith("Settings of the file: epochs 20; hidden channels 64, for seal 32.")
    found.rows[:] = [row | {"seconds": 1.0, "host": "a"} for row in found.rows]
    assert times_legend(found).endswith("for seal 32. All runs are of one machine.")
    assert "All runs are of one machine." in results_to_markdown(found, "c") and "of one machine" in to_latex([found])
    found.rows[0]["host"] = "b"
    assert times_legend(found).endswith("Runs are of 2 machines.")


def test_running_time_is_in_the_tables_of_an_experiment_about_it() -> None:
    rows = [
        {"data": graph, "features": "original", "negatives": "random", "model": model, "seed": seed}
        | {"seconds": seconds, "test_auc": 0.9}
        for graph in ("Cora", "N_S")
        for model, all_seconds in {"gcn": (30.0, 2.0, 4.0), "ncn": (8.0,), "eo-gnn": (5.0, 6.0, 7.0)}.items()
        for seed, seconds in enumerate(all_seconds)
    ]
    results = Results("Time", rows, ("gcn", "ncn", "eo-gnn"), kind="time")
    page, paper = results_to_markdown(results, "a command"), to_latex([results])
    assert "| model | Cora (3) | / gcn | N\\_S (3) | / gcn |" in page
    assert "| ncn | 8.0 (1) | 2.0 x | 8.0 (1) | 2.0 x |" in page and "| eo-gnn | 6.0 | 1.5 x | 6.0 | 1.5 x |" in page
    assert r"ncn & 8.0 (1) & 2.0 x & 8.0 (1) & 2.0 x \\" in paper
    others = Results("Others", rows, results.order)
    assert "/ gcn" not in results_to_markdown(others, "a command") + to_latex([others])
