"""Families of graphs are those of networkx."""

import networkx as nx
import pytest

from edgeorbit import to_networkx
from edgeorbit.errors import InvalidParameterError
from edgeorbit.graph import families


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (families.path(1), nx.path_graph(1)),
        (families.path(9), nx.path_graph(9)),
        (families.cycle(3), nx.cycle_graph(3)),
        (families.cycle(1000), nx.cycle_graph(1000)),
        (families.prism(3), nx.circular_ladder_graph(3)),
        (families.prism(7), nx.circular_ladder_graph(7)),
        (families.grid(30, 40), nx.convert_node_labels_to_integers(nx.grid_2d_graph(30, 40))),
        (families.grid(1, 1), nx.empty_graph(1)),
        (families.tree(3, 4), nx.balanced_tree(3, 4)),
        (families.tree(1, 6), nx.path_graph(7)),
        (families.tree(2, 0), nx.empty_graph(1)),
    ],
)
def test_families_are_those_of_networkx_node_by_node(ours, theirs) -> None:
    assert to_networkx(ours).adj == nx.Graph(theirs).adj


@pytest.mark.parametrize("rows", [1, 2, 3, 6])
@pytest.mark.parametrize("columns", [1, 2, 5, 8])
def test_triangular_lattices_are_those_of_networkx(rows: int, columns: int) -> None:
    theirs = nx.triangular_lattice_graph(rows, columns)
    line_by_line = {node: i for i, node in enumerate(sorted(theirs, key=lambda node: (node[1], node[0])))}
    expected = nx.Graph(list(nx.relabel_nodes(theirs, line_by_line).edges))
    assert to_networkx(families.triangular_lattice(rows, columns)).adj == expected.adj


def test_the_triangular_lattice_of_the_paper_has_its_size() -> None:
    lattice = families.triangular_lattice(50, 80)
    assert (lattice.num_nodes, lattice.num_edges) == (2091, 6090)


@pytest.mark.parametrize(
    ("build", "sentence"),
    [
        (lambda: families.cycle(2), "nodes of a cycle must be at least 3, not 2"),
        (lambda: families.path(0), "nodes of a path must be at least 1, not 0"),
        (lambda: families.grid(0, 3), "rows of a grid must be at least 1, not 0"),
        (lambda: families.prism(2), "sides of a prism must be at least 3, not 2"),
        (lambda: families.triangular_lattice(3, 0), "columns of a triangular lattice must be at least 1, not 0"),
        (lambda: families.tree(0, 3), "branching of a tree must be at least 1, not 0"),
    ],
)
def test_sizes_that_make_no_graph_are_refused(build, sentence: str) -> None:
    with pytest.raises(InvalidParameterError, match=sentence):
        build()
