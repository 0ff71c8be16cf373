"""Edge lists in all the ways people write them."""

import gzip
import os
import random
from pathlib import Path

import numpy as np
import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

from edgeorbit.graph import Graph
from edgeorbit.graph.reading import node_ids, read_graph, source


def named_edges(graph: Graph) -> set[frozenset]:
    return {frozenset(pair) for pair in graph.names(graph.edges).tolist()}


def node_set(graph: Graph) -> set:
    return set(graph.names(np.arange(graph.num_nodes)).tolist())


@pytest.fixture
def read(tmp_path):
    def read_text(content: str | bytes, name: str = "edges.csv", **options) -> Graph:
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return read_graph(path, **options)

    return read_text


TRIANGLE = {frozenset({0, 1}), frozenset({1, 2}), frozenset({0, 2})}


@pytest.mark.parametrize(
    "content",
    [
        "0,1\n1,2\n2,0\n",
        "0\t1\n1\t2\n2\t0\n",
        "0 1\n1 2\n2 0\n",
        "0;1\n1;2\n2;0\n",
        "0, 1\n1, 2\n2, 0\n",
        "  0   1\n 1\t \t2  \n2 0",
        "0,1\r\n1,2\r\n2,0\r\n",
        "0,1\r1,2\r2,0\r",
        "\ufeff0,1\n1,2\n2,0\n",
        "\ufeffsource,target\n0,1\n1,2\n2,0\n",
        "source,target\n0,1\n1,2\n2,0\n",
        "a\tb\n0\t1\n1\t2\n2\t0\n",
        "# SNAP\n# FromNodeId\tToNodeId\n0\t1\n1\t2\n2\t0\n",
        "% konect\n0 1\n1 2\n2 0\n",
        "// note\n0 1\n  # in between\n1 2\n# 7,8\n2 0\n# end",
        "\n\n0,1\n\n1,2\n   \n2,0\n\n",
        '"0","1"\n"1","2"\n"2","0"\n',
        "0,1,0.5\n1,2,0.25\n2,0,1e9\n",
        "0 1 0.5 2021-01-01\n1 2 0.5 x\n2 0 1 y\n",
        "0 1 {}\n1 2 {'weight': 3}\n2 0 {'weight': 3, 'since': 'May, 2'}\n",
        "0;1;0,5\n1;2;0,5\n2;0;1,5\n",
        'id,source,target,note\n9,0,1,"a, b"\n9,1,2,"c"\n9,2,0,\n',
        "0,1,\n1,2,\n2,0,\n",
        "00,01\n1,2\n2,0\n",
    ],
)
def test_every_way_to_write_a_triangle_is_the_triangle(read, content):
    graph = read(content)
    assert named_edges(graph) == TRIANGLE
    assert graph.node_names is None
    assert (graph.merged_edges, graph.self_loops) == (0, 0)
    assert graph.name == "edges"


@pytest.mark.parametrize("name", ["edges.csv", "edges.csv.gz", "edges.zst", "edges"])
@pytest.mark.parametrize("compress", [gzip.compress, zstandard.compress, bytes])
def test_compression_is_found_even_if_the_suffix_lies(read, name, compress):
    assert named_edges(read(compress(b"0,1\n1,2\n2,0\n"), name)) == TRIANGLE


def test_several_gzip_members_are_one_file(read):
    assert named_edges(read(gzip.compress(b"0,1\n1,") + gzip.compress(b"2\n2,0\n"), "edges.csv.gz")) == TRIANGLE


def test_repeated_edges_and_loops_are_counted(read):
    graph = read("0 1\n1 0\n0 1\n2 2\n")
    assert (graph.num_nodes, graph.num_edges, graph.merged_edges, graph.self_loops) == (3, 1, 2, 1)


def test_a_node_that_only_has_a_loop_is_a_node(read):
    graph = read("5 5\n7 9\n")
    assert graph.node_names.tolist() == [5, 7, 9]
    assert graph.edges.tolist() == [[1, 2]]


def test_text_ids_are_numbered_in_their_order(read):
    graph = read("zoë,ann\nann,Bob\n")
    assert graph.node_names.tolist() == ["Bob", "ann", "zoë"]
    assert named_edges(graph) == {frozenset({"zoë", "ann"}), frozenset({"ann", "Bob"})}


def test_one_label_makes_all_ids_text(read):
    graph = read("1,2\n-3,2.5\n10,x\n")
    assert node_set(graph) == {"1", "2", "-3", "2.5", "10", "x"}
    assert graph.node_names.dtype.kind == "U"


