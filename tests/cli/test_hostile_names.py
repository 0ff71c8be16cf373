"""Names that a graph brings along: escaped on the terminal, kept in files and in JSON; formulas only on demand."""

import csv
import json
import sys

import pyarrow as pa
import pyarrow.csv
import pytest
from hypothesis import given
from hypothesis import strategies as st

from edgeorbit._text import as_text, table_as_text

RED = "\x1b[31m"
FORMULAS = ["=1+1", "@name", "+e", "-d"]


@pytest.fixture
def hostile(tmp_path):
    """A graph file whose name and node ids have escape sequences."""
    path = tmp_path / f"{RED}graph.csv"
    names = [f"{RED}hub", *(f"member{number}" for number in range(1, 12))]
    edges = [(u, v) for u in range(12) for v in range(u) if (v == 0 and u % 2) or (u * v) % 3 == 2]
    path.write_text("".join(f"{names[u]},{names[v]}\n" for u, v in edges))
    return path


def test_no_command_sends_escape_sequences_of_names(run, hostile, tmp_path) -> None:
    trained = tmp_path / "run"
    pairs = tmp_path / "pairs.csv"
    pairs.write_text(f"{RED}hub,{RED}nobody\n")
    for command in (
        ["ear", hostile],
        ["ear", hostile, hostile],
        ["stats", hostile],
        ["orbits", hostile, "-o", tmp_path / f"{RED}o.csv"],
        ["train", hostile, "--model", "ra", "-o", trained],
        ["evaluate", trained],
        ["predict", trained, "--pairs", pairs],
        ["predict", tmp_path / f"{RED}nothing"],
        ["ear", tmp_path / f"{RED}nothing.csv"],
    ):
        shown = run(*command)
        assert "\x1b" not in shown.out + shown.err, command
        assert r"\x1b" in shown.out + shown.err or command[0] in {"train", "evaluate"}, command


def test_names_are_kept_in_files_and_in_json(run, hostile, tmp_path) -> None:
    assert run("orbits", hostile, "-o", tmp_path / "o.csv").code == 0
    assert RED in (tmp_path / "o.csv").read_text()
    assert run("train", hostile, "--model", "ra", "-o", tmp_path / "run").code == 0
    links = json.loads(run("predict", tmp_path / "run", "--top", 100, "--json").out)
    assert any(f"{RED}hub" in link.values() for link in links)
    assert f"{RED}hub" in run("predict", tmp_path / "run", "--top", 100).out  # into a file


def test_links_on_a_terminal_are_escaped(run, hostile, tmp_path, monkeypatch) -> None:
    run("train", hostile, "--model", "ra", "-o", tmp_path / "run")
    monkeypatch.setattr(type(sys.stdout), "isatty", lambda _: True, raising=False)
    shown = run("predict", tmp_path / "run", "--top", 100)
    assert "\x1b" not in shown.out and r"\x1b[31mhub" in shown.out


def test_long_names_do_not_fill_the_screen(run, tmp_path) -> None:
    path = tmp_path / "links.csv"
    path.write_text("".join(f"{'a' * 3000}{u},{'b' * 3000}{v}\n" for u in range(5) for v in range(5)))
    assert run("train", path, "--model", "ra", "-o", tmp_path / "run").code == 0
    (tmp_path / "pairs.csv").write_text(f"{'a' * 3000}0,{'c' * 3000}\n")
    refused = run("predict", tmp_path / "run", "--pairs", tmp_path / "pairs.csv")
    assert refused.code == 2 and len(refused.err) < 600 and "check its spelling" in refused.err


@pytest.mark.parametrize(
    "command",
    ["ear {}", "evaluate {}", "predict {}", "bench {}.toml", "report {}.parquet", "orbits karate -o {}.csv", "tune {}"],
)
def test_names_that_no_file_can_have_are_one_sentence(run, command) -> None:
    refused = run(*command.format("a" * 3000).split())
    assert refused.code == 2 and len(refused.err) < 300 and refused.err.count("\n") == 1


@pytest.fixture
def formulas(tmp_path):
    """A graph whose node ids a spreadsheet takes for formulas."""
    path = tmp_path / "f.csv"
    names = [*FORMULAS, "c", "d"]
    path.write_text("".join(f"{u},{v}\n" for i, u in enumerate(names) for v in names[:i] if (u, v) != ("d", "@name")))
    return path


def cells(path) -> set[str]:
    return {cell for row in csv.reader(path.open()) for cell in row}


def test_ids_survive_unless_a_spreadsheet_is_to_be_safe(run, formulas, tmp_path) -> None:
    run("train", formulas, "--model", "ra", "-o", tmp_path / "run")
    for options, expected in (([], FORMULAS), (["--spreadsheet-safe"], [f"'{name}" for name in FORMULAS])):
        assert run("orbits", formulas, "-o", tmp_path / "o.csv", *options).code == 0
        assert {*expected, "c"} <= cells(tmp_path / "o.csv") & cells(tmp_path / "o.nodes.csv") | {"c"}
        assert run("predict", tmp_path / "run", "-o", tmp_path / "p.csv", *options).code == 0
        assert cells(tmp_path / "p.csv") & set(FORMULAS) == (set() if options else {"@name"})
        assert run("predict", tmp_path / "run", *options).out == (tmp_path / "p.csv").read_text()
    types = pyarrow.csv.read_csv(tmp_path / "o.csv").schema
    assert str(types.field("orbit").type) == "int64"


def test_what_is_no_csv_needs_no_such_option(run, formulas, tmp_path) -> None:
    for command in (["orbits", formulas, "-o", tmp_path / "o.parquet"], ["predict", tmp_path, "--json"]):
        refused = run(*command, "--spreadsheet-safe")
        assert refused.code == 2 and "--spreadsheet-safe is for CSV" in refused.err
    assert not (tmp_path / "o.parquet").exists()


@pytest.mark.parametrize("cell", ["=1", "+1", "-1", "@a", "\t=1", "\r=1"])
def test_formulas_become_text(cell) -> None:
    assert as_text(cell) == f"'{cell}" and as_text(f"a{cell}") == f"a{cell}"
    assert as_text(-1) == -1


@given(st.lists(st.text("=+-@\t\r\n＝＋－＠'a0,:<.") | st.text(), max_size=5))
def test_tables_are_escaped_as_cells_are(cells: list[str]) -> None:
    for kind in (pa.string(), pa.large_string()):
        found = table_as_text(pa.table({"text": pa.array(cells, kind), "number": range(len(cells))}))
        assert found["text"].to_pylist() == list(map(as_text, cells))
        assert found["number"].to_pylist() == list(range(len(cells)))
