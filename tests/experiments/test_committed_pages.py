"""Every committed page of results is what `edgeorbit bench --write` makes of the committed results."""

import re
from pathlib import Path

import pytest

from edgeorbit.experiments.reading import read_experiment
from edgeorbit.experiments.store import Store
from edgeorbit.experiments.tables import against_to_markdown, read_results, to_markdown

ROOT = Path(__file__).parents[2]
OTHER_NAMES = {"real": "results"}  # pages that are not called as their experiment is
PAGES = {
    f"experiments/{path.stem}.toml": f"docs/{OTHER_NAMES.get(path.stem, path.stem)}.md"
    for path in sorted((ROOT / "experiments").glob("*.parquet"))
}


def test_there_are_pages_and_each_has_an_experiment() -> None:
    written = {page for page in (ROOT / "docs").glob("*.md") if "written by `edgeorbit bench " in page.read_text()}
    assert {ROOT / page for page in PAGES.values()} == written and len(written) >= 4


@pytest.mark.parametrize(("file", "page"), PAGES.items(), ids=[Path(file).stem for file in PAGES])
def test_a_page_is_what_the_command_writes(file: str, page: str) -> None:
    command = f"edgeorbit bench {file} --write {page}"
    path = ROOT / file
    text = to_markdown(read_experiment(path), Store(path.with_suffix(".parquet")).rows, command)
    assert text.encode() == (ROOT / page).read_bytes(), f"{page} is not of these results; make it again: {command}"


def test_the_page_of_one_model_against_all_others_is_what_the_command_writes() -> None:
    page = ROOT / "docs/against-eo-gnn.md"
    command = re.search(r"`(edgeorbit report (.*) --against eo-gnn)`", page.read_text(encoding="utf-8"))
    assert command is not None
    all_results = [read_results(ROOT / source) for source in command[2].split()]
    text = against_to_markdown(all_results, "eo-gnn", command[1])
    assert text.encode() == page.read_bytes(), f"{page.name} is not of these results; make it again: {command[1]}"
