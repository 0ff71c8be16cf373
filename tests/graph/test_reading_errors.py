"""What is said about files that are no graphs: one sentence, with the file, the line and a way out."""

import bz2
import gzip
import io
import os
import re
import zipfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import scipy.io
import scipy.sparse
import zstandard

from edgeorbit import _memory as memory
from edgeorbit.errors import EdgeorbitError, GraphFormatError, InvalidParameterError, LimitExceededError
from edgeorbit.graph import Graph
from edgeorbit.graph.reading import read_graph, source
from edgeorbit.graph.reading.stored_arrays import compressed_entries
from edgeorbit.graph.writing import write_graph


def complaint(path: Path, **options) -> str:
    """Return the message of the error that reading raises, without the directory."""
    with pytest.raises(EdgeorbitError) as caught:
        read_graph(path, **options)
    message = str(caught.value)
    assert "\n" not in message
    assert ";" in message  # a way out
    assert path.name in message or "format" in message
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__ or caught.value.__context__ is None
    return message.replace(f"{path.parent}{os.sep}", "")


@pytest.fixture
def complain(tmp_path):
    def about(content: str | bytes, name: str = "e.csv", **options) -> str:
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return complaint(path, **options)

    return about


def packed(**arrays) -> bytes:
    file = io.BytesIO()
    np.savez(file, **arrays)
    return file.getvalue()


def npy(array) -> bytes:
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


def parquet(**columns) -> bytes:
    file = io.BytesIO()
    pq.write_table(pa.table(columns), file)
    return file.getvalue()


def mat(**variables) -> bytes:
    file = io.BytesIO()
    scipy.io.savemat(file, variables)
    return file.getvalue()


