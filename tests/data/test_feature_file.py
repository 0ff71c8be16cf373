"""Features of the user's own: matched to the nodes by order or by id, or refused with the file and the line."""

import gzip
import random
import warnings

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from edgeorbit import _memory as memory
from edgeorbit.data import load_graph
from edgeorbit.errors import EdgeorbitError, GraphFormatError
from edgeorbit.graph.writing import write_graph

NAMES = ["ann", "bob", "cid", "dan"]
X = np.array([[1, 2.5, 0], [0, 0, 3], [4, 0, 0], [0, 5, 6]])


@pytest.fixture
def links(tmp_path):
    """A path of four people."""
    path = tmp_path / "links.csv"
    path.write_text("dan,cid\ncid,bob\nbob,ann\n")
    return path


@pytest.fixture
def numbers(tmp_path):
    """A path of four nodes whose numbers have gaps."""
    path = tmp_path / "numbers.csv"
    path.write_text("100,7\n7,30\n30,9\n")
    return path


def save(tmp_path, kind):
    """Write X, in ascending order of the ids or by id."""
    path = tmp_path / f"x.{kind}"
    match kind:
        case "npy":
            np.save(path, X)
        case "npz":
            np.savez(path, X)
        case "x.npz":
            np.savez(path, x=X, other=np.ones(3))
        case "sparse.npz":
            scipy.sparse.save_npz(path, scipy.sparse.csr_array(X))
        case "csv" | "csv.gz":
            rows = [f"{name},{','.join(map(str, row))}\n" for name, row in zip(NAMES, X.tolist(), strict=True)]
            text = ("node,a,b,c\n" + "".join(reversed(rows))).encode()
            path.write_bytes(gzip.compress(text) if kind.endswith("gz") else text)
        case "parquet":
            columns = {"node": NAMES[::-1]} | {str(k): X[::-1, k] for k in range(3)}
            pq.write_table(pa.table(columns), path)
    return path


@pytest.mark.parametrize("kind", ["npy", "npz", "x.npz", "sparse.npz", "csv", "csv.gz", "parquet"])
def test_every_kind_of_file_gives_the_same_features(links, tmp_path, kind):
    graph = load_graph(links, features_file=save(tmp_path, kind))
    dense = graph.x.toarray() if kind == "sparse.npz" else graph.x
    assert graph.node_names.tolist() == NAMES and graph.x.dtype == np.float32
    assert np.array_equal(dense, X.astype(np.float32))


@given(
    hnp.arrays(np.float32, (4, 3), elements=st.floats(allow_nan=False, allow_infinity=False, width=32)),
    st.permutations(range(4)),
)
def test_rows_with_ids_may_stand_in_any_order(tmp_path, x, order):
    (tmp_path / "numbers.csv").write_text("100,7\n7,30\n30,9\n")
    ids = [7, 9, 30, 100]
    lines = [f"{ids[node]}\t" + "\t".join(map(repr, x[node].tolist())) for node in order]
    (tmp_path / "x.tsv").write_text("# mine\n\n" + "\n".join(lines))
    pq.write_table(
        pa.table({"id": [ids[node] for node in order]} | {str(k): x[list(order), k] for k in range(3)}),
        tmp_path / "x.pq",
    )
    for name in ("x.tsv", "x.pq"):
        assert np.array_equal(load_graph(tmp_path / "numbers.csv", features_file=tmp_path / name).x, x)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("7 1 2\n9 3 4\n30  5 6\n100 7 8\n", [[1, 2], [3, 4], [5, 6], [7, 8]]),
        ("id;v\n100;-1e3\n30;0.5\n9; 2\n7;1\n", [[1], [2], [0.5], [-1000]]),
        ('"7","1"\r\n"9","2"\r\n"30","3"\r\n"100","4"\r\n', [[1], [2], [3], [4]]),
    ],
)
def test_text_is_read_as_people_write_it(numbers, tmp_path, text, expected):
    (tmp_path / "x.txt").write_bytes(text.encode())
    assert load_graph(numbers, features_file=tmp_path / "x.txt").x.tolist() == expected


@pytest.mark.parametrize(
    "values", [np.arange(4), np.arange(4) > 1, np.arange(4, dtype=np.uint8), np.ones(4, np.float16)]
)
def test_a_list_of_numbers_is_one_feature(numbers, tmp_path, values):
    np.save(tmp_path / "x.npy", values)
    assert load_graph(numbers, features_file=tmp_path / "x.npy").x.tolist() == [[float(value)] for value in values]


