"""`find_lines`: the line of every key of a TOML file, whatever way it is written in."""

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edgeorbit.experiments.toml_files import find_lines


def paths(value, path=()):
    """All paths of what tomllib returns."""
    if path:
        yield path
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, one in inner:
        yield from paths(one, (*path, key))


def test_arrays_of_tables_inline_tables_and_lists_over_several_lines_are_found() -> None:
    text = """# a comment with [brackets] and = signs
title = "a # b"
models = [  # one
    "gcn",
    "] = [",
]
[[data]]
name = 'C:\\x'
options = { edges = 0, more = { "a.b" = [1, 2] } }

[[data]]
a.b.c = 1
[data.training]
epochs = 3
[published."two # words".mrr]
gcn = [
  50.0, # mean
  6,
]
"""
    lines = find_lines(text)
    assert set(lines) == set(paths(tomllib.loads(text)))
    assert lines["models",] == 3 and lines["models", 1] == 5
    assert lines["data", 0] == 7 and lines["data", 0, "options", "more", "a.b", 1] == 9
    assert lines["data", 1] == 11 and lines["data", 1, "a", "b", "c"] == 12
    assert lines["data", 1, "training"] == 13 and lines["data", 1, "training", "epochs"] == 14
    assert lines["published", "two # words", "mrr", "gcn", 1] == 18


@pytest.mark.parametrize("quoted", ['"""\n[x]\na = 1 \\" \n"""', "'''\nb = '2'\n'''", '"""a"""""'])
def test_long_strings_hold_no_keys(quoted) -> None:
    text = f"first = {quoted}\r\nlast = 1979-05-27T07:32:00Z\r\n"
    lines = find_lines(text)
    assert set(lines) == {("first",), ("last",)}
    assert lines["last",] == text.count("\n")


names = st.text('abc_-.#="[] é', min_size=1, max_size=4)
scalars = st.one_of(st.integers(), st.booleans(), st.text("ab,]}#='\n\\\"", max_size=6))
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=3), max_leaves=8
)


def quote(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


class Writer:
    """Writes TOML line by line and knows where each key went."""

    def __init__(self) -> None:
        self.text, self.lines = "", {}

    def note(self, path) -> None:
        self.lines[path] = self.text.count("\n") + 1

    def value(self, value, path) -> None:
        if isinstance(value, dict):
            self.text += "{ "
            for number, (key, one) in enumerate(value.items()):
                self.text += ", " if number else ""
                self.note((*path, key))
                self.text += f"{quote(key)} = "
                self.value(one, (*path, key))
            self.text += " }"
        elif isinstance(value, list):
            self.text += "[\n"
            for number, one in enumerate(value):
                self.text += "# ] = }\n  "
                self.note((*path, number))
                self.value(one, (*path, number))
                self.text += ",\n"
            self.text += "]"
        else:
            self.text += quote(value) if isinstance(value, str) else str(value).lower()

    def table(self, table, path) -> None:
        for key, value in table.items():
            self.note((*path, key))
            self.text += f"{quote(key)} = "
            self.value(value, (*path, key))
            self.text += " # [end]\n\n"


@given(st.dictionaries(names, values, max_size=3), st.lists(st.dictionaries(names, values, max_size=3), max_size=3))
def test_any_file_gives_the_lines_that_its_writer_knew(top, tables) -> None:
    writer = Writer()
    top.pop("[[", None)
    writer.table(top, ())
    for number, table in enumerate(tables):
        if not number:
            writer.note(("[[",))
        writer.note(("[[", number))
        writer.text += '[["[["]]\n'
        writer.table(table, ("[[", number))
    assert tomllib.loads(writer.text) == top | ({"[[": tables} if tables else {})
    assert find_lines(writer.text) == writer.lines


def test_the_text_is_gone_through_once() -> None:
    class Watched(str):
        looked_at = 0

        def replace(self, *_) -> str:
            return self

        def count(self, part: str, start: int, end: int) -> int:
            Watched.looked_at += end - start
            return super().count(part, start, end)

    text = "".join(f"[table{i}]\na = [1,\n 2, {{b = 3}}]\n" for i in range(100))
    lines = find_lines(Watched(text))
    assert lines["table99", "a", 1] == 300 and Watched.looked_at <= len(text)
