"""What tests of the engines share: edges as files, partitions read back, and a Spark session for every file."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from engines.quick_session import quick_session


@pytest.fixture
def edges_file(tmp_path: Path) -> Callable[..., Path]:
    """Write pairs of node ids to a Parquet file."""

    def write(pairs: Any, name: str = "edges.parquet") -> Path:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        columns = [np.array([pair[side] for pair in pairs]) for side in (0, 1)]
        pq.write_table(pa.table({"source": columns[0], "target": columns[1]}), tmp_path / name)
        return tmp_path / name

    return write


@pytest.fixture(scope="module")  # a session that lives on would be in the way of what others test
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A user's own session, which small queries are quick in."""
    place = tmp_path_factory.mktemp("spark")
    with quick_session(place, "local[2]", {"spark.local.dir": str(place / "spill")}) as session:
        yield session
