"""Where edges come from: files of one kind, patterns and directories, and what is refused."""

import gzip

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from edgeorbit.engines import _sources as sources
from edgeorbit.engines import measure
from edgeorbit.engines._duckdb import parse_size
from edgeorbit.engines._sources import find_edges
from edgeorbit.errors import EdgeorbitError, GraphFormatError, InvalidParameterError, LimitExceededError
from engines.partitions import counts

PATH = [(1, 2), (2, 3), (3, 4)]


def write_parquet(path, **columns):
    pq.write_table(pa.table(columns), path)
    return path


TEXTS = {
    "comma.csv": "source,target\n1,2\n2,3\n3,4\n",
    "weights.csv": "w,source,target\n0.5,1,2\n0.5,2,3\n0.1,3,4\n",
    "bare.txt": "1 2\n2 3\n3 4\n",
    "snap.txt": "# a comment\n# FromNodeId\tToNodeId\n1\t2\n2\t3\n3\t4\n",
    "quoted.csv": 'a,b\n"x, y",z\nz,w\nw,"v"\n',
    "mixed.csv": "source,target\n1,b\nb,3\n3,4\n",
    "semicolon.csv": "from;to\n1;2\n2;3\n3;4\n",
}


@pytest.mark.parametrize("name", TEXTS)
def test_edge_lists_are_read_as_in_memory(tmp_path, name) -> None:
    path = tmp_path / name
    path.write_text(TEXTS[name])
    assert counts(measure(path, "duckdb")) == counts(measure(path, "memory"))


def test_spark_reads_edge_lists_too(spark, tmp_path) -> None:
    path = tmp_path / "snap.txt"
    path.write_text(TEXTS["snap.txt"])
    assert counts(measure(path, "spark", 0, session=spark)) == counts(measure(path, "memory", 0))


def test_a_session_that_runs_is_used_and_lives_on(spark, edges_file) -> None:
    assert measure(edges_file(PATH), "spark", 0).num_edges == 3
    assert spark.range(3).count() == 3
    with pytest.raises(InvalidParameterError, match="is running in this process; give it as session"):
        measure(edges_file(PATH), "spark", 0, master="local[1]")


def test_spark_reads_tables_by_name(spark) -> None:
    spark.createDataFrame(PATH, "head INT, tail INT").createOrReplaceTempView("links")
    found = measure("links", "spark", 0, session=spark)
    assert (found.graph, found.num_nodes, found.num_edges) == ("links", 4, 3)


def test_compressed_text_is_read(tmp_path) -> None:
    path = tmp_path / "comma.csv.gz"
    path.write_bytes(gzip.compress(TEXTS["comma.csv"].encode()))
    assert measure(path, "duckdb").num_edges == 3


@pytest.mark.parametrize("pattern", ["parts", "parts/*.parquet", "parts/part-?.parquet"])
def test_many_files_are_one_graph(tmp_path, pattern) -> None:
    (tmp_path / "parts").mkdir()
    for number, (a, b) in enumerate(PATH):
        write_parquet(tmp_path / "parts" / f"part-{number}.parquet", source=[a], target=[b])
    (tmp_path / "parts" / "_SUCCESS").touch()
    found = measure(tmp_path / pattern)
    assert (found.engine, found.num_nodes, found.num_edges, found.ear) == ("duckdb", 4, 3, pytest.approx(2 / 3))


@pytest.mark.parametrize(
    ("columns", "sentence"),
    [
        (None, "is not a readable Parquet file"),
        ({"source": ["a"], "target": ["b"]}, "its node ids are of another type than those of"),
        ({"source": [1.5], "target": [2.5]}, "column 'source' is of type double"),
        ({"source": [[1]], "target": [2]}, "column 'source' is of type list"),
        ({"a": [1], "b": [2]}, "has no column 'source', only a, b"),
    ],
)
def test_each_of_many_files_is_checked(tmp_path, columns, sentence) -> None:
    write_parquet(tmp_path / "part-1.parquet", source=[1, 2], target=[2, 3])
    if columns is None:
        (tmp_path / "part-2.parquet").write_bytes((tmp_path / "part-1.parquet").read_bytes()[:-20])
    else:
        write_parquet(tmp_path / "part-2.parquet", **columns)
    with pytest.raises(GraphFormatError) as caught:
        measure(tmp_path / "part-*.parquet")
    assert str(caught.value).startswith(f"{tmp_path / 'part-2.parquet'}: ") and sentence in str(caught.value)


def test_columns_may_be_chosen_by_name_or_number(tmp_path) -> None:
    path = write_parquet(tmp_path / "p.parquet", w=[1, 1, 1], a=[1, 2, 3], b=[2, 3, 4])
    assert find_edges(path, ("a", "b")).columns == find_edges(path, (1, 2)).columns == ("a", "b")
    assert measure(path, "duckdb", columns=("a", "b")).num_edges == 3


