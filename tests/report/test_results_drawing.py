"""Charts and figures of results: their numbers against the rows, their specifications against the schema."""

import json
from collections import Counter
from dataclasses import replace
from types import SimpleNamespace
from xml.etree import ElementTree

import numpy as np
import pytest
import vl_convert

from edgeorbit.experiments.tables import make_tables, read_results
from edgeorbit.report.results import save_figures
from edgeorbit.report.results.charts import BY_DAY, BY_NIGHT, choose_models
from edgeorbit.report.results.figures import figures
from edgeorbit.report.results.records import (
    ablation_records,
    bound_records,
    curve_records,
    ear_titles,
    time_records,
)
from edgeorbit.report.results.section import chart_rows
from made_results import EARS, HOSTILE, MODELS, write_results


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    return write_results(tmp_path_factory.mktemp("made"), seeds=3)


@pytest.fixture(scope="module")
def results(path):
    return read_results(path)


@pytest.fixture(scope="module")
def tables(results):
    return make_tables(results)


def values(results, metric="auc", **wanted):
    return [100 * r[f"test_{metric}"] for r in results.rows if all(r[key] == to for key, to in wanted.items())]


def test_curves_have_the_mean_and_one_std_at_every_ear(results, tables) -> None:
    curves = curve_records(results, tables)
    assert list(curves) == ["syn-cora"]  # Cora and Citeseer are no family
    own = [r for r in curves["syn-cora"] if (r["model"], r["negatives"], r["metric"]) == ("gcn", "orbit", "auc")]
    assert [record["ear"] for record in own] == list(EARS)
    for record in own:
        found = values(results, model="gcn", negatives="orbit", data=record["graph"])
        assert record["mean"] == pytest.approx(np.mean(found), rel=1e-4)
        assert record["high"] - record["low"] == pytest.approx(2 * np.std(found, ddof=1), abs=2e-2)


def test_the_ear_of_the_colours_is_taken_only_if_all_rows_have_it_and_said(results, tables) -> None:
    for row in results.rows:
        row["colour_ear"] = row["train_ear"] / 2
    assert {r["ear"] for r in curve_records(results, tables)["syn-cora"]} == {ear / 2 for ear in EARS}
    planned = {row["data"]: SimpleNamespace(data=row["data"], orbit_rounds=2) for row in results.rows}
    known = replace(results, cells=tuple(planned.values()))
    assert ear_titles(known) == {"syn-cora": "EAR@2 of the training graph"}
    assert '"EAR@2 of the training graph"' in json.dumps(chart_rows(known, tables, [], [])[0].charts)
    (_, figure), *_ = figures(replace(known, kind="curve"))
    assert '"EAR@2 of the training graph"' in json.dumps(figure)
    assert ear_titles(replace(results, cells=())) == {"syn-cora": "EAR after the rounds of orbit negatives"}
    next(row for row in results.rows if row["data"].startswith("syn"))["colour_ear"] = None
    assert {r["ear"] for r in curve_records(results, tables)["syn-cora"]} == set(EARS)
    assert ear_titles(known) == {"syn-cora": "EAR of the training graph"}
    for row in results.rows:
        del row["colour_ear"]


def test_ablation_is_the_difference_seed_by_seed(results) -> None:
    found = ablation_records(results, ["auc"])
    assert set(found) == {"eo-gnn"} and {r["model"] for r in found["eo-gnn"]} == {"eo-gnn without d1", HOSTILE}
    record = next(
        r for r in found["eo-gnn"] if (r["graph"], r["negatives"], r["features"]) == ("Citeseer", "random", "constant")
    )
    where = {"data": "Citeseer", "negatives": "random", "features": "constant"}
    differences = np.subtract(values(results, model=record["model"], **where), values(results, model="eo-gnn", **where))
    assert record["mean"] == pytest.approx(differences.mean(), rel=1e-3)
    assert record["high"] - record["mean"] == pytest.approx(differences.std(ddof=1), rel=1e-2)


def test_time_is_the_median_over_seeds_and_bounds_are_in_percent(results, tables) -> None:
    record = next(
        r
        for r in time_records(results, tables)
        if (r["model"], r["graph"], r["features"]) == ("cn", "Citeseer", "original")
    )
    kept = {r["seed"]: r["seconds"] for r in results.rows if (r["model"], r["data"], r["features"]) == ("cn", "Citeseer", "original")}  # fmt: skip
    assert record["seconds"] == pytest.approx(np.median(list(kept.values())), rel=1e-4)
    assert {r["mean"] for r in bound_records(results) if r["bound"] == "walks"} == {90.0}
    assert {r["negatives"] for r in bound_records(results)} == {"orbit"}
    assert {r["features"] for r in bound_records(results)} == {"constant"}  # models with features may pass them


