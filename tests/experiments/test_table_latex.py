"""Tables for papers: wide ones are continued in others, nothing is lost, and every environment is closed."""

import re
from pathlib import Path

import pytest

from edgeorbit.experiments.tables import Results, make_tables, read_results, to_latex
from edgeorbit.experiments.tables.export import MOST_COLUMNS
from made_results import write_results

EXPERIMENTS = Path(__file__).parents[2] / "experiments"
TABULAR = r"(\\resizebox.*\n)?\\begin\{tabular\}\{(l+r+)\}\n\\toprule\n(.*)\n\\midrule\n((?:.*\n)*?)\\bottomrule"


def left_open(text: str) -> list[str]:
    """The environments and groups of LaTeX that are not closed, or not in the order in which they were opened."""
    found: list[str] = []
    for begun, ended, brace in re.findall(r"\\begin\{(\w+)\}|\\end\{(\w+)\}|(?<!\\)([{}])", text):
        if begun or brace == "{":
            found.append(begun or brace)
        elif found and found[-1] == (ended or "{"):
            found.pop()
        else:
            return [*found, ended or brace]
    return found


def columns_of(table) -> int:
    return sum(1 + column.has_published for column in table.columns) + (table.ranking is not None)


@pytest.mark.parametrize("name", ["real", "syn-cora", "statistics", "time", "heart-citeseer"])
def test_wide_tables_are_continued_in_others_that_fit_a_page(name: str) -> None:
    results = read_results(EXPERIMENTS / f"{name}.toml")
    text = to_latex([results])
    assert "graphicx" in text.splitlines()[0] and left_open(text) == []
    found = re.findall(TABULAR, text)
    assert len(found) == text.count(r"\begin{table}") >= len(make_tables(results))
    for smaller, columns, head, body in found:
        assert len(columns) <= 1 + MOST_COLUMNS
        assert {len(re.findall(r"(?<!\\)&", line)) + 1 for line in [head, *body.splitlines()]} == {len(columns)}
        if len(columns) > MOST_COLUMNS and "pm" in body:
            assert smaller == "\\resizebox{\\linewidth}{!}{%\n"


def test_every_column_is_in_one_of_the_parts() -> None:
    results = read_results(EXPERIMENTS / "real.toml")
    tables = make_tables(results)
    found = re.findall(TABULAR, to_latex([results]))
    assert sum(len(columns) - 1 for _, columns, _, _ in found) == sum(map(columns_of, tables))
    shown = sum(len(re.findall(r"\d \$\\pm\$", body)) for *_, body in found)
    cells = [cell for table in tables for cell in table.cells.values()]
    assert shown == sum((cell.deviation is not None) + (len(cell.published) == 2) for cell in cells)


def test_narrow_tables_are_not_made_larger() -> None:
    rows = [
        {"key": f"{seed}", "data": "g", "features": "constant", "model": "gcn", "base": "gcn", "seed": seed}
        | {"negatives": "random", "test_auc": 0.5}
        for seed in range(3)
    ]
    assert r"\resizebox" not in to_latex([Results("Title", rows, ("gcn",))])


def test_what_holds_for_all_tables_of_an_experiment_is_told_once(tmp_path) -> None:
    text = to_latex([read_results(write_results(tmp_path, seeds=2))])
    assert text.count("gin saw") == text.count("one run of others") == 1