@pytest.mark.parametrize("content", ["0x10,1\n2,3\n", "1,2\n0X1F,2\n"])
def test_hexadecimal_is_text(read, content):
    assert node_set(read(content)) == set(content.replace("\n", ",").strip(",").split(","))


def test_an_x_in_another_column_leaves_the_ids_numbers(read):
    assert read("0,1,xy\n1,2,x\n").node_names is None


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("source,target\na,b\nb,c\n", {"a", "b", "c"}),
        ("FROM\tTo\na\tb\n", {"a", "b"}),
        ("u,v\na,b\n", {"a", "b"}),
        ("u,v\nv,w\n", {"u", "v", "w"}),  # nodes that are called u and v come again
        ("ann,bob\ncy,dan\n", {"ann", "bob", "cy", "dan"}),
        ("source,target\nsource,b\n", {"source", "b"}),
        ("caller,callee,minutes\nann,bob,2\nbob,cy,3.5\n", {"ann", "bob", "cy"}),
        ("caller,callee,minutes\nann,bob,2\nbob,cy,\n", {"ann", "bob", "cy"}),
        ("rex,pip,minutes\nann,bob,2\nbob,cy,\n", {"rex", "pip", "ann", "bob", "cy"}),  # who knows
        ("ann,bob,short\nbob,cy,long\n", {"ann", "bob", "cy"}),
        ("ann,bob,\nbob,cy,2\n", {"ann", "bob", "cy"}),  # a number is missing
    ],
)
def test_a_header_above_text_ids_is_known_by_its_names_or_by_numbers_below_it(read, content, expected):
    assert node_set(read(content)) == expected


def test_columns_are_chosen_by_name_or_number(read):
    content = "w,a,b,c\n9,0,1,5\n9,1,2,6\n"
    assert named_edges(read(content, columns=("a", "b"))) == {frozenset({0, 1}), frozenset({1, 2})}
    assert named_edges(read(content, columns=("c", "a"))) == {frozenset({5, 0}), frozenset({6, 1})}
    assert named_edges(read(content, columns=(3, 1))) == {frozenset({5, 0}), frozenset({6, 1})}
    assert named_edges(read("x,y\n" + "a,b\n", columns=("x", "y"))) == {frozenset({"a", "b"})}


def test_quoted_labels_keep_separators_and_words_for_nothing(read):
    graph = read('"Smith, J.","#1"\n"nan","a ""b"""\n')
    assert node_set(graph) == {"Smith, J.", "#1", "nan", 'a "b"'}
    assert node_set(read('"New  York" Boston\nBoston "L A"\n')) == {"New  York", "Boston", "L A"}
    assert node_set(read('"a"\t"b, c"\n"b, c"\t"d, e"\n')) == {"a", "b, c", "d, e"}


def test_one_very_long_label_does_not_cost_its_length_for_every_node(read):
    graph = read("".join(f"n{i},m{i}\n" for i in range(2000)) + "x" * 3_000_000 + ",n1\n")
    assert graph.node_names.dtype == object
    assert len(graph.node_names[-1]) == 3_000_000


@pytest.mark.parametrize("largest", [2**31, 2**62, 2**63 - 1])
def test_sparse_integers_up_to_int64_keep_their_names(read, largest):
    graph = read(f"7,{largest}\n{largest},3\n")
    assert graph.node_names.tolist() == [3, 7, largest]
    assert graph.node_names.dtype == np.int64
    assert graph.edges.tolist() == [[0, 2], [1, 2]]


@given(
    st.lists(st.tuples(st.integers(0, 2**63 - 1) | st.integers(0, 20), st.integers(0, 20)), min_size=1, max_size=40),
    st.sampled_from([",", "\t", ";", " ", "   ", ", "]),
    st.sampled_from(["\n", "\r\n"]),
    st.sampled_from(["", "source{}target\n", "# a comment, of sorts\n\n"]),
    st.integers(6, 200),
)
@settings(max_examples=150, deadline=None)
def test_integer_pairs_come_back_from_any_dialect_and_block_size(tmp_path_factory, pairs, separator, end, head, size):
    path = tmp_path_factory.mktemp("edges") / "edges.txt"
    path.write_text(head.format(separator) + end.join(f"{u}{separator}{v}" for u, v in pairs), newline="")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(source, "BLOCK_BYTES", size)
        graph = read_graph(path)
    ids = sorted({node for pair in pairs for node in pair})
    assert (graph.node_names is None) == (ids == list(range(len(ids))))
    assert graph.names(np.arange(graph.num_nodes)).tolist() == ids
    assert named_edges(graph) == {frozenset(pair) for pair in pairs if pair[0] != pair[1]}
    assert graph.self_loops == sum(u == v for u, v in pairs)


