"""Spark in this process, with the settings that make small queries quick."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from edgeorbit.engines import _spark_session as spark_session
from edgeorbit.errors import MissingExtraError


@contextmanager
def quick_session(place: Path, master: str, settings: dict[str, str]) -> Iterator[Any]:
    """Start a session and stop it at the end; the test is skipped where there is no Spark."""
    try:
        spark_session.require_spark()
    except MissingExtraError as error:
        pytest.skip(str(error))
    quick = {
        "spark.driver.extraJavaOptions": "-XX:+UseSerialGC -XX:TieredStopAtLevel=1",
        "spark.sql.shuffle.partitions": "1",
        "spark.sql.adaptive.enabled": "false",
        "spark.sql.codegen.wholeStage": "false",
        "spark.sql.warehouse.dir": str(place / "warehouse"),
    }
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("SPARK_LOCAL_DIRS", raising=False)
        patch.setattr(spark_session, "SETTINGS", spark_session.SETTINGS | quick | settings)
        session = spark_session.start_session(master, place / "log")
    yield session
    session.stop()
