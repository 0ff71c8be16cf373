"""Pages of the documentation that the code writes, or that are code themselves."""

import doctest
import importlib.util
from pathlib import Path

import pytest

pytest.importorskip("torch_geometric")
pytest.importorskip("pandas")

DOCS = Path(__file__).parents[1] / "docs"


@pytest.mark.parametrize(("page", "script"), [("api.md", "write_api"), ("pair-signals.md", "write_pair_signals")])
def test_a_page_that_the_code_writes_is_current(page: str, script: str) -> None:
    spec = importlib.util.spec_from_file_location(script, DOCS / f"{script}.py")
    writer = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(writer)
    assert (DOCS / page).read_text(encoding="utf-8") == writer.page(), f"run python docs/{script}.py"


@pytest.mark.parametrize(("page", "number"), [("own-models.md", 11), ("pair-signals.md", 5)])
def test_the_examples_of_a_page_run(page: str, number: int) -> None:
    flags = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    failed, tried = doctest.testfile(str(DOCS / page), module_relative=False, optionflags=flags, encoding="utf-8")
    assert tried >= number and failed == 0


def test_the_page_about_own_models_names_files_that_there_are() -> None:
    import re

    for link in re.findall(r"\]\((\.\./[^)]+)\)", (DOCS / "own-models.md").read_text()):
        assert (DOCS / link).exists(), link
