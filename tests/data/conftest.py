"""Where the tests find real data: `EDGEORBIT_DATA`. Derived files go to a directory of the test."""

import os
from pathlib import Path

import pytest


@pytest.fixture
def data_dir() -> Path:
    """The directory of real data."""
    if "EDGEORBIT_DATA" not in os.environ:
        pytest.skip("EDGEORBIT_DATA is not set")
    return Path(os.environ["EDGEORBIT_DATA"])


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache directory of the test's own."""
    monkeypatch.setenv("EDGEORBIT_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"
