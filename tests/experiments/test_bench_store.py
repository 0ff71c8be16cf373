"""The store: rows of many processes and versions in one file, and questions to it that can do no harm."""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet
import pytest

from edgeorbit.errors import EdgeorbitError, GraphFormatError, InvalidParameterError
from edgeorbit.experiments.store import SCHEMA, SCHEMA_KEY, Store

ROW = {"key": "a", "data": "d", "model": "m", "seed": 0, "negatives": "random"}


@pytest.fixture
def store(tmp_path) -> Store:
    store = Store(tmp_path / "r.parquet")
    store.add([ROW | {"test_auc": 0.5}, ROW | {"negatives": "orbit", "test_auc": 0.25}])
    store.add([ROW | {"key": "b", "model": "n", "failed": "for a reason"}])
    return store


def test_rows_of_the_same_cell_are_replaced_and_columns_grow(tmp_path) -> None:
    store = Store(tmp_path / "r.parquet")
    store.add([ROW | {"test_auc": 0.5, "epochs": 3}])
    store.add([ROW | {"key": "b", "epochs": 0.5}])
    store.add([ROW | {"test_auc": 0.7, "extra": "x"}])
    assert {found["key"]: found["test_auc"] for found in Store(store.path).rows} == {"a": 0.7, "b": None}
    assert Store(store.path).rows == store.rows and store.column("extra") == [None, "x"]
    assert [path.name for path in store.path.parent.iterdir()] == ["r.parquet"]


def test_rows_of_cells_are_removed_and_the_others_are_as_they_were(store, tmp_path) -> None:
    before = store.path.read_bytes()
    assert store.remove({"none"}) == 0 and store.path.read_bytes() == before
    store.add([ROW | {"key": "c"}])
    assert store.remove({"b", "none"}) == 1 and store.keys == Store(store.path).keys == {"a", "c"}
    assert [row.get("test_auc") for row in store.rows] == [0.5, 0.25, None]
    assert store.remove({"a", "c"}) == 3 and Store(store.path).rows == []
    assert Store(tmp_path / "none.parquet").remove({"a"}) == 0
    assert [path.name for path in tmp_path.iterdir()] == ["r.parquet"]


def test_a_file_of_an_older_form_is_read_and_added_to_and_a_copy_is_kept(tmp_path) -> None:
    path = tmp_path / "r.parquet"
    pyarrow.parquet.write_table(pa.table({name: [value] for name, value in ROW.items()} | {"old": [1]}), path)
    before = path.read_bytes()
    store = Store(path)
    assert store.keys == {"a"} and store.column("code") == [None]
    store.add([ROW | {"key": "b", "code": "c"}])
    assert store.column("code") == [None, "c"] and Store(path).column("old") == [1, None]
    Store(path).add([ROW | {"key": "c"}])
    assert {each.name for each in tmp_path.iterdir()} == {"r.parquet", "r.form0.parquet"}
    assert (tmp_path / "r.form0.parquet").read_bytes() == before


def test_a_file_of_a_newer_form_is_told_apart(store) -> None:
    table = pyarrow.parquet.read_table(store.path)
    assert table.schema.metadata[SCHEMA_KEY] == str(SCHEMA).encode()
    newer = table.replace_schema_metadata({SCHEMA_KEY: str(SCHEMA + 1)})
    pyarrow.parquet.write_table(newer, store.path)
    with pytest.raises(GraphFormatError, match="written by a newer edgeorbit"):
        Store(store.path)
    with pytest.raises(GraphFormatError, match="newer"), store.alone():
        pass
    assert pyarrow.parquet.read_table(store.path).equals(newer)


def test_a_file_of_something_else_is_no_store(tmp_path) -> None:
    (tmp_path / "text.parquet").write_text("no table")
    pyarrow.parquet.write_table(pa.table({"a": [1]}), tmp_path / "other.parquet")
    for name in ("text.parquet", "other.parquet"):
        with pytest.raises(GraphFormatError, match=name):
            Store(tmp_path / name)


def test_a_directory_is_no_store(tmp_path) -> None:
    with pytest.raises(GraphFormatError, match="is a directory"):
        Store(tmp_path)


def test_one_process_at_a_time_writes_and_sees_what_was_written_before(store) -> None:
    other = Store(store.path)
    with store.alone():
        refused = pytest.raises(EdgeorbitError, match="another bench is running on these results; wait for it with --w")
        with refused, other.alone():
            pass
        store.add([ROW | {"key": "c"}])
    assert other.keys == {"a", "b"}
    with other.alone():
        assert other.keys == {"a", "b", "c"}
    assert [path.name for path in store.path.parent.iterdir()] == ["r.parquet"]


def test_questions_in_sql_are_answered(store) -> None:
    found = store.query(
        "SELECT model, avg(test_auc) AS auc, count(failed) AS failed FROM results GROUP BY ALL ORDER BY 1"
    )
    assert found == [{"model": "m", "auc": 0.375, "failed": 0}, {"model": "n", "auc": None, "failed": 1}]
    assert store.query("SELECT * FROM results WHERE seed > 5") == []
    assert Store(store.path.with_name("none.parquet")).query("SELECT count(*) AS n FROM results") == [{"n": 0}]


def test_questions_reach_no_file_and_change_nothing(store, tmp_path) -> None:
    secret = tmp_path / "secret.csv"
    secret.write_text("a\n1\n")
    before = store.path.read_bytes()
    rows = [1]  # a variable, which duckdb would find as a table  # noqa: F841
    for sql in (
        f"SELECT * FROM read_csv('{secret}')",
        f"SELECT * FROM '{secret}'",
        f"COPY results TO '{tmp_path / 'out.csv'}'",
        f"ATTACH '{tmp_path / 'new.db'}'",
        f"EXPORT DATABASE '{tmp_path / 'new'}'",
        "INSTALL httpfs",
        "SET enable_external_access = true",
        "SELECT * FROM given",
        "SELECT * FROM rows",
        "SELECT",
        "SELECT nothing FROM results",
    ):
        with pytest.raises(InvalidParameterError) as error:
            store.query(sql)
        assert "\n" not in str(error.value)
    store.query("DELETE FROM results")
    assert store.path.read_bytes() == before and len(store.query("FROM results")) == 3
    assert {path.name for path in Path(tmp_path).iterdir()} == {"r.parquet", "secret.csv"}