@given(
    st.lists(
        st.tuples(*[st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Z")), min_size=1)] * 2),
        min_size=1,
        max_size=30,
    ),
    st.sampled_from([",", "\t", ";", " "]),
    st.integers(40, 400),
)
@settings(max_examples=150, deadline=None)
def test_quoted_text_pairs_come_back_from_any_dialect_and_block_size(tmp_path_factory, pairs, separator, size):
    pairs = [("start of it", "end of it"), *pairs]
    lines = [separator.join('"' + cell.replace('"', '""') + '"' for cell in pair) for pair in pairs]
    path = tmp_path_factory.mktemp("edges") / "edges.txt"
    path.write_text("\n".join(["source" + separator + "target", *lines]))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(source, "BLOCK_BYTES", size)
        graph = read_graph(path)
    assert graph.node_names.tolist() == sorted({node for pair in pairs for node in pair})
    assert named_edges(graph) == {frozenset(pair) for pair in pairs if pair[0] != pair[1]}


@given(st.integers(1, 400), st.sampled_from([1, 20, 2**40, 2**63 - 1]), st.integers(0, 2**32))
@settings(max_examples=60, deadline=None)
def test_numbering_is_the_rank_among_the_distinct_ids(count, largest, seed):
    # few and many ids per node, dense and sparse: every way through the numbering
    rng = np.random.default_rng(seed)
    pool = rng.integers(0, largest, rng.integers(1, 2 * count + 1), endpoint=True)
    ids = rng.choice(pool, (2, count))
    cuts = np.sort(rng.integers(0, count, 2))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(node_ids, "SMALL_RANGE", 30)
        found = node_ids.number_integers([node_ids.compact(part) for part in np.split(ids, cuts, axis=1)])
    names, numbers = np.unique(ids, return_inverse=True)
    assert np.array_equal(found.pairs, numbers.reshape(2, -1))
    assert found.num_nodes == len(names)
    gapless = np.array_equal(names, np.arange(len(names)))
    assert found.names is None if gapless else np.array_equal(found.names, names)


def test_the_number_of_threads_changes_nothing(tmp_path):
    rng = random.Random(5)
    path = tmp_path / "edges.txt"
    path.write_text("".join(f"{rng.randrange(500)} {rng.randrange(500)}\n" for _ in range(5000)))
    one, two = (read_graph(path, threads=threads) for threads in (1, 2))
    assert np.array_equal(one.indices, two.indices)


@pytest.mark.parametrize("compress", [bytes, gzip.compress])
def test_two_million_edges_are_the_array_they_came_from(tmp_path, compress):
    rng = np.random.default_rng(7)
    pairs = rng.integers(0, 1_500_000, (2_000_000, 2))
    path = tmp_path / "edges.csv"
    data = "".join(f"{u},{v}\n" for u, v in pairs.tolist()).encode()
    path.write_bytes(compress(data, 1) if compress is gzip.compress else data)
    seen = []
    graph = read_graph(path, progress=lambda done, total: seen.append((done, total)))
    names, numbers = np.unique(pairs, return_inverse=True)
    expected = Graph.from_edges(numbers.reshape(-1, 2), len(names))
    assert np.array_equal(graph.node_names, names)
    assert np.array_equal(graph.indptr, expected.indptr)
    assert np.array_equal(graph.indices, expected.indices)
    assert (graph.merged_edges, graph.self_loops) == (expected.merged_edges, expected.self_loops)
    size = path.stat().st_size
    assert [total for _, total in seen] == [size] * len(seen)
    assert seen[-1] == (size, size)
    assert sorted(seen) == seen
    assert len(seen) == len(set(seen)) > 2


def test_the_amazon_graph_has_its_published_size():
    if "EDGEORBIT_DATA" not in os.environ:
        pytest.skip("EDGEORBIT_DATA does not say where the data sets are")
    graph = read_graph(Path(os.environ["EDGEORBIT_DATA"], "snap", "amazon-edges.csv.gz"))
    assert (graph.num_nodes, graph.num_edges) == (403_394, 2_443_408)
