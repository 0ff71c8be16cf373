"""What tests of the engines share: edges as files, partitions read back, and a Spark session for every file."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from edgeorbit.engines.spark_session import require_spark
from edgeorbit.errors import MissingExtraError


@pytest.fixture
def edges_file(tmp_path: Path) -> Callable[..., Path]:
    """Write pairs of node ids to a Parquet file."""

    def write(pairs: Any, name: str = "edges.parquet") -> Path:
        columns = [np.array([pair[side] for pair in pairs]) for side in (0, 1)]
        pq.write_table(pa.table({"source": columns[0], "target": columns[1]}), tmp_path / name)
        return tmp_path / name

    return write


@pytest.fixture(scope="module")  # a session that lives on would be in the way of what others test
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A user's own session, with the settings that make small queries quick."""
    try:
        require_spark()
    except MissingExtraError as error:
        pytest.skip(str(error))
    from edgeorbit.engines import spark_session

    place = tmp_path_factory.mktemp("spark")
    quick = {
        "spark.driver.extraJavaOptions": "-XX:+UseSerialGC -XX:TieredStopAtLevel=1",
        "spark.sql.shuffle.partitions": "1",
        "spark.sql.adaptive.enabled": "false",
        "spark.sql.codegen.wholeStage": "false",
        "spark.sql.warehouse.dir": str(place / "warehouse"),
        "spark.local.dir": str(place / "spill"),
    }
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(spark_session, "SETTINGS", spark_session.SETTINGS | quick)
        session = spark_session.start_session("local[2]", place / "log")
    yield session
    session.stop()
