"""Every other format: what is read from files that other programs wrote."""

import gzip
import os
from pathlib import Path

import networkx as nx
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import scipy.io
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st

from edgeorbit.errors import InvalidParameterError
from edgeorbit.graph import Graph
from edgeorbit.graph.reading import FORMATS, read_graph


def named_edges(graph: Graph) -> set[frozenset]:
    return {frozenset(pair) for pair in graph.names(graph.edges).tolist()}


def node_set(graph: Graph) -> set:
    return set(graph.names(np.arange(graph.num_nodes)).tolist())


def same(graph: Graph, other: nx.Graph) -> bool:
    edges = {frozenset(edge) for edge in other.edges if edge[0] != edge[1]}
    return node_set(graph) == set(other.nodes) and named_edges(graph) == edges


def _graph(n: int, pairs: list[tuple[int, int]]) -> nx.Graph:
    graph = nx.empty_graph(n)
    graph.add_edges_from((u % n, v % n) for u, v in pairs if u % n != v % n)
    return graph


graphs = st.builds(
    _graph,
    st.integers(1, 12),
    st.lists(st.tuples(st.integers(0, 99), st.integers(0, 99)), max_size=30),
)


def write_scipy_npz(graph: nx.Graph, path: Path) -> None:
    scipy.sparse.save_npz(path, nx.to_scipy_sparse_array(graph, nodelist=sorted(graph), format="csr"))


def write_mat(graph: nx.Graph, path: Path) -> None:
    scipy.io.savemat(path, {"net": nx.to_scipy_sparse_array(graph, nodelist=sorted(graph), dtype=float)})


def write_mtx(graph: nx.Graph, path: Path) -> None:
    scipy.io.mmwrite(path, nx.to_scipy_sparse_array(graph, nodelist=sorted(graph)))


@pytest.mark.parametrize(
    ("suffix", "write"),
    [
        (".graphml", nx.write_graphml_xml),
        (".gml", nx.write_gml),
        (".npz", write_scipy_npz),
        (".mat", write_mat),
        (".mtx", write_mtx),
    ],
)
@given(graph=graphs)
@settings(max_examples=40, deadline=None)
def test_formats_that_list_their_nodes_keep_the_isolated_ones(tmp_path_factory, suffix, write, graph):
    directory = tmp_path_factory.mktemp("graph")
    path = directory / f"graph{suffix}"
    write(graph, path)
    found = read_graph(path)
    assert same(found, graph)
    assert found.node_names is None
    packed = directory / "packed"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    assert same(read_graph(packed, format=next(key for key in FORMATS if suffix in FORMATS[key].suffixes)), graph)
    # all of these can be told by their content alone
    assert same(read_graph(packed), graph)


# Parquet


def parquet(path: Path, **columns) -> Path:
    pq.write_table(pa.table(columns), path)
    return path


@pytest.mark.parametrize(
    "kind",
    [pa.int8(), pa.int64(), pa.uint64(), pa.string(), pa.large_string(), pa.dictionary(pa.int32(), pa.string())],
)
def test_parquet_columns_of_whole_numbers_and_of_text(tmp_path, kind):
    is_integer = pa.types.is_integer(kind)
    ids = [3, 5, 9] if is_integer else ["3", "5", "x"]
    path = parquet(tmp_path / "e.parquet", a=pa.array([ids[0], ids[1]], kind), b=pa.array([ids[1], ids[2]], kind))
    graph = read_graph(path)
    assert graph.node_names.tolist() == ids
    assert graph.node_names.dtype.kind == ("i" if is_integer else "U")
    assert graph.edges.tolist() == [[0, 1], [1, 2]]