def test_features_replace_those_that_the_graph_has_and_a_data_set_takes_them_too(tmp_path):
    np.save(tmp_path / "x.npy", np.arange(34))
    write_graph(load_graph("karate").with_attributes(x=np.ones((34, 2))), tmp_path / "karate.npz")
    for source in ("karate", tmp_path / "karate.npz"):
        assert load_graph(source, features_file=tmp_path / "x.npy").x[33, 0] == 33
    assert load_graph("karate", features_file=tmp_path / "x.npy", features=False).x is None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("ann,1\nbob,2\ncid,x\ndan,3\n", r"x\.csv line 3: expected a number, found 'x'"),
        ("ann,1\nbob,\ncid,2\ndan,3\n", "line 2: expected a number, found ''"),
        ("ann,1\nbob,2\n\ncid,nan\ndan,3\n", "line 4: a number is missing or not finite"),
        ("ann,1\nbob,2\ncid,1e999\ndan,3\n", "line 3: a number is missing or not finite"),
        ("ann,1\nbob,2\ncid,1e300\ndan,3\n", "line 3: a number is missing or not finite"),
        ("ann,1\nbob,2\neve,3\ndan,3\n", "line 3: there is no node eve in links; name nodes of the graph"),
        ("ann,1\nbob,2\nann,3\ndan,3\n", "line 3: node ann comes a second time"),
        ("ann,1\nbob,2\ndan,3\n", r"x\.csv: there are no features of node cid of links"),
        ("ann,1\nbob,2,3\n", "line 2: expected a node id and 1 numbers, found 3 cells in all"),
        ("ann,1,2\nbob,2\n", "line 2: expected a node id and 2 numbers, found 2 cells in all"),
        ("ann\nbob\n", "line 1: expected a node id and 1 numbers, found the id alone"),
        ("node,age\n", "holds no features"),
        ("# nothing\n", "holds no features"),
        (b"ann,1\nb\xffb,2\n", "is not a readable text file"),
        ("a,b\na,b\n", "line 2: expected a number, found 'b'"),
    ],
)
def test_text_that_does_not_fit_is_named_with_its_line(links, tmp_path, text, message):
    (tmp_path / "x.csv").write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(GraphFormatError, match=message) as caught:
        load_graph(links, features_file=tmp_path / "x.csv")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("array", "message"),
    [
        (np.ones((3, 2)), "has 3 rows and links has 4 nodes; give one row for every node, in ascending order"),
        (np.ones((4, 2, 2)), r"has shape \(4, 2, 2\)"),
        (np.ones((4, 0)), r"has shape \(4, 0\)"),
        (np.array(["a"] * 4), "holds values of type <U1"),
        (np.ones((4, 2), complex), "holds values of type complex128"),
        (np.array([{}] * 4, object), r"x\.npy: holds pickled objects, which are not read"),
        (np.array([[1], [2], [np.nan], [3]]), r"row 2 \(from 0\) holds a number that is not finite"),
        (np.array([[1], [2], [1e300], [3]]), r"row 2 \(from 0\) holds a number that is not finite"),
        (np.float64(3), r"has shape \(\)"),
    ],
)
def test_arrays_that_do_not_fit_are_refused(links, tmp_path, array, message):
    np.save(tmp_path / "x.npy", array)
    with pytest.raises(GraphFormatError, match=message):
        load_graph(links, features_file=tmp_path / "x.npy")


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("kind", ["npy", "npz", "parquet"])
def test_a_signalling_nan_is_a_number_that_is_not_finite(links, tmp_path, kind):
    values = np.array([1, 0x7FF0_0000_0000_0001, 2, 3], np.uint64)  # the bits of one stand in damaged files
    values[[0, 2, 3]] = np.array([1.0, 2.0, 3.0]).view(np.uint64)
    path, x = tmp_path / f"x.{kind}", values.view(np.float64)
    if kind == "parquet":
        pq.write_table(pa.table({"node": load_graph(links).names(np.arange(4)), "x": x}), path)
    else:
        np.save(path, x) if kind == "npy" else np.savez(path, x=x)
    with pytest.raises(GraphFormatError, match="not finite"):
        load_graph(links, features_file=path)


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"a": np.ones(4), "b": np.ones(4)}, "not clear which array holds the features; call one of a, b x"),
        ({"x_data": np.ones(2), "x_indices": np.array([0, 9])}, "is not a readable npz file"),
        (
            {
                "x_data": np.ones(2),
                "x_indices": np.array([0, 9]),
                "x_indptr": np.array([0, 1, 1, 1, 2]),
                "x_shape": [4, 3],
            },
            "an entry lies outside",
        ),
        (
            {
                "x_data": [1, np.inf],
                "x_indices": np.array([0, 2]),
                "x_indptr": np.array([0, 1, 1, 2, 2]),
                "x_shape": [4, 3],
            },
            r"row 2 \(from 0\) holds a number that is not finite",
        ),
    ],
)
def test_archives_that_do_not_fit_are_refused(links, tmp_path, arrays, message):
    np.savez(tmp_path / "x.npz", **arrays)
    with pytest.raises(GraphFormatError, match=message):
        load_graph(links, features_file=tmp_path / "x.npz")


