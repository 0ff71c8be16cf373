"""Pages of the documentation that the code writes, or that are code themselves."""

import doctest
import importlib.util
from pathlib import Path

import pytest

pytest.importorskip("torch_geometric")
pytest.importorskip("pandas")

DOCS = Path(__file__).parents[1] / "docs"


def test_the_page_of_public_names_is_current() -> None:
    spec = importlib.util.spec_from_file_location("write_api", DOCS / "write_api.py")
    writer = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(writer)
    assert (DOCS / "api.md").read_text(encoding="utf-8") == writer.page(), "run python docs/write_api.py"


def test_the_page_about_own_models_runs() -> None:
    flags = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    failed, tried = doctest.testfile(str(DOCS / "own-models.md"), module_relative=False, optionflags=flags)
    assert tried > 10 and failed == 0


def test_the_page_about_own_models_names_files_that_there_are() -> None:
    import re

    for link in re.findall(r"\]\((\.\./[^)]+)\)", (DOCS / "own-models.md").read_text()):
        assert (DOCS / link).exists(), link