def test_parquet_columns_are_found_by_name_or_chosen(tmp_path):
    path = parquet(tmp_path / "e.parquet", weight=[0.5], **{"Target": [2], "source": [1], "a.b": [7]})
    assert node_set(read_graph(path)) == {1, 2}
    assert node_set(read_graph(path, columns=("a.b", "source"))) == {7, 1}
    assert node_set(read_graph(path, columns=(1, 3))) == {2, 7}
    with pytest.raises(InvalidParameterError, match=r"no column 'w'; the columns are weight, Target, source, a\.b"):
        read_graph(path, columns=("w", "source"))


def test_one_text_column_makes_all_parquet_ids_text(tmp_path):
    assert node_set(read_graph(parquet(tmp_path / "e.parquet", u=[1, 2], v=["a", "1"]))) == {"1", "2", "a"}


def test_a_parquet_file_of_many_row_groups_equals_its_array(tmp_path):
    pairs = np.random.default_rng(3).integers(0, 10**12, (300_000, 2))
    path = tmp_path / "e.parquet"
    pq.write_table(pa.table({"u": pairs[:, 0], "v": pairs[:, 1]}), path, row_group_size=50_000)
    seen = []
    graph = read_graph(path, progress=lambda done, total: seen.append(done))
    names, numbers = np.unique(pairs, return_inverse=True)
    expected = Graph.from_edges(numbers.reshape(-1, 2), len(names))
    assert np.array_equal(graph.node_names, names)
    assert np.array_equal(graph.indices, expected.indices)
    assert seen[-1] == path.stat().st_size


# npy and npz


@pytest.mark.parametrize("dtype", [np.int8, np.uint16, np.int32, np.int64, np.uint64, ">i4"])
@pytest.mark.parametrize("transposed", [False, True])
@pytest.mark.parametrize("order", ["C", "F"])
def test_npy_arrays_of_either_shape(tmp_path, dtype, transposed, order):
    pairs = np.array([[0, 1], [1, 2], [5, 0]], dtype)
    np.save(tmp_path / "e.npy", np.array(pairs.T if transposed else pairs, order=order))
    graph = read_graph(tmp_path / "e.npy")
    assert graph.node_names.tolist() == [0, 1, 2, 5]
    assert graph.edges.tolist() == [[0, 1], [0, 3], [1, 2]]


def test_two_by_two_is_a_list_of_pairs_unless_it_is_called_edge_index(tmp_path):
    square = np.array([[0, 1], [2, 3]])
    np.save(tmp_path / "e.npy", square)
    np.savez(tmp_path / "pairs.npz", edges=square)
    np.savez(tmp_path / "index.npz", edge_index=square)
    assert read_graph(tmp_path / "e.npy").edges.tolist() == [[0, 1], [2, 3]]
    assert read_graph(tmp_path / "pairs.npz").edges.tolist() == [[0, 1], [2, 3]]
    assert read_graph(tmp_path / "index.npz").edges.tolist() == [[0, 2], [1, 3]]


def test_an_array_of_python_2_is_read_without_a_warning(tmp_path, recwarn):
    np.save(tmp_path / "a.npy", np.array([[0, 1], [1, 2], [2, 3]]))
    content = (tmp_path / "a.npy").read_bytes().replace(b"(3, 2), }  ", b"(3L, 2L), }")
    (tmp_path / "a.npy").write_bytes(content)
    assert b"3L" in content and read_graph(tmp_path / "a.npy").num_edges == 3
    assert not recwarn.list


@pytest.mark.parametrize("kind", ["U", "S"])
def test_npy_arrays_of_text(tmp_path, kind):
    np.save(tmp_path / "e.npy", np.array([["b", "a"], ["c", "b"], ["c", "d"]], kind))
    graph = read_graph(tmp_path / "e.npy")
    assert graph.node_names.tolist() == ["a", "b", "c", "d"]
    assert graph.edges.tolist() == [[0, 1], [1, 2], [2, 3]]