def test_names_of_columns_and_files_are_quoted(tmp_path) -> None:
    path = write_parquet(tmp_path / "it's.parquet", **{'so"urce': [1, 2], "tar'get": [2, 3]})
    assert measure(path, "duckdb").num_edges == 2


def test_large_and_sparse_numbers_are_ids(tmp_path) -> None:
    path = write_parquet(tmp_path / "p.parquet", source=[2**62, 5], target=[5, 10**15])
    assert counts(measure(path, "duckdb", tail_memory=0)) == counts(measure(path, "memory"))


@pytest.mark.parametrize("engine", ["duckdb", "memory"])
@pytest.mark.parametrize(
    ("columns", "sentence"),
    [
        ({"only": [1, 2]}, "the only column is only; give two columns of node ids"),
        ({"a": [1], "b": [2], "c": [3]}, "choose two of a, b, c"),
        ({"source": [1.5], "target": [2.5]}, "column 'source' is of type double"),
        ({"source": [-1], "target": [2]}, "-1"),
        ({"source": [None, 1], "target": [2, 2]}, "node id"),
        ({"source": ["", "a"], "target": ["b", "b"]}, "node id"),
        ({"source": pa.array([], pa.int64()), "target": pa.array([], pa.int64())}, "there are no rows"),
    ],
)
def test_parquet_that_is_no_graph_gets_one_sentence(tmp_path, engine, columns, sentence) -> None:
    path = write_parquet(tmp_path / "bad.parquet", **columns)
    with pytest.raises(GraphFormatError) as caught:
        measure(path, engine)
    assert sentence in str(caught.value) and "\n" not in str(caught.value) and "bad.parquet" in str(caught.value)


@pytest.mark.parametrize("content", ["source,target\n1,2\n3\n", "1,2\n3,4,5,6\n"])
def test_broken_lines_get_one_sentence(tmp_path, content) -> None:
    path = tmp_path / "bad.csv"
    path.write_text(content)
    with pytest.raises(EdgeorbitError) as caught:
        measure(path, "duckdb")
    assert "\n" not in str(caught.value)


def test_a_dataframe_without_two_columns_of_ids_is_refused(spark) -> None:
    for schema, sentence in (("a INT", "the only column is a"), ("source DOUBLE, target INT", "is of type double")):
        frame = spark.createDataFrame([], schema)
        with pytest.raises(GraphFormatError, match=sentence):
            measure(frame, session=spark)


def test_files_of_two_kinds_are_refused(tmp_path) -> None:
    write_parquet(tmp_path / "a.parquet", source=[1], target=[2])
    (tmp_path / "b.csv").write_text("1,2\n")
    with pytest.raises(GraphFormatError, match="holds edgelist, parquet; this engine reads files of one kind"):
        measure(tmp_path, "duckdb")


@pytest.mark.parametrize(
    ("text", "size"), [("1GB", 10**9), ("1.5 gib", 3 << 29), ("300MB", 3 * 10**8), ("2", 2 * 10**9)]
)
def test_sizes_are_read_as_people_write_them(text, size) -> None:
    assert parse_size(text) == size


@pytest.mark.parametrize("text", ["", "lots", "1 XB", "-1GB", "GB"])
def test_other_sizes_are_refused(text) -> None:
    with pytest.raises(InvalidParameterError, match="is no size of memory; write it as 1GB or 500MB"):
        parse_size(text)


@pytest.mark.parametrize("available", [1 << 10, 1 << 40])
def test_the_engine_follows_from_the_memory_there_is(tmp_path, monkeypatch, available) -> None:
    path = write_parquet(tmp_path / "p.parquet", source=list(range(1000)), target=list(range(1, 1001)))
    monkeypatch.setattr(sources, "available_memory", lambda: available)
    fits = available == 1 << 40
    engine, reason = sources.choose_engine(path)
    assert engine == ("memory" if fits else "duckdb") and bool(reason) != fits
    if not fits:
        with pytest.raises(LimitExceededError, match=r"are needed in memory .*; use edgeorbit ear .* --engine duckdb"):
            measure(path, "memory")


def test_the_estimate_of_rows_of_text_is_near(tmp_path) -> None:
    path = tmp_path / "many.csv"
    path.write_text("".join(f"{i % 1000},{i % 777}\n" for i in range(50_000)))
    assert find_edges(path).estimate_rows() == pytest.approx(50_000, rel=0.1)


def test_unknown_engines_and_colours_to_start_from_are_refused(edges_file) -> None:
    with pytest.raises(InvalidParameterError, match="unknown engine 'flink'; choose from auto, memory, duckdb, spark"):
        measure(edges_file(PATH), "flink")
    with pytest.raises(InvalidParameterError, match="the engine duckdb starts from nodes that are all alike"):
        measure(edges_file(PATH), "duckdb", initial="labels")
