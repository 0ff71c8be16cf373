"""The drawn network: which links and nodes, in which colours, and what is written around them."""

import warnings
from collections import Counter
from io import BytesIO

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

from edgeorbit import Graph
from edgeorbit.errors import InvalidParameterError
from edgeorbit.graph.families import cycle, path
from edgeorbit.graph.toys import karate
from edgeorbit.report import draw_orbits
from edgeorbit.report.drawing import MOST_NODES
from edgeorbit.report.style import ALONE, BEYOND_PALETTE, DISTINGUISHABLE, INDISTINGUISHABLE, ORBITS
from oracles import graphs, naive_orbit_sizes, naive_rounds, tree_edges


def drawn_links(axes, drawing) -> dict[tuple[int, int], str]:
    """The colour of every line on the page, by the nodes whose dots it joins."""
    node_at = {
        tuple(place): node for place, node in zip(drawing.positions.tolist(), drawing.nodes.tolist(), strict=True)
    }
    colours = {}
    for lines in axes.collections[:-1]:
        for start, end in lines.get_segments():
            link = tuple(sorted((node_at[tuple(start.tolist())], node_at[tuple(end.tolist())])))
            colours[link] = to_hex(lines.get_color()[0])
    return colours


def drawn_nodes(axes, drawing) -> dict[int, str]:
    dots = axes.collections[-1]
    assert np.array_equal(dots.get_offsets(), drawing.positions)
    return {node: to_hex(fill) for node, fill in zip(drawing.nodes.tolist(), dots.get_facecolor(), strict=True)}


@settings(max_examples=30)
@given(graphs(max_nodes=25), st.sampled_from([None, 0, 1, 2]), st.sampled_from([8, 500]))
def test_links_and_nodes_have_the_colours_of_their_orbits_in_the_whole_graph(graph, rounds, max_nodes) -> None:
    axes = Figure().subplots()
    drawing = draw_orbits(graph, axes, rounds=rounds, max_nodes=max_nodes, title=False, legend=False)
    colours = naive_rounds(graph, rounds)[-1]
    shown = set(drawing.nodes.tolist())
    assert len(shown) <= max_nodes
    expected = {
        (u, v): INDISTINGUISHABLE if size > 1 else DISTINGUISHABLE
        for (u, v), size in zip(graph.edges.tolist(), naive_orbit_sizes(graph, colours), strict=True)
        if u in shown and v in shown
    }
    assert drawn_links(axes, drawing) == expected
    sizes = Counter(colours)
    fills = drawn_nodes(axes, drawing)
    assert all((fills[node] == ALONE) == (sizes[colours[node]] == 1) for node in shown)
    fill_of = {(colours[node], fill) for node, fill in fills.items() if fill != ALONE}
    assert len(fill_of) == len({colour for colour, _ in fill_of})
    in_palette = [fill for _, fill in fill_of if fill != BEYOND_PALETTE]
    assert len(set(in_palette)) == len(in_palette) == min(len(fill_of), len(ORBITS))


def test_the_largest_orbits_get_the_first_colours_and_the_rest_one_neutral_shade() -> None:
    graph = path(60)  # 30 orbits of two nodes
    drawing = draw_orbits(graph, Figure().subplots())
    assert Counter(drawing.fills)[BEYOND_PALETTE] == 60 - 2 * len(ORBITS)
    star_and_path = Graph.from_edges([(0, leaf) for leaf in range(1, 9)] + [(20, 21), (21, 22)], num_nodes=23)
    drawing = draw_orbits(star_and_path, Figure().subplots())
    fill = dict(zip(drawing.nodes.tolist(), drawing.fills, strict=True))
    assert fill[15] == ORBITS[0]  # eleven isolated nodes
    assert fill[1] == ORBITS[1] and fill[20] == ORBITS[2] and fill[0] == ALONE


def test_the_legend_counts_the_whole_graph() -> None:
    graph = Graph.from_edges(tree_edges(900, seed=1))
    axes = Figure().subplots()
    drawing = draw_orbits(graph, axes, max_nodes=60)
    legend = axes.get_legend()
    labels = [text.get_text() for text in legend.get_texts() if text.get_text()]
    numbers = [int(label.split()[0].replace(",", "")) for label in labels]
    assert sum(number for number, label in zip(numbers, labels, strict=True) if "link" in label) == 899
    assert sum(number for number, label in zip(numbers, labels, strict=True) if "node" in label) == 900
    sizes = naive_orbit_sizes(graph, naive_rounds(graph)[-1])
    alike = sum(size > 1 for size in sizes)
    assert f"{alike} indistinguishable links" in labels
    assert legend.get_title().get_text().startswith(f"EAR = {alike / 899:.4f} (stable after")
    written = " ".join(text.get_text() for text in axes.texts).replace("\n", " ")
    assert f"Drawn: {drawing.sample}." in written and "900 nodes, 899 links" in written


def test_rounds_are_named_with_ear() -> None:
    axes = Figure().subplots()
    draw_orbits(karate(), axes, rounds=1)
    assert axes.get_legend().get_title().get_text() == "EAR@1 = 0.7564"


@pytest.mark.parametrize("name", ["a$b$", "x_{", "$\\frac{$", "%\\begin", "日本語", "tab\tand\nline", "", "é" * 200])
def test_names_are_written_literally_and_break_nothing(name) -> None:
    figure = Figure(dpi=40)
    axes = figure.subplots()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        draw_orbits(path(3).with_attributes(name=name), axes, legend=False)
        figure.savefig(BytesIO(), format="png")
    title = axes.get_title()
    assert len(title) <= 44 and "\n" not in title
    if name.isascii() and name.isprintable():
        assert title == name and not axes.title.get_parse_math()


def test_a_graph_without_links_is_drawn() -> None:
    axes = Figure().subplots()
    drawing = draw_orbits(Graph.empty(5), axes)
    assert len(drawing.nodes) == 5 and len(drawing.edges) == 0
    assert axes.get_legend().get_title().get_text() == "EAR = 0.0000 (no links)"


def test_given_positions_are_kept() -> None:
    places = np.random.default_rng(1).normal(size=(34, 2))
    assert np.array_equal(draw_orbits(karate(), Figure().subplots(), positions=places).positions, places)
    with pytest.raises(InvalidParameterError, match="one pair for each of the 34 nodes"):
        draw_orbits(karate(), Figure().subplots(), positions=places[:5])


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"max_nodes": 1}, "at least 2"),
        ({"max_nodes": MOST_NODES + 1}, "at most 2,000"),
        ({"seed": -1}, "a seed is a whole number from 0"),
        ({"rounds": -1}, "rounds"),
    ],
)
def test_parameters_out_of_range_are_refused(arguments, sentence) -> None:
    with pytest.raises(InvalidParameterError, match=sentence):
        draw_orbits(cycle(8), Figure().subplots(), **arguments)


def test_a_graph_without_nodes_is_refused() -> None:
    with pytest.raises(InvalidParameterError, match="has no nodes"):
        draw_orbits(Graph.empty(0), Figure().subplots())
