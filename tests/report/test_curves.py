"""EAR by round, and orbit sizes."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.figure import Figure

from edgeorbit import Graph
from edgeorbit.graph.families import path
from edgeorbit.graph.toys import karate
from edgeorbit.report import colour_graph, plot_ear_by_round, plot_orbit_sizes
from oracles import graphs, naive_orbit_sizes, naive_rounds


def texts(axes) -> str:
    return " ".join(text.get_text() for text in axes.texts)


@settings(max_examples=20)
@given(graphs(max_nodes=15))
def test_the_curve_is_ear_after_every_round(graph) -> None:
    axes = Figure().subplots()
    plot_ear_by_round(graph, axes)
    if graph.num_edges == 0:
        assert not axes.lines and texts(axes) == "no links"
        return
    expected = [np.mean([size > 1 for size in naive_orbit_sizes(graph, colours)]) for colours in naive_rounds(graph)]
    assert axes.lines[0].get_ydata() == pytest.approx(expected)
    assert list(axes.lines[0].get_xdata()) == list(range(len(expected)))
    assert f"EAR = {expected[-1]:.4f}" in texts(axes)


def test_the_round_that_was_asked_for_is_marked_on_the_whole_curve() -> None:
    axes = Figure().subplots()
    plot_ear_by_round(karate(), axes, rounds=1)
    assert len(axes.lines[0].get_xdata()) == 3
    (x,), (y,) = axes.lines[-1].get_data()
    assert x == 1 and y == pytest.approx(59 / 78)
    assert texts(axes) == "EAR@1 = 0.7564"


@pytest.mark.parametrize(("rounds", "ear"), [(None, 198 / 199), (90, 1.0)])
def test_a_curve_of_very_many_rounds_is_cut_and_its_end_is_true(rounds, ear) -> None:
    axes = Figure().subplots()
    plot_ear_by_round(path(200), axes, rounds=rounds)
    assert len(axes.lines[0].get_xdata()) == 65 and max(axes.get_xticks()) <= 64
    assert axes.lines[1].get_ydata()[-1] == pytest.approx(198 / 199)
    assert axes.lines[-1].get_ydata()[0] == pytest.approx(ear)
    if rounds is None:
        assert "stable after 99 rounds" in texts(axes)


@settings(max_examples=20)
@given(graphs(max_nodes=20), st.sampled_from([None, 1]))
def test_orbit_sizes_are_those_of_nodes_and_links(graph, rounds) -> None:
    axes = Figure().subplots()
    plot_orbit_sizes(graph, axes, rounds=rounds)
    colours = naive_rounds(graph, rounds)[-1]
    pairs = Counter(frozenset([colours[u], colours[v]]) for u, v in graph.edges.tolist())
    expected = [Counter(Counter(colours).values()), Counter(pairs.values())]
    drawn = [{int(x): int(y) for x, y in line.get_xydata()} for line in axes.lines]
    assert drawn == [dict(one) for one in expected if one]
    assert axes.get_xscale() == axes.get_yscale() == "log"
    for line in axes.lines:
        assert (line.get_xdata() < axes.get_xlim()[1]).all() and (line.get_ydata() < axes.get_ylim()[1]).all()
    assert ("no links" in texts(axes)) == (graph.num_edges == 0)


def test_both_take_a_graph_that_is_coloured_already() -> None:
    coloured = colour_graph(karate(), rounds=1)
    axes = Figure().subplots()
    plot_ear_by_round(coloured, axes, rounds=2)
    assert "EAR@1" in texts(axes)
    axes = Figure().subplots()
    plot_orbit_sizes(coloured, axes)
    assert sum(x * y for x, y in axes.lines[0].get_xydata()) == 34


def test_marks_are_whole_numbers() -> None:
    for graph in (karate(), Graph.empty(5000)):
        axes = Figure().subplots()
        plot_orbit_sizes(graph, axes)
        axes.figure.draw_without_rendering()
        labels = [label.get_text().replace(",", "") for label in axes.get_xticklabels()]
        assert labels and all(label.isdigit() for label in labels)