IDS = "ids are whole numbers from 0, or text"
SAME_COLUMNS = "give every line the same columns"
SPARSE = b"%%MatrixMarket matrix coordinate real general\n"
DENSE = b"%%MatrixMarket matrix array real general\n"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "e.csv: the file is empty; give a file with at least one edge"),
        ("\n \n\n", "e.csv: there are only blank lines; give a file with at least one edge"),
        ("# a\n% b\n// c\n", "e.csv: there are only comments; give a file with at least one edge"),
        ("source,target\n", "e.csv: there is only a header; give a file with at least one edge"),
        ("1\n2\n", "e.csv line 1: expected two node ids, found '1'; separate them by a comma, a tab, a semicolon"),
        ("# c\n\nab\ncd\n", "e.csv line 3: expected two node ids, found 'ab'; separate them by a comma, a tab, a semi"),
        ("1,2\n3\n", f"e.csv line 2: expected two node ids, found '3'; {SAME_COLUMNS}"),
        ("1,2\n3,4,5\n", f"e.csv line 2: expected 2 columns, found 3; {SAME_COLUMNS}"),
        ("# c\nu,v,w\n1,2,3\n\n3,4\n", f"e.csv line 5: expected 3 columns, found 2; {SAME_COLUMNS}"),
        ("u v\n1 2 3\n", f"e.csv line 2: expected 2 columns, found 3; {SAME_COLUMNS}"),
        ("34\n1 2\n2 3\n", f"e.csv line 1: expected two node ids, found '34'; {SAME_COLUMNS}"),
        ("a,b\nc\n", f"e.csv line 2: expected two node ids, found 'c'; {SAME_COLUMNS}"),
        ("1,2\n3,\n", "e.csv line 2: node id 2 is missing; fill it in or delete the line"),
        ("1,2\nnan,4\n", "e.csv line 2: node id 1 is missing; fill it in or delete the line"),
        ("1\t2\t0.5\n1\t\t7\n3\t4\t7\n", "e.csv line 2: node id 2 is missing; fill it in or delete the line"),
        ("a,b\n\nc,NaN\n", "e.csv line 3: node id 2 is missing; fill it in or delete the line"),
        ("a,b\n,c\n", "e.csv line 2: node id 1 is missing; fill it in or delete the line"),
        ('a,b\n"",c\n', "e.csv line 2: node id 1 is missing; fill it in or delete the line"),
        ("u,v\n1,2\n-3,4\n", f"e.csv line 3: node id -3 is negative; {IDS}"),
        ("1,2\n3,4.5\n", f"e.csv line 2: node id 4.5 is not a whole number; {IDS}"),
        ("1.0,2.0\n", f"e.csv line 1: node id 1.0 is not a whole number; {IDS}"),
        ("1,1e3\n", f"e.csv line 1: node id 1e3 is not a whole number; {IDS}"),
        ("1,inf\n", f"e.csv line 1: node id inf is not a whole number; {IDS}"),
        (f"1,2\n3,{2**63}\n", f"e.csv line 2: node id {2**63} does not fit into 64 bits; {IDS}"),
        ("1," + "9" * 5000 + "\n", f"e.csv line 1: node id {'9' * 20}...{'9' * 20} does not fit into 64 bits; {IDS}"),
        ('a,"b\nc,d\n', "e.csv line 1: a quoted cell is not closed; keep every edge on one line"),
        ('1,2,"x\n3,4"\n5,6,7\n', "e.csv line 1: a quoted cell is not closed; keep every edge on one line"),
        (b"a,b\nc,\xff\n", "e.csv line 2: the node id is not UTF-8 text; convert the file with iconv -t UTF-8"),
        (b"a,b\nc,d\0e\n", "e.csv: is not text; give the format if it is one of another kind than its beginning"),
        ("a,b\n".encode("utf-16"), "e.csv: is UTF-16 text; save it as UTF-8"),
        (bytes(range(256)) * 4, "e.csv: is not text; give the format if it is one of another kind than its beginning"),
        (
            gzip.compress(b"1,2\n" * 9999, mtime=0)[:-9],
            "e.csv: the gzip data is cut off; copy or download the file again",
        ),
        (zstandard.compress(b"1,2\n" * 9999)[:-9], "e.csv: the zstd data is cut off; copy or download the file again"),
        (
            gzip.compress(b"1,2\n", mtime=0)[:-8] + bytes(8),
            "e.csv: the gzip data is damaged; copy or download the file again",
        ),
        (gzip.compress(b"", mtime=0), "e.csv: there are only blank lines; give a file with at least one edge"),
        (bz2.compress(b"1,2\n"), "e.csv: bzip2 compression is not read; unpack it with bunzip2, or use gzip or zstd"),
    ],
)
def test_a_bad_edge_list_is_named_with_its_line(complain, content, message):
    assert complain(content).startswith(message)


def test_the_line_is_right_far_into_a_file_of_many_blocks(complain, monkeypatch):
    monkeypatch.setattr(source, "BLOCK_BYTES", 1 << 12)
    good = "# c\n" + "1 2\n" * 5000
    assert complain(good + "3 -4\n").startswith("e.csv line 5002: node id -4 is negative")
    assert complain(good + "3\n").startswith("e.csv line 5002: expected two node ids, found '3'")
    assert complain(good + "a b\n" * 5000 + "c nan\n").startswith("e.csv line 10002: node id 2 is missing")


def test_the_line_is_right_with_old_mac_line_ends(complain, monkeypatch):
    monkeypatch.setattr(source, "BLOCK_BYTES", 1 << 12)
    monkeypatch.setattr(source, "MAX_LINE_BYTES", 1 << 13)
    assert complain("1 2\r" * 5000 + "3 -4\r").startswith("e.csv line 5001: node id -4 is negative")


def test_the_row_is_right_in_a_later_batch_of_a_parquet_file(complain, monkeypatch):
    monkeypatch.setattr("edgeorbit.graph.reading.parquet.BATCH_ROWS", 10)
    assert complain(parquet(u=[*range(25), -1], v=[0] * 26)).startswith(
        "e.csv: row 26: node id -1 in column 'u' is neg"
    )
    assert complain(parquet(u=[*range(25), None], v=[0] * 26)).startswith("e.csv: row 26 has no node id in column 'u'")
    assert complain(parquet(u=["a"] * 12 + [""], v=["b"] * 13)).startswith("e.csv: row 13 has no usable node id in col")


