"""Experiments that measure graphs: planned, run, kept and shown like all others."""

import csv
import io
import re

import pytest

from edgeorbit.errors import InvalidParameterError
from edgeorbit.experiments.plan import STATISTICS
from edgeorbit.experiments.reading import read_experiment
from edgeorbit.experiments.tables import gather_results, to_csv, to_latex, to_markdown
from edgeorbit.measures.summary import SUMMARY_LABELS

FILE = """
title = "Graphs"
kind = "statistics"
protocol = "counted by hand"

[[data]]
name = "<i>prism"
source = "prism"
stated = { ear = 0.5 }

[[data]]
name = "a path"
generator = "tree"
options = { branching = 1, depth = 7 }
"""


@pytest.fixture(scope="module")
def measured(tmp_path_factory):
    pytest.importorskip("torch")
    from edgeorbit.experiments.cell import run_cell

    path = tmp_path_factory.mktemp("statistics") / "graphs.toml"
    path.write_text(FILE)
    experiment = read_experiment(path, thorough=True)
    return experiment, [row for cell in experiment.cells for row in run_cell(cell)]


def test_every_graph_is_one_cell_without_a_model(measured) -> None:
    experiment, rows = measured
    assert [str(cell) for cell in experiment.cells] == ["statistics of <i>prism", "statistics of a path"]
    assert [row["key"] for row in rows] == [cell.key for cell in experiment.cells]
    assert {row["model"] for row in rows} == {STATISTICS}


def test_what_is_measured_is_what_the_definitions_say(measured) -> None:
    prism, path = measured[1]
    assert set(SUMMARY_LABELS) <= set(prism)
    assert (prism["num_nodes"], prism["num_edges"], prism["triangles"], prism["ear"]) == (6, 9, 2, 1.0)
    assert (path["num_nodes"], path["ear"], path["num_node_orbits"]) == (8, pytest.approx(6 / 7), 4)
    assert path["ear_ordered"] == 1.0  # the edge in the middle joins the two members of a class
    assert path["ear@5"] == path["ear"] and path["ear@1"] == 1.0


def test_all_formats_show_the_same_numbers_and_what_others_state(measured) -> None:
    experiment, rows = measured
    results = gather_results(experiment, rows)
    page = to_markdown(experiment, rows, "a command")
    assert "| EAR | 1.0000 | 0.8571 |" in page and "| EAR, as published | 0.5000 |  |" in page
    assert "counted by hand" in page and "\\<i\\>prism" in page
    latex = to_latex([results])
    assert r"EAR, as published & 0.5000 &  \\" in latex and latex.count(r"\toprule") == 1
    lines = list(csv.DictReader(io.StringIO(to_csv([results]))))
    (ear,) = [line for line in lines if (line["metric"], line["graph"]) == ("ear", "a path")]
    assert float(ear["mean"]) == rows[1]["ear"] and ear["published_mean"] == ""


def test_the_page_escapes_names_and_leaves_its_script_nothing_to_miss(measured) -> None:
    from edgeorbit.report.results import results_page

    page = results_page([gather_results(*measured)], gallery=False)
    assert "&lt;i&gt;prism" in page and "<i>prism" not in page
    # The script looks for a form of filters in every section of this class.
    assert len(re.findall('class="experiment"', page)) == len(re.findall('class="filters"', page)) == 0


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ('models = ["gcn"]\n[[data]]', "line 6, models: .*graphs alone"),
        ("[[data]]\nstated = { size = 1.0 }", "line 7, .*'size' is unknown"),
    ],
)
def test_what_makes_no_sense_for_graphs_alone_is_refused_with_its_line(change, said, tmp_path) -> None:
    path = tmp_path / "graphs.toml"
    path.write_text(FILE.replace("[[data]]", change, 1).replace("stated = { ear = 0.5 }\n", "", 1))
    with pytest.raises(InvalidParameterError, match=said):
        read_experiment(path)