def test_ours_and_the_best_stand_out(results, tables) -> None:
    models, picked = choose_models(results, tables)
    assert picked[0] == "eo-gnn" and models[: len(picked)] == picked and len(picked) == 5
    assert HOSTILE in picked and "cn" not in picked and set(models) == set(results.order)


def test_every_chart_fits_the_schema_of_vega_lite(results, tables) -> None:
    import altair as alt

    rows = chart_rows(results, tables, *choose_models(results, tables))
    assert [len(row.charts) for row in rows] == [2, 2, 2]
    for row in rows:
        for kind, spec in row.charts:
            alt.LayerChart.from_dict(spec, validate=True)
            assert spec["description"] and spec["width"] == "container"
            assert ("bounds" in spec["datasets"]) == (kind == "orbit" and row.has_models)
            assert "http" not in json.dumps(spec).replace("https://vega.github.io/schema", "")


def test_what_an_experiment_is_about_says_what_is_drawn(results, tables) -> None:
    for kind, number in (("curve", 1), ("dropout", 2), ("time", 1)):
        assert len(chart_rows(replace(results, kind=kind), tables, *choose_models(results, tables))) == number


def luminance(colour: str) -> float:
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_colours_stand_out_from_the_ground_by_day_and_by_night() -> None:
    for colours, ground in ((BY_DAY, "#ffffff"), (BY_NIGHT, "#1c2026")):
        for colour in colours:
            light, dark = sorted((luminance(colour), luminance(ground)), reverse=True)
            assert (light + 0.05) / (dark + 0.05) >= 3  # what WCAG asks of graphics


def test_figures_are_written_as_png_and_pdf_and_say_what_they_show(results, tmp_path) -> None:
    rows = [
        {key: value for key, value in row.items() if key not in {"test_mrr", "test_hits@20"}} for row in results.rows
    ]
    curve = replace(results, kind="curve", rows=rows)
    written = save_figures([curve, curve], tmp_path)
    assert sorted(path.suffix for path in written) == [".pdf", ".pdf", ".png", ".png"] and len(set(written)) == 4
    assert all(path.stat().st_size > 5000 for path in written)
    again = save_figures([curve], tmp_path)
    assert [path.read_bytes() for path in written[:2]] == [path.read_bytes() for path in again]


def picture_of(spec):
    """Return the elements of a figure as vl-convert draws it."""
    return list(ElementTree.fromstring(vl_convert.vegalite_to_svg(spec)).iter())


def test_a_figure_names_its_models_and_bounds_once_in_a_legend(results, tables) -> None:
    rows = [row for row in results.rows if row["features"] == "constant"]
    picked = choose_models(results, tables)[1]
    assert HOSTILE in picked
    for kind, across in (
        ("curve", "EAR of the training graph"),
        ("time", "training time (seconds, one thread, median)"),
    ):
        (_, spec), *_ = figures(replace(results, kind=kind, rows=rows))
        texts = Counter(element.text for element in picture_of(spec) if element.tag.endswith("text"))
        for name in (*picked, "walks", "components", "bounds on AUC", "random negatives", "orbit negatives"):
            assert texts[name] == 1, (name, texts)
        assert texts["AUC (%)"] == texts["MRR (%)"] == 1 and texts[across] == 2
        assert not texts["common neighbours"] and not texts["cn"]  # a bound without values, a model in grey


def test_a_figure_draws_every_mean(results, tables) -> None:
    rows = [row for row in results.rows if row["features"] == "constant"]
    (_, spec), *_ = figures(replace(results, kind="curve", rows=rows))
    marks = [(element.get("aria-roledescription"), element.get("aria-label")) for element in picture_of(spec)]
    assert sum(mark == "line mark" for mark, _ in marks) == 6 * len(MODELS) + 2  # three metrics, two negatives; bounds
    said = [dict(part.split(": ", 1) for part in label.split("; ")) for mark, label in marks if mark == "point"]
    picked = choose_models(results, tables)[1]
    records = [record for record in curve_records(results, tables)["syn-cora"] if record["model"] in picked]
    across = "EAR of the training graph"  # which only the lowest panels say
    expected = sorted((record["ear"], record["model"], record["mean"]) for record in records)
    found = sorted((float(one.get("ear") or one[across]), one["model"], float(one["mean"])) for one in said)
    assert [one[:2] for one in found] == [one[:2] for one in expected] and len(found) == 6 * len(EARS) * len(picked)
    assert [one[2] for one in found] == pytest.approx([one[2] for one in expected], abs=0.006)


def test_bars_and_times_are_drawn_for_one_graph_each(results) -> None:
    rows = [
        {key: value for key, value in row.items() if key not in {"test_mrr", "test_hits@20"}} for row in results.rows
    ]
    names = [name for name, _ in figures(replace(results, kind="ablation", rows=rows))]
    assert len(names) == 8 and sum("syn-cora-ear" in name for name in names) == len(EARS)  # every graph of a family