@pytest.mark.parametrize(
    ("starts", "inner", "values", "message"),
    [
        ([0, 2, 1], [0, 1], [1, 1], "its rows or columns overlap"),
        ([1, 1, 2], [0, 1], [1, 1], "its rows or columns overlap"),
        ([0, 1], [0], [1], "its rows or columns overlap"),
        ([0, 1, 2], [0], [1, 1], "entries are missing"),
        ([0, 1, 2], [0, 1], [1], "entries are missing"),
        ([0, 1, 2], [0, 2], [1, 1], "an entry lies outside its 2 rows and 2 columns"),
        ([0, 1, 2], [0, -1], [1, 1], "an entry lies outside its 2 rows and 2 columns"),
        ([0, 1.0, 2], [0, 1], [1, 1], "its index arrays are no lists of whole numbers"),
        ([0, 1, 2], [0, 1], ["a", "b"], "its values are no numbers"),
    ],
)
def test_a_compressed_matrix_that_contradicts_itself_is_refused(starts, inner, values, message):
    with pytest.raises(ValueError, match=message):
        compressed_entries(np.array(starts), np.array(inner), [np.array(values)], (2, 2))


@pytest.mark.parametrize(
    "altered",
    [
        {"indices": np.array([1, 0, 0, 1], np.int32)},  # node 0 has node 2 as a neighbour no more
        {"indices": np.array([1, 2, 0, 7], np.int32)},
        {"indptr": np.array([0, 2, 1, 4])},
        {"indptr": np.array([0, 2, 3])},
        {"indptr": np.array([0.0, 2, 3, 4])},
    ],
)
def test_our_own_npz_file_is_not_trusted(tmp_path, altered):
    path = tmp_path / "g.npz"
    write_graph(Graph.from_edges([[0, 1], [0, 2]]), path)
    with np.load(path) as archive:
        arrays = dict(archive) | altered
    np.savez(path, **arrays)
    assert complaint(path) == "g.npz: its arrays do not describe an undirected graph; write the file again"


def test_a_line_without_end_is_refused(complain, monkeypatch):
    monkeypatch.setattr(source, "BLOCK_BYTES", 1 << 12)
    monkeypatch.setattr(source, "MAX_LINE_BYTES", 1 << 20)
    assert complain("1," * (1 << 20)).startswith("e.csv: a line is longer than 1 MB; give one edge per line")


def test_columns_that_are_not_there(complain):
    with_header = "a,b,b\n1,2,3\n"
    assert complain(with_header, columns=("a", "z")).startswith("e.csv line 1: there is no column 'z'; the columns")
    assert complain(with_header, columns=("a", "b")).startswith("e.csv line 1: there are several columns 'b'; the")
    assert complain("1,2\n", columns=(0, 2)).startswith("e.csv: there is no column 2 among 2; columns are numbered")
    assert complain("a,b\n1,2\n", columns=("a", 0)).startswith(
        "e.csv line 1: columns ('a', 0) are one and the same; give two"
    )


@pytest.mark.parametrize("columns", ["ab", ("a",), ("a", "a"), (0, -1), (0, 1.0), (True, 0), ("a", "b", "c"), ()])
def test_columns_must_be_two(tmp_path, columns):
    with pytest.raises(InvalidParameterError, match=r"columns must be two different names, or numbers from 0, not"):
        read_graph(tmp_path / "e.csv", columns=columns)


def test_columns_are_for_tables_only(complain):
    assert complain(npy([[0, 1]]), columns=("a", "b")).startswith("e.csv: columns cannot be chosen in npy, only")