@pytest.mark.parametrize("key", ["edges", "edge_index", "edge_list"])
def test_npz_with_num_nodes_features_labels_and_names(tmp_path, key):
    x, y = np.eye(4), np.array([1, 0, 1, 0])
    names = np.array(["a", "b", "c", "d"])
    np.savez(tmp_path / "g.npz", **{key: [[0, 1, 0], [2, 2, 1]]}, num_nodes=4, x=x, y=y, node_names=names)
    graph = read_graph(tmp_path / "g.npz", name="mine")
    assert (graph.num_nodes, graph.num_edges, graph.name) == (4, 3, "mine")
    assert np.array_equal(graph.x, x)
    assert np.array_equal(graph.y, y)
    assert graph.node_names.tolist() == names.tolist()


def test_npz_with_num_nodes_and_no_edges_is_a_graph(tmp_path):
    np.savez_compressed(tmp_path / "g.npz", edges=np.zeros((0, 2), int), num_nodes=3)
    assert (read_graph(tmp_path / "g.npz").num_nodes, read_graph(tmp_path / "g.npz").num_edges) == (3, 0)


@pytest.mark.parametrize("layout", ["csr", "csc", "coo"])
@pytest.mark.parametrize("make", [scipy.sparse.csr_matrix, scipy.sparse.csr_array])
def test_sparse_matrices_that_scipy_saved(tmp_path, layout, make):
    matrix = make(np.array([[0, 2.5, 0], [0, 0, 0], [1, 0, 0]]))
    matrix.data[0] = 0  # a stored zero is no edge
    scipy.sparse.save_npz(tmp_path / "m.npz", matrix.asformat(layout))
    graph = read_graph(tmp_path / "m.npz")
    assert (graph.num_nodes, graph.edges.tolist()) == (3, [[0, 2]])


# MatrixMarket and MATLAB


def test_a_symmetric_matrix_market_file_repeats_nothing(tmp_path):
    path = tmp_path / "m.txt"
    path.write_text("%%MatrixMarket matrix coordinate pattern symmetric\n% note\n4 4 3\n2 1\n3 1\n3 3\n")
    graph = read_graph(path)
    assert graph.edges.tolist() == [[0, 1], [0, 2]]
    assert (graph.num_nodes, graph.merged_edges, graph.self_loops) == (4, 0, 1)


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("matrix coordinate real general\n3 3 2\n1 2 0.5\n2 3 0\n", [[0, 1]]),
        ("matrix coordinate integer skew-symmetric\n3 3 1\n2 1 7\n", [[0, 1]]),
        ("matrix coordinate complex general\n3 3 1\n2 1 0 1\n", [[0, 1]]),
        ("matrix array real general\n2 2\n0\n1\n0\n0\n", [[0, 1]]),
        ("matrix array real symmetric\n3 3\n0\n0\n1\n0\n2\n5\n", [[0, 2], [1, 2]]),
        ("matrix array integer skew-symmetric\n3 3\n0\n4\n0\n", [[0, 2]]),
        ("matrix array complex hermitian\n2 2\n0 0\n0 3\n0 0\n", [[0, 1]]),
        ("matrix coordinate pattern general\n5 5 0\n", []),
    ],
)
def test_matrix_market_kinds(tmp_path, content, expected):
    path = tmp_path / "m.mtx.gz"
    path.write_bytes(gzip.compress(b"%%MatrixMarket " + content.encode()))
    assert read_graph(path).edges.tolist() == expected
    assert read_graph(path).name == "m"


def test_mat_takes_net_or_the_only_square_sparse_matrix(tmp_path):
    path = tmp_path / "m.mat"
    first, second = (scipy.sparse.csc_array(np.eye(3, k=k)) for k in (1, 2))
    scipy.io.savemat(path, {"other": first, "net": second})
    assert read_graph(path).edges.tolist() == [[0, 2]]
    wide = scipy.sparse.csc_array(np.ones((3, 5)))
    scipy.io.savemat(path, {"group": wide, "A": first, "title": "x", "dense": np.eye(3)}, do_compression=True)
    assert read_graph(path).edges.tolist() == [[0, 1], [1, 2]]
    scipy.io.savemat(path, {"A": first}, format="4")
    assert read_graph(path).edges.tolist() == [[0, 1], [1, 2]]


