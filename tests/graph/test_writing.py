"""What is written comes back, and is written whole or not at all."""

import gzip
import os
import resource
import stat
import subprocess
import sys

import networkx as nx
import numpy as np
import pyarrow.parquet as pq
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from edgeorbit._files import atomic_path
from edgeorbit.errors import EdgeorbitError, GraphFormatError, InvalidParameterError
from edgeorbit.graph import Graph
from edgeorbit.graph.convert import from_networkx
from edgeorbit.graph.reading import read_graph
from edgeorbit.graph.writing import write_graph

TABLES = [".csv", ".tsv", ".txt", ".edges", ".csv.gz", ".tsv.zst", ".parquet"]
text = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=12)
labels_of_edge_lists = text.filter(lambda label: label == label.strip() and min(label) >= " ")


@st.composite
def graphs(draw, labels=text):
    num_nodes = draw(st.integers(1, 9))
    ends = st.integers(0, num_nodes - 1)
    pairs = draw(st.lists(st.tuples(ends, ends), max_size=20))
    kind = draw(st.sampled_from(["none", "numbers", "text"]))
    names = None
    if kind == "numbers":
        ids = st.integers(0, 2**63 - 1) | st.integers(0, 20)
        names = np.array(draw(st.lists(ids, min_size=num_nodes, max_size=num_nodes, unique=True)), np.int64)
    elif kind == "text":
        others = draw(st.lists(labels, min_size=num_nodes - 1, max_size=num_nodes - 1, unique=True))
        names = np.array(["the first", *others] if "the first" not in others else [*others, "the last"])
    return Graph.from_edges(np.array(pairs, np.int64).reshape(-1, 2), num_nodes, node_names=names)


def named(graph: Graph) -> tuple[set, set]:
    nodes = graph.names(np.arange(graph.num_nodes)).tolist()
    return set(nodes), {frozenset(pair) for pair in graph.names(graph.edges).tolist()}


@pytest.mark.parametrize("suffix", TABLES)
@given(graph=graphs(labels_of_edge_lists))
@settings(max_examples=60, deadline=None)
def test_tables_keep_the_edges_the_ids_and_the_isolated_nodes(tmp_path_factory, suffix, graph):
    path = tmp_path_factory.mktemp("out") / f"graph{suffix}"
    write_graph(graph, path)
    found = read_graph(path)
    assert named(found) == named(graph)
    assert found.merged_edges == 0
    if graph.node_names is None or graph.node_names.tolist() == sorted(graph.node_names.tolist()):
        assert np.array_equal(found.indptr, graph.indptr)
        assert np.array_equal(found.indices, graph.indices)


@given(graph=graphs())
@settings(max_examples=60, deadline=None)
def test_parquet_keeps_any_text(tmp_path_factory, graph):
    path = tmp_path_factory.mktemp("out") / "graph.pq"
    write_graph(graph, path)
    assert named(read_graph(path)) == named(graph)


@given(
    graph=graphs(),
    name=text,
    features=st.sampled_from([None, "dense", "sparse"]),
    data=st.data(),
)
@settings(max_examples=80, deadline=None)
def test_npz_keeps_the_graph_exactly(tmp_path_factory, graph, name, features, data):
    n = graph.num_nodes
    dense = data.draw(hnp.arrays(st.sampled_from(["f4", "f8", "i4"]), (n, 3), elements=st.integers(-5, 5)))
    x = None if features is None else dense if features == "dense" else scipy.sparse.csr_array(dense)
    y = data.draw(st.none() | hnp.arrays(st.sampled_from(["i8", "f4", "U3"]), n))
    graph = graph.with_attributes(name=name, x=x, y=y, merged_edges=7, self_loops=3)
    path = tmp_path_factory.mktemp("out") / "graph.npz"
    write_graph(graph, path)
    found = read_graph(path)
    for key in ("indptr", "indices", "y"):
        assert _equal(getattr(found, key), getattr(graph, key)), key
    assert (found.node_names is None) == (graph.node_names is None)
    assert graph.node_names is None or found.node_names.tolist() == graph.node_names.tolist()
    assert (found.name, found.merged_edges, found.self_loops) == (graph.name, 7, 3)
    if features == "sparse":
        assert _equal(found.x.toarray(), graph.x.toarray())
    else:
        assert _equal(found.x, graph.x)
    assert read_graph(path, name="other").name == "other"