def test_an_unknown_format_lists_the_choices(complain):
    message = complain("1,2\n", format="cvs")
    assert message.startswith("format 'cvs' is unknown; choose one of edgelist, parquet, npy, npz, mtx, mat, graphm")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (parquet(a=[1], b=[2], c=[3]), "it is not clear which columns hold the node ids; choose two of a, b, c"),
        (parquet(a=[1]), "the only column is a; give two columns of node ids"),
        (parquet(u=[1.0], v=[2.0]), "column 'u' is of type double; give whole numbers from 0, or text"),
        (parquet(u=[1, 2], v=[2, None]), "row 2 has no node id in column 'v'; fill it in or delete the row"),
        (parquet(u=[1, 2], v=[2, -7]), "row 2: node id -7 in column 'v' is negative; give whole numbers from 0"),
        (
            parquet(u=pa.array([2**63], pa.uint64()), v=[1]),
            f"row 1: node id {2**63} in column 'u' does not fit",
        ),
        (parquet(u=["a", "b"], v=["a", ""]), "row 2 has no usable node id in column 'v'; fill it in"),
        (parquet(u=pa.array([], pa.int64()), v=pa.array([], pa.int64())), "there are no rows; give a file with at"),
        (parquet(u=[1], v=[2])[:-20], "is not a readable Parquet file ("),
        (b"PAR1" + bytes(100), "is not a readable Parquet file ("),
        (npy([[1.5, 2]]), "the array is of type float64; give whole numbers from 0, or text"),
        (npy([[True, False]]), "the array is of type bool; give whole numbers from 0, or text"),
        (npy([[0, 1], [2, -3]]), "the array: node id -3 of edge 1 is negative; number nodes from 0"),
        (
            npy(np.array([[0, 2**63]], np.uint64)),
            f"the array: node id {2**63} of edge 0 does not fit into 64 bits",
        ),
        (npy([[0, 1, 2]]), "the array has shape (1, 3); give pairs, shape (m, 2), or an edge_index, shape (2, m)"),
        (npy(7), "the array has shape (); give pairs, shape (m, 2), or an edge_index, shape (2, m)"),
        (npy(np.zeros((0, 2), int)), "the array holds no edges; give at least one, or num_nodes in an npz file"),
        (npy(np.array([["a", ""]])), "the array has an empty node id; give every node a name"),
        (npy(np.array([[{}, 1]], object)), "holds pickled objects, which are not read; save plain arrays"),
        (npy([[0, 1]])[:-3], "is not a readable npy file ("),
        (packed(edges=np.array([[{}, 1]], object)), "holds pickled objects, which are not read; save plain arrays"),
        (packed(a=[1], b=[2]), "there is no array called edges, edge_index, edge_list, only a, b; rename one"),
        (packed(edges=[[0, 5]], num_nodes=3), "edges holds node 5 of a graph of 3 nodes; number nodes from 0"),
        (packed(edges=[[0, 5]], num_nodes=-3), "num_nodes is -3; give one whole number from 0 to"),
        (packed(edges=[[0, 5]], num_nodes=2.5), "num_nodes is 2.5; give one whole number from 0 to"),
        (packed(edges=[[0, 1]], num_nodes=3, x=np.eye(2)), "x has 2 rows for 3 nodes; give one row per node"),
        (packed(edges=[[0, 1]], y=3), "y is a single value; give one row per node"),
        (packed(edges=[["a", "b"]], num_nodes=3), "edges holds text beside num_nodes; give node numbers, and the text"),
        (packed(edges=[[0, 1]])[:-30], "is not a readable npz file ("),
        (packed(format=b"bsr", shape=(2, 2)), "the sparse matrix is in layout 'bsr'; save matrix.tocsr() instead"),
        (packed(format=b"csr", shape=(2, 2)), "is not a readable npz file ("),
        (
            packed(format=b"csr", shape=(2, 3), data=[1], indices=[0], indptr=[0, 1, 1]),
            "the matrix is 2 x 3; give",
        ),
        (packed(format=b"csr", shape=(2, 2), data=[1], indices=[7], indptr=[0, 1, 1]), "is not a readable "),
        (packed(format=b"csr", shape=(2, 2), data=[1], indices=[0], indptr=[0, 9, 1]), "is not a readable "),
        (packed(format=b"coo", shape=(2, 2), data=[1], row=[5], col=[0]), "is not a readable "),
        (mat(A=np.eye(3)), "there is no sparse matrix, only A (double); save the adjacency matrix as net = sparse(A)"),
        (mat(A=scipy.sparse.csc_array(np.ones((2, 3)))), "there is no square sparse matrix, only A (sparse); save the"),
        (
            mat(A=scipy.sparse.eye(3), B=scipy.sparse.eye(2)),
            "there are several sparse matrices, A, B; call one",
        ),
        (mat(A=scipy.sparse.eye(3))[:-20], "is not a readable MATLAB file ("),
        (
            b"MATLAB 7.3 MAT-file".ljust(512) + b"\x89HDF\r\n\x1a\n",
            "is a MATLAB 7.3 file; save it again in MATLAB",
        ),
        (
            b"%%MatrixMarket\n",
            "line 1: expected '%%MatrixMarket matrix coordinate ...' and more; give",
        ),
        (SPARSE + b"% c\n3 3\n", "line 3: expected 3 sizes, found '3 3'; write"),
        (
            SPARSE + b"3 4 0\n",
            "line 2: the matrix is 3 x 4; give an adjacency matrix,",
        ),
        (
            SPARSE + b"% c\n",
            "there is no line with the size of the matrix; write",
        ),
        (
            SPARSE + b"3 3 99\n1 2 1\n",
            "line 2: 99 entries are announced and 1 are there; copy",
        ),
        (
            SPARSE + b"3 3 1\n1 z 1\n",
            "line 3: expected a row, a column and 1 values, found",
        ),
        (
            SPARSE + b"3 3 1\n1 2 z\n",
            "line 3: the value of entry '1 2 z' is no number",
        ),
        (
            SPARSE + b"3 3 1\n0 2 1\n",
            "line 3: entry '0 2 1' lies outside the matr",
        ),
        (
            b"%%MatrixMarket matrix coordinate real odd\n3 3 1\n1 2 1\n",
            "line 1: a matrix 'coordinate real odd' is unknown",
        ),
        (DENSE + b"1 1\nz\n", "'z' is no number; copy or download the file again"),
        (
            DENSE + b"2 2\n1\n",
            "line 2: 4 entries are announced and 1 are there; copy",
        ),
        (
            SPARSE + b"3 3 1\n1 9 1\n",
            "line 3: entry '1 9 1' lies outside the matrix of 3",
        ),
        (b"<graphml><graph><node id='a'/>", "line 1: is not XML (no element found); check that the file is complete"),
        (b"<graphml>\n<graph>\n<node/></graph></graphml>", "line 3: the id of a node or edge is missing; fill it in"),
        (b"<graphml><graph><node id='a'/>\n<node id='a'/></graph></graphml>", "line 2: node 'a' appears twice; give"),
        (b"<graphml><graph>\n<edge source='a' target='b'/></graph></graphml>", "line 2: an edge names node 'a', which"),
        (b"<graphml><graph>\n<hyperedge/></graph></graphml>", "line 2: hyperedges are not read; write each as edges"),
        (b"<?xml version='1.0'?><kml/>", "line 1: the document is <kml>, not <graphml>; save the graph as GraphML"),
        (b"graph [ node [ id 1 ] node [ id 1 ] ]", "line 1: node id 1 appears twice; give every node its own"),
        (b"graph [\n node [ label 1 ] ]", "line 2: a node has no id; give every node a whole number as its id"),
        (b"graph [ node [ id 1 ]\nedge [ source 1 target 2 ] ]", "line 2: the target of an edge is '2', which is no"),
        (b"graph [ node [ id 1 ]\nedge [ source 1 ] ]", "line 2: the target of an edge is missing; add the node"),
        (b"graph [ node [ id 1 ]\n", "line 2: the file ends inside a list; copy or download it again"),
        (b"graph [ ]\n]", "line 2: ']' is out of place; check that the file is complete"),
        (b"graph [ node [ id 1 ] ]\n&", "line 2: '&' is not GML; check that the file is complete"),
        (b"graph [ ] graph [ ]", "there are 2 graphs in the file; give one, as graph [ ... ]"),
        (b'graph [ node [ id 1\nlabel "\xff" ] ]', "line 2: is not UTF-8 text; convert the file with iconv -t UTF-8"),
    ],
)
def test_a_bad_file_of_another_format_is_named_with_a_way_out(complain, content, message):
    said = complain(content, "g")
    assert re.sub(r"^g(: | (?=line))", "", said).startswith(message)