SEAL = {
    "USAir": (332, 2126),
    "NS": (1589, 2742),
    "PB": (1222, 16714),
    "Yeast": (2375, 11693),
    "Celegans": (297, 2148),
    "Power": (4941, 6594),
    "Router": (5022, 6258),
    "Ecoli": (1805, 14660),
}


@pytest.mark.parametrize("name", SEAL)
def test_the_seal_graphs_have_their_published_sizes(name):
    if "EDGEORBIT_DATA" not in os.environ:
        pytest.skip("EDGEORBIT_DATA does not say where the data sets are")
    graph = read_graph(Path(os.environ["EDGEORBIT_DATA"], "seal", f"{name}.mat"))
    assert (graph.num_nodes, graph.num_edges) == SEAL[name]


# GraphML and GML


def test_labels_of_graphml_and_gml_are_node_names(tmp_path):
    other = nx.Graph([("Zürich & Co", "b"), ("b", 'say "c"')])
    other.add_node("alone")
    nx.write_graphml_xml(other, tmp_path / "g.graphml")
    nx.write_gml(other, tmp_path / "g.gml")
    for path in (tmp_path / "g.graphml", tmp_path / "g.gml"):
        graph = read_graph(path)
        assert graph.node_names.tolist() == sorted(other.nodes)
        assert same(graph, other)


def test_graphml_without_the_namespace_in_another_encoding_with_edges_first(tmp_path):
    text = '<graphml><graph><edge source="n1" target="n0"/><node id="n0"/><node id="n1"/></graph></graphml>'
    (tmp_path / "g.xml").write_bytes(f'<?xml version="1.0" encoding="UTF-16"?>{text}'.encode("utf-16"))
    (tmp_path / "h.dat").write_text("\n " + text)
    for name in ("g.xml", "h.dat"):
        graph = read_graph(tmp_path / name)
        assert graph.node_names.tolist() == ["n0", "n1"]
        assert graph.num_edges == 1


def test_gml_with_a_creator_comments_nested_lists_and_no_labels(tmp_path):
    path = tmp_path / "g.dat"
    path.write_text(
        'Creator "someone"\nVersion 1\n# note\ngraph\n[\n  directed 0\n  node\n  [\n    id 7\n'
        "    graphics [ id 3 x 1.5 ]\n"
        "  ]\n  node [ id 9 value -1.5E3 ]\n  edge [ source 7 target 9 ] edge [ source 9 target 7 ]\n]\n"
    )
    graph = read_graph(path)
    assert graph.node_names.tolist() == [7, 9]
    assert (graph.num_edges, graph.merged_edges) == (1, 1)


def test_gml_labels_that_repeat_are_no_names(tmp_path):
    path = tmp_path / "g.gml"
    path.write_text('graph [ node [ id 1 label "a" ] node [ id 4 label "a" ] edge [ source 1 target 4 ] ]')
    assert read_graph(path).node_names.tolist() == [1, 4]


@pytest.mark.parametrize("kind", ["parquet", "npy", "npz", "mtx", "mat", "graphml", "gml"])
def test_a_wrong_suffix_does_not_hide_the_format(tmp_path, kind):
    path = tmp_path / f"right.{kind}"
    graph = nx.path_graph(3)
    pairs = np.array(graph.edges)
    match kind:
        case "parquet":
            parquet(path, u=pairs[:, 0], v=pairs[:, 1])
        case "npy":
            np.save(path, pairs)
        case "npz":
            np.savez(path, edges=pairs)
        case "mtx":
            write_mtx(graph, path)
        case "mat":
            write_mat(graph, path)
        case "graphml":
            nx.write_graphml_xml(graph, path)
        case "gml":
            nx.write_gml(graph, path)
    wrong = path.rename(tmp_path / "wrong.csv")
    assert same(read_graph(wrong), graph)