def test_a_sparse_matrix_in_another_layout_is_refused(links, tmp_path):
    scipy.sparse.save_npz(tmp_path / "x.npz", scipy.sparse.coo_array(X))
    with pytest.raises(GraphFormatError, match=r"layout .*coo.*; save matrix\.tocsr\(\) instead"):
        load_graph(links, features_file=tmp_path / "x.npz")


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"node": NAMES}, "has a single column"),
        ({"node": NAMES, "age": ["a"] * 4}, "column 'age' is of type string, not of numbers"),
        ({"node": ["ann", None, "cid", "dan"], "age": [1, 2, 3, 4]}, "row 2: there is no node id"),
        ({"node": NAMES, "age": [1, 2, None, 4]}, "row 3: a number is missing or not finite"),
        ({"node": NAMES, "age": [True, None, False, True]}, "row 2: a number is missing or not finite"),
        ({"node": NAMES[:3], "age": [1, 2, 3]}, "there are no features of node dan"),
        ({"node": pa.array([], pa.string()), "age": pa.array([], pa.int64())}, "there are no features of node ann"),
    ],
)
def test_parquet_that_does_not_fit_is_named_with_its_row(links, tmp_path, columns, message):
    pq.write_table(pa.table(columns), tmp_path / "x.parquet")
    with pytest.raises(GraphFormatError, match=message):
        load_graph(links, features_file=tmp_path / "x.parquet")


def test_files_of_another_kind_are_named(links, tmp_path):
    (tmp_path / "x.mtx").write_text("%%MatrixMarket matrix coordinate real general\n1 1 0\n")
    for path, message in [
        (tmp_path / "x.mtx", "holds no features but a graph in mtx"),
        (tmp_path / "none.csv", r"none\.csv: there is no such file; check the path of the features"),
        (tmp_path, "is a directory"),
    ]:
        with pytest.raises(GraphFormatError, match=message):
            load_graph(links, features_file=path)


@pytest.mark.filterwarnings("ignore:Reading `.npy`")
@pytest.mark.parametrize("kind", ["npy", "x.npz", "sparse.npz", "csv", "csv.gz", "parquet"])
def test_damaged_files_give_features_or_an_error_of_ours(links, tmp_path, monkeypatch, kind):
    monkeypatch.setattr(memory, "available_memory", lambda: 1 << 28)
    rng, path = random.Random(11), save(tmp_path, kind)
    good, outcomes = path.read_bytes(), [0, 0]
    for _ in range(150):
        bad = bytearray(good)
        for _ in range(rng.choice((1, 1, 3))):
            place = rng.randrange(len(bad) + 1)
            bad[place : place + rng.choice((0, 1, 4, 100))] = rng.choice(
                (b"", b"\n", b",", b"nan", b"\xff", b"1", b"\0" * 4)
            )
        path.write_bytes(bad)
        try:
            x = load_graph(links, features_file=path).x
            assert x.shape[0] == 4 and x.dtype == np.float32
            outcomes[0] += 1
        except EdgeorbitError as error:
            assert "\n" not in str(error) and path.name in str(error)
            outcomes[1] += 1
    assert outcomes[1] > 20


def test_a_sparse_matrix_with_a_shape_of_complex_numbers_is_refused(tmp_path):
    path = tmp_path / "x.npz"
    parts = {"data": np.ones(1), "indices": np.zeros(1, np.int32), "indptr": np.repeat([0, 1], [1, 34])}
    np.savez(path, format="csr", shape=np.array([34, 1 + 1j]), **parts)
    with warnings.catch_warnings(action="error"), pytest.raises(GraphFormatError, match="must be two integers"):
        load_graph("karate", features_file=path)


def test_a_bomb_of_blank_lines_is_refused(tmp_path):
    path = tmp_path / "x.csv.gz"
    path.write_bytes(gzip.compress(b"\n" * 2_000_000))
    with pytest.raises(GraphFormatError, match="more than 1,000,000 blank lines"):
        load_graph("karate", features_file=path)