def test_a_zip_archive_of_tables_is_no_npz(complain):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("edges.csv", "1,2\n")
    assert (
        complain(file.getvalue(), "e.zip")
        == "e.zip: is a zip archive of edges.csv, not of numpy arrays; unpack it first"
    )


@pytest.mark.parametrize("format", ["parquet", "npy", "npz", "mtx", "mat", "graphml", "gml"])
@pytest.mark.parametrize("content", [b"1,2\n", b"\0" * 300, b"<a", os.urandom(5000)])
def test_a_forced_format_that_is_wrong_is_an_error_of_ours(complain, format, content):
    assert complain(content, "e.bin", format=format).startswith("e.bin")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_entities_are_never_expanded(complain, encoding):
    laughs = "".join(f'<!ENTITY l{i} "{f"&l{i - 1};" * 10}">' for i in range(1, 10))
    text = (
        f'<?xml version="1.0" encoding="{encoding}"?>\n<!DOCTYPE graphml [<!ENTITY l0 "ha">{laughs}]>\n'
        '<graphml><graph><node id="&l9;"/></graph></graphml>'
    )
    message = complain(text.encode(encoding), "g.graphml")
    assert message == "g.graphml line 2: a document type declaration (DOCTYPE) is not read, for safety; remove it"


def test_an_external_entity_does_not_leak_a_file(complain, tmp_path):
    (tmp_path / "secret").write_text("hidden")
    text = f'<!DOCTYPE g [<!ENTITY s SYSTEM "{tmp_path}/secret">]><graphml><graph><node id="&s;"/></graph></graphml>'
    assert "DOCTYPE" in complain(text, "g.graphml")


