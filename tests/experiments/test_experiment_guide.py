"""The guide to experiment files names every key, and what it shows can be run."""

import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from edgeorbit.cli.commands import app
from edgeorbit.experiments.schema import DataSection, ExperimentFile, QuickSection, VariantSection

GUIDE = (Path(__file__).parents[2] / "docs/experiments.md").read_text(encoding="utf-8")
WHOLE, GRAPH = (GUIDE.split(head, 1)[1].split("\n## ", 1)[0] for head in ("\n## The file\n", "\n## A graph: "))


@pytest.mark.parametrize(
    ("section", "text"),
    [(ExperimentFile, WHOLE), (DataSection, GRAPH), (VariantSection, GRAPH), (QuickSection, GRAPH)],
)
def test_every_key_is_told_and_no_other(section, text) -> None:
    assert {f"`{key}`" for key in section.model_fields} <= set(re.findall(r"`[a-z_]+`", text))
    if section in {ExperimentFile, DataSection}:
        told = re.findall(r"`([a-z_]+)`", " ".join(line.split("|")[1] for line in text.splitlines() if "|" in line))
        assert set(told) == set(section.model_fields) and len(told) == len(set(told))


def test_the_example_runs_and_makes_the_tables(tmp_path, monkeypatch) -> None:
    pytest.importorskip("torch_geometric")
    monkeypatch.chdir(tmp_path)
    example = re.search(r"```toml\n(.*?)```", GUIDE, re.DOTALL)
    Path("mine.toml").write_text(example[1].replace("epochs = 20", "epochs = 2"), encoding="utf-8")
    for arguments in ([], ["--write", "mine.md"]):
        result = CliRunner().invoke(app, ["bench", "mine.toml", "--jobs", "1", *arguments])
        assert result.exit_code == 0, result.output
    tables = Path("mine.md").read_text(encoding="utf-8")
    assert all(
        name in tables for name in ("# Karate\n", "| karate (3) |", "| two karates, EAR 0.5 (3) |", "| eo-gnn |")
    )