def _equal(a, b) -> bool:
    if a is None or b is None:
        return a is b
    return a.dtype == b.dtype and np.array_equal(a, b, equal_nan=a.dtype.kind == "f")


def test_what_stands_in_the_files(tmp_path):
    graph = Graph.from_edges([[0, 1]], 3, node_names=np.array(["#1", "b, c", 'd"']))
    numbers = graph.with_attributes(node_names=np.array([5, 6, 70]))
    write_graph(numbers, tmp_path / "n.csv")
    write_graph(numbers, tmp_path / "n.tsv")
    write_graph(graph, tmp_path / "t.csv.gz")
    write_graph(graph, tmp_path / "t.parquet")
    assert (tmp_path / "n.csv").read_text() == "source,target\n5,6\n70,70\n"
    assert (tmp_path / "n.tsv").read_text() == "source\ttarget\n5\t6\n70\t70\n"
    expected = 'source,target\n"#1","b, c"\n"d""","d"""\n'
    assert gzip.decompress((tmp_path / "t.csv.gz").read_bytes()).decode() == expected
    assert pq.read_table(tmp_path / "t.parquet").to_pydict() == {"source": ["#1", 'd"'], "target": ["b, c", 'd"']}


def test_the_format_can_be_given(tmp_path):
    graph = Graph.from_edges([[0, 1], [1, 2]])
    for kind in ("edgelist", "parquet", "npz"):
        path = tmp_path / f"graph-{kind}"
        write_graph(graph, path, kind)
        assert np.array_equal(read_graph(path).indices, graph.indices)


def test_mixed_names_are_written_as_text(tmp_path):
    graph = from_networkx(nx.Graph([(1, "a"), ("a", (2, 3))]))
    for suffix in (".csv", ".parquet", ".npz"):
        write_graph(graph, tmp_path / f"g{suffix}")
        assert set(read_graph(tmp_path / f"g{suffix}").node_names.tolist()) == {"1", "a", "(2, 3)"}


def test_a_large_graph_comes_back(tmp_path):
    pairs = np.random.default_rng(1).integers(0, 400_000, (500_000, 2))
    graph = Graph.from_edges(pairs, 400_000)
    for suffix in (".csv", ".csv.zst", ".parquet", ".npz"):
        write_graph(graph, tmp_path / f"g{suffix}")
        found = read_graph(tmp_path / f"g{suffix}")
        assert np.array_equal(found.indptr, graph.indptr)
        assert np.array_equal(found.indices, graph.indices)


@pytest.mark.parametrize(
    ("names", "suffix", "message"),
    [
        (["a\nb", "c"], ".csv", r"node name 'a\\\\nb' has blanks at its ends or a line break"),
        ([" a", "c"], ".tsv", "node name ' a' has blanks at its ends or a line break"),
        (["1.5", "2"], ".csv", "all node names are numbers and some not whole numbers from 0"),
        (["a", "a"], ".csv", "two nodes have the same name; give every node its own"),
        ([1, "1"], ".npz", "two node names are the same as text; give every node its own"),
        (["a", ""], ".npz", "a node name is empty or no valid text; rename the node"),
        (["a", "\ud800"], ".parquet", "a node name is empty or no valid text; rename the node"),
    ],
)
def test_names_that_would_not_come_back_are_refused(tmp_path, names, suffix, message):
    array = np.empty(2, object)
    array[:] = names
    path = tmp_path / f"g{suffix}"
    with pytest.raises(GraphFormatError, match=message):
        write_graph(Graph.from_edges([[0, 1]], node_names=array), path)
    assert list(tmp_path.iterdir()) == []


def test_what_cannot_be_written_is_refused(tmp_path):
    graph = Graph.from_edges([[0, 1]])
    with pytest.raises(
        InvalidParameterError, match=r"g.doc: the suffix does not say the format; use one of .csv, .tsv"
    ):
        write_graph(graph, tmp_path / "g.doc")
    with pytest.raises(
        InvalidParameterError, match="format 'gml' cannot be written; choose one of edgelist, parquet, npz"
    ):
        write_graph(graph, tmp_path / "g.gml", "gml")
    with pytest.raises(InvalidParameterError, match=r"g.npz.gz: only edge lists are compressed; leave .gz out"):
        write_graph(graph, tmp_path / "g.npz.gz")
    with pytest.raises(GraphFormatError, match="an edge list cannot hold a graph without nodes"):
        write_graph(Graph.empty(0), tmp_path / "g.csv")
    with pytest.raises(GraphFormatError, match="y holds Python objects; give numbers or text"):
        write_graph(graph.with_attributes(y=np.array([{}, 1], object)), tmp_path / "g.npz")
    assert list(tmp_path.iterdir()) == []