def test_paths_that_are_no_files(tmp_path):
    assert complaint(tmp_path / "none.csv") == "none.csv: there is no such file; check the path"
    (tmp_path / "d.csv").mkdir()
    assert complaint(tmp_path / "d.csv") == "d.csv: is a directory; give one file"
    (tmp_path / "f.csv").write_text("1,2\n")
    assert complaint(tmp_path / "f.csv" / "g.csv").startswith("g.csv: cannot be read (Not a directory); check the")
    os.mkfifo(tmp_path / "pipe")
    assert complaint(tmp_path / "pipe") == "pipe: is not a regular file; save its content to a file first"
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    assert complaint(tmp_path / "loop").startswith("loop: cannot be read (")
    with pytest.raises(GraphFormatError, match="cannot be read"):
        read_graph(tmp_path / ("n" * 5000))
    with pytest.raises(GraphFormatError, match="NUL character"):
        read_graph("a\0b")
    with pytest.raises(GraphFormatError, match=r"a\\nb: there is no such file; check the path"):
        read_graph("a\nb")


def test_permission_denied(tmp_path, monkeypatch):
    path = tmp_path / "e.csv"
    path.write_text("1,2\n")

    def refuse(*_, **__):
        raise PermissionError(13, "Permission denied")

    # the superuser may read everything, so the refusal is played
    monkeypatch.setattr(Path, "open", refuse)
    assert complaint(path) == "e.csv: permission to read it is denied; change its access rights"


def test_a_file_larger_than_memory_is_refused_before_it_is_read(tmp_path, monkeypatch):
    path = tmp_path / "huge.csv"
    with path.open("wb") as file:
        file.write(b"0,1\n")
        file.truncate(1 << 40)  # a hole, not a terabyte
    with pytest.raises(LimitExceededError, match=r"huge.csv: reading it takes about 2,560.0 GB of memory and .* are a"):
        read_graph(path)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("e.csv.gz", gzip.compress(b"1,2\n" * 1_500_000, mtime=0)),
        ("e.txt.zst", zstandard.compress(b"a b\n" * 1_500_000)),
        ("g.gml.gz", gzip.compress(b"graph [ ]" + b" " * 5_000_000, mtime=0)),
        ("e.npy.gz", gzip.compress(npy(np.zeros((2_000_000, 2), int)), mtime=0)),
        ("m.mtx", b"%%MatrixMarket matrix coordinate pattern general\n2000000000 2000000000 0\n"),
        ("m.mtx", DENSE + b"1000000 1000000\n" + b"1\n" * 100),
        ("e.npz", packed(edges=np.zeros((0, 2), int), num_nodes=2_000_000_000)),
        ("m.npz", packed(format=b"csr", shape=(10**9, 10**9), data=[1], indices=[0], indptr=[0, 1])),
    ],
)
def test_a_small_file_that_unpacks_to_more_than_memory_is_refused(complain, monkeypatch, name, content):
    monkeypatch.setattr(memory, "available_memory", lambda: 30_000_000)
    message = complain(content, name)
    assert re.search("takes about .* of memory and 28 MB are available; use a larger machine", message)


