"""The paper's gallery."""

import sys

import numpy as np
import pytest

from edgeorbit import Graph, ear, edge_orbits, refine
from edgeorbit.errors import InvalidParameterError
from edgeorbit.graph.families import cycle, grid, prism, tree, triangular_lattice
from edgeorbit.graph.toys import lobster
from edgeorbit.report._gallery_families import FAMILIES, place_grid, place_prism, place_tree, place_triangular_lattice
from edgeorbit.report.gallery import draw_family, draw_gallery

FRESH = {
    "square-grids": [ear(grid(4, 4)), ear(grid(5, 5)), ear(grid(4, 5))],
    "triangular-lattices": [
        ear(triangular_lattice(4, 7)),
        ear(triangular_lattice(6, 9)),
        ear(triangular_lattice(6, 7)),
    ],
    "lobster": [ear(lobster())],
    "cycle": [1.0, 6 / 7, 1.0, 0.0],
}


@pytest.mark.parametrize("name", FRESH)
def test_panels_are_titled_with_the_ear_that_the_library_measures(name) -> None:
    figure, results = draw_family(name)
    assert [result.ear for result in results[name]] == pytest.approx(FRESH[name])
    for axes, value in zip(figure.axes, FRESH[name], strict=True):
        assert any(f" = {value:.4f} (" in text.get_text() for text in axes.texts)


def test_trees_have_the_ear_of_the_papers_trees() -> None:
    balanced, small, large = draw_family("trees").results["trees"]
    assert balanced.ear == ear(tree(2, 4)) == 1
    assert (small.num_nodes, small.ear) == (10, pytest.approx(2 / 9))
    assert (large.num_nodes, round(large.ear, 2)) == (100, 0.53)


def test_dropping_a_node_keeps_ear_and_tells_nodes_apart() -> None:
    whole, edge, node, both = next(family for family in FAMILIES if family.name == "cycle").build()
    colours = [refine(panel.graph, panel.rounds, panel.initial).num_colours for panel in (whole, edge, node, both)]
    assert colours[0] == 1 < colours[1] and colours[2] > 1 and colours[3] == 8
    assert edge.graph.num_edges == both.graph.num_edges == 7 and node.graph.num_edges == 8
    # A network that does not know degrees needs a layer more to see the middle of the path.
    assert ear(edge.graph, rounds=2) == 1 and ear(edge.graph, rounds=3) == pytest.approx(6 / 7)
    assert whole.graph.edges.tolist() == cycle(8).edges.tolist()


def test_refinement_sees_one_orbit_of_the_prisms_links_and_the_group_two() -> None:
    pytest.importorskip("igraph")
    figure, results = draw_family("prism")
    assert [result.num_edge_orbits for result in results["prism"]] == [1, 2]
    refinement, group = figure.axes
    assert len(refinement.collections) == 2 and len(group.collections) == 3  # lines by colour, and dots
    assert sorted(len(lines.get_segments()) for lines in group.collections[:-1]) == [3, 6]
    assert edge_orbits(prism(), refine(prism())).num_orbits == 1


def test_without_igraph_the_panel_says_so(monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "igraph", None)
    figure, results = draw_family("prism")
    refinement, group = results["prism"]
    assert refinement.ear == 1 and group.ear is None and "igraph" in group.message
    assert any("pip install" in text.get_text() for text in figure.axes[1].texts)


def test_the_page_shows_all_families() -> None:
    figure, results = draw_gallery()
    assert list(results) == [family.name for family in FAMILIES]
    assert len(figure.axes) == sum(map(len, results.values())) == 16
    for name, values in FRESH.items():
        assert [result.ear for result in results[name]] == pytest.approx(values)


def test_an_unknown_family_is_refused() -> None:
    with pytest.raises(InvalidParameterError, match="choose from square-grids"):
        draw_family("grids")


def lengths(graph: Graph, places: np.ndarray) -> np.ndarray:
    return np.hypot(*(places[graph.edges[:, 0]] - places[graph.edges[:, 1]]).T)


def test_lattices_lie_on_their_lattice() -> None:
    for rows, columns in [(1, 1), (3, 4), (5, 2)]:
        assert np.allclose(lengths(grid(rows, columns), place_grid(rows, columns)), 1)
    for rows, columns in [(1, 1), (2, 5), (3, 4), (6, 7), (5, 6)]:
        graph = triangular_lattice(rows, columns)
        assert np.allclose(lengths(graph, place_triangular_lattice(rows, columns)), 1)


def test_children_lie_below_their_parent_and_around_it() -> None:
    for branching, depth in [(2, 4), (3, 2), (1, 3), (2, 0)]:
        places = place_tree(branching, depth)
        graph = tree(branching, depth)
        assert places.shape == (graph.num_nodes, 2)
        assert all(places[child, 1] < places[parent, 1] for parent, child in graph.edges.tolist())
        for parent in range(graph.num_nodes):
            children = [child for child in graph.neighbours(parent).tolist() if child > parent]
            assert not children or places[children, 0].mean() == pytest.approx(places[parent, 0])


def test_uprights_of_a_prism_point_to_its_middle() -> None:
    places = place_prism(5)
    assert np.allclose(places[:5] * 0.4, places[5:])