def test_an_empty_graph_is_kept_by_npz(tmp_path):
    write_graph(Graph.empty(0), tmp_path / "g.npz")
    assert read_graph(tmp_path / "g.npz").num_nodes == 0


# Atomic writes


def test_a_failure_leaves_the_old_file_and_nothing_else(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("old")
    for problem in (RuntimeError, KeyboardInterrupt):
        with pytest.raises(problem), atomic_path(path) as temporary:
            temporary.write_text("half")
            raise problem
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_the_file_appears_only_at_the_end_with_its_suffix_and_rights(tmp_path):
    path = tmp_path / "a.csv.gz"
    with atomic_path(path) as temporary:
        temporary.write_text("new")
        assert not path.exists()
        assert temporary.parent.parent == tmp_path
        assert temporary.name.endswith(".csv.gz")
    assert path.read_text() == "new"
    mask = os.umask(0)
    os.umask(mask)
    assert stat.S_IMODE(path.stat().st_mode) == 0o666 & ~mask
    path.chmod(0o640)
    with atomic_path(path) as temporary:
        temporary.write_text("newer")
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_a_link_stays_a_link(tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "link.csv").symlink_to(tmp_path / "real" / "a.csv")
    with atomic_path(tmp_path / "link.csv") as temporary:
        temporary.write_text("x")
    assert (tmp_path / "link.csv").is_symlink()
    assert (tmp_path / "real" / "a.csv").read_text() == "x"


def test_a_pipe_is_written_to_and_not_replaced(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        with atomic_path(pipe) as path:
            path.write_text("through")
        assert os.read(reader, 100) == b"through"
    finally:
        os.close(reader)
    assert pipe.is_fifo()


def test_places_that_cannot_be_written_to_are_named(tmp_path):
    def complaint(path) -> str:
        with pytest.raises(EdgeorbitError) as caught:
            write_graph(Graph.from_edges([[0, 1]]), path)
        assert "\n" not in str(caught.value)
        return str(caught.value).replace(f"{tmp_path}/", "")

    (tmp_path / "d.csv").mkdir()
    assert complaint(tmp_path / "d.csv") == "d.csv: is a directory; give the name of a file in it"
    expected = "no/g.csv: cannot be written (No such file or directory); create the directory first"
    assert complaint(tmp_path / "no" / "g.csv") == expected
    (tmp_path / "f").write_text("")
    expected = "f/g.csv: cannot be written (Not a directory); create the directory first"
    assert complaint(tmp_path / "f" / "g.csv") == expected


FULL_DISK = """
import resource, sys
import numpy as np
from edgeorbit.errors import EdgeorbitError
from edgeorbit.graph import Graph
from edgeorbit.graph.writing import write_graph
graph = Graph.from_edges(np.random.default_rng(0).integers(0, 9000, (60000, 2)))
import pyarrow.csv, pyarrow.parquet
resource.setrlimit(resource.RLIMIT_FSIZE, (20000, 20000))
try:
    write_graph(graph, sys.argv[1])
except EdgeorbitError as error:
    print(error)
"""


@pytest.mark.skipif(not hasattr(resource, "RLIMIT_FSIZE"), reason="this system has no limit on the size of files")
@pytest.mark.parametrize("suffix", [".csv", ".csv.gz", ".parquet", ".npz"])
def test_a_disk_that_is_full_leaves_nothing_half_written(tmp_path, suffix):
    path = tmp_path / f"g{suffix}"
    path.write_text("old")
    # a limit on the size of files fails as a full disk does: in the middle of writing
    done = subprocess.run([sys.executable, "-c", FULL_DISK, path], capture_output=True, text=True, check=False)
    assert done.stderr == ""
    expected = f"{path}: cannot be written (File too large); free some space or choose another directory\n"
    assert done.stdout == expected
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]