def test_progress_that_raises_is_not_swallowed(tmp_path):
    path = tmp_path / "e.csv"
    path.write_text("1,2\n")

    def stop(done, total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        read_graph(path, progress=stop)


@pytest.mark.parametrize("encoding", ["Shift_JIS", "utf-7", "gb18030", "euc-kr", "idna", "rot13", "x"])
def test_graphml_in_an_encoding_that_expat_cannot_read(complain, encoding):
    text = f'<?xml version="1.0" encoding="{encoding}"?><graphml><graph><node id="a"/></graph></graphml>'
    assert complain(text, "g.graphml") == "g.graphml line 1: is in an encoding that is not read; save it as UTF-8"


@pytest.mark.parametrize("encoding", ["latin-1", "cp1252", "koi8-r", "ascii"])
def test_graphml_in_an_encoding_of_single_bytes(tmp_path, encoding):
    text = f'<?xml version="1.0" encoding="{encoding}"?><graphml><graph><node id="a"/></graph></graphml>'
    (tmp_path / "g.graphml").write_text(text)
    assert read_graph(tmp_path / "g.graphml").num_nodes == 1


def test_numbers_of_thousands_of_digits(complain, tmp_path):
    digits = "9" * 5000
    gml = f'graph [ node [ id 1 label "&#{digits};" ] ]'
    assert complain(gml, "g.gml").endswith("names no character; write it plainly")
    assert "does not fit into 64 bits" in complain(f"{digits},1\n1,2\n", "e.csv")
    (tmp_path / "z.csv").write_text(f"{'0' * 5000},1\n1,2\n")
    assert read_graph(tmp_path / "z.csv").num_nodes == 3
    assert "is not a whole number" in complain(f"{'0' * 5000},1\n2.5,2\n", "e.csv")


def test_a_text_that_unpacks_without_end_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("edgeorbit.graph.reading.source.FREE_UNPACKING", 1 << 20)
    (tmp_path / "blank.csv.gz").write_bytes(gzip.compress(b"\n" * (1 << 24), mtime=0))
    assert "unpacks to more than 300 times its size" in complaint(tmp_path / "blank.csv.gz")
    (tmp_path / "e.csv.gz").write_bytes(
        gzip.compress(b"".join(b"%d,%d\n" % (i, i + 1) for i in range(300_000)), mtime=0)
    )
    assert read_graph(tmp_path / "e.csv.gz").num_edges == 300_000


@pytest.mark.parametrize(
    "text",
    ["[[[[[\n1,2\n2,3\n", "%%MatrixMarket matrix coordinate pattern general\n4 4 3\n[[[\n1 2\n2 3\n"],
    ids=["edge list", "MatrixMarket"],
)
def test_threads_of_arrow_hold_nothing_of_python_when_a_line_is_bad(tmp_path, monkeypatch, text) -> None:
    """They may outlive the error, and to free such an object while the interpreter ends would abort the process."""
    given = []
    plain = pa.BufferReader
    monkeypatch.setattr(pa, "BufferReader", lambda buffer: given.append(buffer) or plain(buffer))
    (tmp_path / "a.csv").write_text(text)
    assert "expected" in complaint(tmp_path / "a.csv", threads=2)
    assert given
    assert all(isinstance(buffer, pa.Buffer) and buffer.is_mutable for buffer in given)  # that of bytes is not
