"""Result files of others: whatever their columns hold, reports and benches show them or say what is wrong."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from edgeorbit.errors import EdgeorbitError, GraphFormatError
from edgeorbit.experiments.store import Store
from edgeorbit.experiments.tables import read_results, to_csv

ROWS = [
    {"key": f"k{seed}", "data": "karate", "model": "ra", "seed": seed, "negatives": "random", "features": "constant"}
    | {"test_auc": 0.5, "seconds": 1.0}
    for seed in range(3)
]


def written(path: Path, name: str, values: list[Any], kind: pa.DataType | None = None) -> Path:
    """Write results in which a column holds these values."""
    table = pa.Table.from_pylist(ROWS)
    column = pa.array(values, kind)
    place = table.column_names.index(name) if name in table.column_names else None
    table = table.append_column(name, column) if place is None else table.set_column(place, name, column)
    pq.write_table(table, path)
    return path


@pytest.mark.parametrize(
    ("name", "values", "kind", "sentence"),
    [
        ("model", [["ra"]] * 3, None, "column 'model' is of type list"),
        ("data", [{"a": 1}] * 3, None, "column 'data' is of type struct"),
        ("key", [b"a"] * 3, None, "column 'key' is of type binary"),
        ("seed", ["0"] * 3, None, "the column 'seed' holds string, not whole numbers"),
        ("seed", [2**63] * 3, pa.uint64(), "no table of results"),
        ("test_auc", ["good"] * 3, None, "the column 'test_auc' holds string, not numbers"),
        ("test_auc", [float("nan")] * 3, None, "a value outside -1e+15 to 1e+15"),
        ("test_auc", [float("inf")] * 3, None, "a value outside"),
        ("seconds", [-1.0] * 3, None, "'seconds' holds a value outside 0 to"),
        ("train_ear", [[0.5]] * 3, None, "column 'train_ear' is of type list"),
        ("model", ["ra", None, "ra"], None, "a value of the column 'model' is missing"),
        ("failed", [1, 2, 3], None, "the column 'failed' holds int64, not text"),
        ("note", [b"\xff"] * 3, None, "column 'note' is of type binary"),
        ("a" * 3000, [[1]] * 3, None, "..."),
    ],
)
def test_columns_of_another_kind_are_one_sentence(tmp_path, name, values, kind, sentence) -> None:
    path = written(tmp_path / "r.parquet", name, values, kind)
    for read in (Store, read_results):
        with pytest.raises(GraphFormatError) as caught:
            read(path)
        message = str(caught.value)
        assert message.startswith(str(path)) and sentence in message and len(message) < 400


@pytest.mark.parametrize(
    ("name", "values", "kind"),
    [
        ("model", ["ra"] * 3, pa.dictionary(pa.int8(), pa.string())),
        ("model", ["ra"] * 3, pa.large_string()),
        ("seed", [0, 1, 2], pa.int8()),
        ("test_auc", [1, 0, 1], pa.int32()),
        ("test_auc", [0.5, 0.25, None], pa.float16()),
        ("test_auc", [None] * 3, pa.float64()),
        ("covered", [None] * 3, pa.null()),
        ("note", ["mine"] * 3, pa.string()),
    ],
)
def test_columns_of_a_kindred_type_are_read(tmp_path, name, values, kind) -> None:
    path = written(tmp_path / "r.parquet", name, values, kind)
    assert "ra" in to_csv([read_results(path)]) or all(value is None for value in values)
    store = Store(path)
    store.add([ROWS[0] | {"key": "new", "note": "x"}])
    assert len(Store(path).rows) == 4


@pytest.mark.parametrize("name", ["key", "data", "model", "seed", "negatives"])
def test_a_missing_column_is_named(tmp_path, name) -> None:
    pq.write_table(pa.Table.from_pylist(ROWS).drop_columns([name]), tmp_path / "r.parquet")
    with pytest.raises(GraphFormatError, match=f"there is no column '{name}'"):
        Store(tmp_path / "r.parquet")


def _schema_of_others(table: pa.Table) -> pa.Table:
    return table.replace_schema_metadata({b"edgeorbit results": b"x"})


def _twice(table: pa.Table) -> pa.Table:
    return table.append_column("model", table["model"])


def _not_utf8(table: pa.Table) -> pa.Table:
    text = pa.Array.from_buffers(pa.string(), 3, pa.array([b"\xff"] * 3).buffers())
    return table.set_column(2, "model", text)


@pytest.mark.parametrize("change", [_schema_of_others, _twice, _not_utf8])
def test_other_damage_is_one_sentence(tmp_path, change: Callable[[pa.Table], pa.Table]) -> None:
    pq.write_table(change(pa.Table.from_pylist(ROWS)), tmp_path / "r.parquet")
    with pytest.raises(GraphFormatError, match=r"r\.parquet: "):
        Store(tmp_path / "r.parquet")


def test_rows_that_name_another_graph_are_no_traceback(tmp_path) -> None:
    (tmp_path / "r.toml").write_text('models = ["ra"]\nseeds = 1\n[[data]]\nsource = "karate"\nfeatures=["constant"]\n')
    from edgeorbit.experiments.reading import read_experiment

    key = read_experiment(tmp_path / "r.toml").cells[0].key
    pq.write_table(pa.Table.from_pylist([ROWS[0] | {"key": key, "data": "x"}]), tmp_path / "r.parquet")
    with pytest.raises(EdgeorbitError, match="name the graph x"):
        read_results(tmp_path / "r.parquet")
