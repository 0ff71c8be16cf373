"""Read TOML files that people write, with errors that name the file, the line and the key.

`tomllib` and pydantic do the reading and checking. What neither does is ours: bounds on nesting and on the parts of a
key, for which `tomllib` recurses or takes minutes, and the line that each key stands on (`find_lines`), without which
an error in a long experiment file is hard to find.
"""

import json
import re
import tomllib
from collections.abc import Callable
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, get_args

from edgeorbit._text import shown
from edgeorbit.errors import EdgeorbitError, InvalidParameterError
from edgeorbit.graph.reading.source import Source

if TYPE_CHECKING:
    from pydantic import BaseModel
    from pydantic_core import ErrorDetails

Keys = tuple[str | int, ...]
Read = TypeVar("Read", bound="BaseModel")

SENTENCES = {
    "list_type": "give a list",
    "dict_type": "give a table",
    "model_type": "give a table",
    "string_type": "give text in quotes",
    "int_type": "give a whole number",
    "float_type": "give a number",
}
EXAMPLE = (
    'figures are by graph, metric, negatives and model, for instance [published."Cora".mrr.random] with gcn = [50, 6]'
)

LONGEST = 80  # letters of a value that an error repeats
DEEPEST = 100  # levels of tables and lists, and parts of a key; no file that a person writes comes near it
_ENDS_KEY = re.compile(r"[,=\[\]{}#]|^\s*$")
BARE = re.compile(r"[A-Za-z0-9_-]+")
# Between values: spaces, line ends and comments.
GAP = re.compile(r"(?:[ \t\r\n]|#[^\n]*+)*+")
STRING = re.compile(
    r'"""(?:\\.|[^\\])*?"{3,5}(?!")' + r"|'''.*?'{3,5}(?!')" + r'|"(?:\\.|[^"\\\n])*"' + r"|'[^'\n]*'", re.DOTALL
)
SCALAR = re.compile(r"[^,\]}#\n]+")


class TomlKeyError(InvalidParameterError):
    """A value that makes no sense where it stands; `keys` lead there."""

    def __init__(self, keys: Keys, message: str) -> None:
        super().__init__(message)
        self.keys = keys


def read_validated(path: str | Path, schema: type[Read], check: Callable[[Read], None] | None = None) -> Read:
    """Read a TOML file.

    Parameters
    ----------
    path
        The file.
    schema
        What may stand in it.
    check
        Called with what was read; it raises `TomlKeyError` for what the schema cannot know.

    Raises
    ------
    InvalidParameterError
        If the file cannot be read, or says what it may not. The message names the file, the line and the key.
    """
    from pydantic import ValidationError

    text = read_text(path, "give an experiment file")
    said = parse_toml(text, path)
    try:
        try:
            found = schema.model_validate(said)
        except ValidationError as error:
            raise _fault(error.errors(include_url=False)[0], schema) from None
        if check is not None:
            check(found)
    except TomlKeyError as fault:
        raise InvalidParameterError(f"{path}{_place(fault.keys, text)}: {fault}") from None
    return found


def choices(keys: Keys, given: Any, known: Any) -> None:
    """Raise `TomlKeyError` if a name is not among those that are known."""
    if given not in known:
        raise TomlKeyError(keys, f"{given!r} is unknown; choose from {', '.join(known)}")


def blaming(keys: Keys, check: Callable[[], Any]) -> None:
    """Call a check of other parts of the package, and blame what it says on a key."""
    try:
        check()
    except EdgeorbitError as error:
        raise TomlKeyError(keys, str(error)) from None


def dotted(keys: Keys) -> str:
    """Return keys as one would write them in the file, places in lists in brackets.

    >>> dotted(("data", 1, "options", "a b"))
    'data[1].options."a b"'
    """
    shown = ""
    for key in keys:
        if isinstance(key, int):
            shown += f"[{key}]"
        else:
            shown += ("." if shown else "") + (key if BARE.fullmatch(key) else json.dumps(key, ensure_ascii=False))
    return shown


def _place(keys: Keys, text: str) -> str:
    """Return the line and the key, as far as the file has them."""
    lines = find_lines(text)
    known = next((keys[:end] for end in range(len(keys), 0, -1) if keys[:end] in lines), None)
    line = "" if known is None else f" line {lines[known]}"
    return f"{line}, {dotted(keys)}" if keys else line


def _fault(error: "ErrorDetails", schema: "type[BaseModel]") -> TomlKeyError:
    """Turn what pydantic says into a sentence of ours."""
    keys: Keys = tuple(key for key in error["loc"] if key != "[key]")
    kind, bounds, value = error["type"], error.get("ctx", {}), error["input"]
    given = shown(repr(value), LONGEST)
    if kind == "extra_forbidden":
        known = ", ".join(sorted(_section(schema, keys[:-1]).model_fields))
        sentence = f"there is no key {keys[-1]!r} here; choose from {known}"
    elif kind == "missing":
        sentence = "is missing; add it" if keys != ("data",) else "is missing; add a table [[data]] for every graph"
    elif kind == "literal_error":
        sentence = f"{given} is unknown; choose from {bounds['expected']}"
    elif kind == "greater_than_equal":
        sentence = f"must be at least {bounds['ge']}, not {given}"
    elif kind == "less_than_equal":
        sentence = f"must be at most {bounds['le']}, not {given}"
    elif kind in {"too_short", "too_long"}:
        bound = bounds.get("min_length", bounds.get("max_length"))
        sentence = f"give at {'least' if kind == 'too_short' else 'most'} {bound}, not {len(value)}"
    else:
        sentence = f"{SENTENCES.get(kind, error['msg'])}, not {given}"
    return TomlKeyError(keys, f"{sentence} ({EXAMPLE})" if keys[:1] == ("published",) else sentence)


def _section(schema: "type[BaseModel]", keys: Keys) -> "type[BaseModel]":
    """Return the model of a table within the file."""
    from pydantic import BaseModel

    section = schema
    for key in keys:
        if isinstance(key, str) and key in section.model_fields:
            inner: Any = section.model_fields[key].annotation
            while not (isinstance(inner, type) and issubclass(inner, BaseModel)) and get_args(inner):
                inner = get_args(inner)[-1]
            section = inner
    return section


def read_text(path: str | Path, way_out: str) -> str:
    """Return the text of a TOML file, or raise `InvalidParameterError` with a way out."""
    try:
        return Source(path).document()
    except OSError as error:
        raise InvalidParameterError(f"{path}: {error.strerror}; {way_out}") from None
    except EdgeorbitError:
        raise
    except ValueError as error:
        raise InvalidParameterError(f"{path}: is no TOML: {error}") from None


def parse_toml(text: str, path: str | Path) -> dict[str, Any]:
    """Return what a TOML text says.

    Raises
    ------
    InvalidParameterError
        If it is no TOML, or is nested more deeply than `DEEPEST`.
    """
    for number, line in enumerate(text.splitlines(), 1):
        if line.count(".") > DEEPEST and _most_parts(line) > DEEPEST:  # `tomllib` takes minutes for 50,000
            raise InvalidParameterError(f"{path} line {number}: a key has more than {DEEPEST} parts; leave some out")
    try:
        said = tomllib.loads(text)
    except ValueError as error:
        raise InvalidParameterError(f"{path}: is no TOML: {error}") from None
    except RecursionError:
        said = None
    if said is None or _is_deeper(said, DEEPEST):
        raise InvalidParameterError(f"{path}: tables or lists are nested more than {DEEPEST} deep; leave some out")
    return said


def _most_parts(line: str) -> int:
    """Return the most parts that a key of a line can have, between dots."""
    runs = groupby(line.split("."), lambda part: _ENDS_KEY.search(part) is None)
    return max((sum(1 for _ in parts) for inside, parts in runs if inside), default=0)


def _is_deeper(said: Any, levels: int) -> bool:
    """Tell whether tables and lists are nested beyond so many levels."""
    layer = [said]
    for _ in range(levels):
        values = [value for one in layer for value in (one.values() if isinstance(one, dict) else one)]
        layer = [value for value in values if isinstance(value, dict | list)]
    return bool(layer)


def find_lines(text: str) -> dict[Keys, int]:
    """Return the line, counted from 1, of every key, table and element of a list.

    A path has names of keys and places in lists, as one would go through what `tomllib` returns. Of a table that is
    named several times, the first line counts.

    Parameters
    ----------
    text
        TOML that `tomllib` could read; other text may give any lines.

    Examples
    --------
    >>> find_lines('a = [1,\\n2]\\n[[b]]\\nc = { d = 3 }')
    {('a',): 1, ('a', 0): 1, ('a', 1): 2, ('b',): 3, ('b', 0): 3, ('b', 0, 'c'): 4, ('b', 0, 'c', 'd'): 4}
    """
    return _Finder(text).find()


class _Finder:
    """A walk through the text, from left to right."""

    def __init__(self, text: str) -> None:
        self.text = text.replace("\r\n", "\n")
        self.at = 0
        self.line, self.counted = 1, 0  # the line of the place up to which line ends are counted
        self.lines: dict[Keys, int] = {}
        self.lengths: dict[Keys, int] = {}  # of lists of tables

    def find(self) -> dict[Keys, int]:
        table: Keys = ()
        self._skip_gap()
        while self.at < len(self.text):
            if self.text.startswith("[", self.at):
                table = self._header()
            else:
                self._pair(table)
            self._skip_gap()
        return self.lines

    def _header(self) -> Keys:
        several = self.text.startswith("[[", self.at)
        begun = self.at
        self.at += 2 if several else 1
        *before, last = self._key()
        self.at = self.text.index("]", self.at) + (2 if several else 1)
        path: Keys = ()
        for name in before:  # a table within a list of tables belongs to the last one so far
            path = (*path, name)
            self._note(path, begun)
            path = (*path, self.lengths[path] - 1) if path in self.lengths else path
        path = (*path, last)
        self._note(path, begun)
        if several:
            self.lengths[path] = self.lengths.get(path, 0) + 1
            path = (*path, self.lengths[path] - 1)
            self._note(path, begun)
        return path

    def _pair(self, table: Keys) -> None:
        begun = self.at
        path = table
        for name in self._key():
            path = (*path, name)
            self._note(path, begun)
        self.at = self.text.index("=", self.at) + 1
        self._value(path)

    def _value(self, path: Keys) -> None:
        self._skip_gap()
        opened = self.text[self.at]
        if opened in "[{":
            self._enclosed(path, "]" if opened == "[" else "}")
            return
        found = STRING.match(self.text, self.at) or SCALAR.match(self.text, self.at)
        self.at = found.end() if found else len(self.text)

    def _enclosed(self, path: Keys, closing: str) -> None:
        """Walk through a list or an inline table."""
        self.at += 1
        number = 0
        while True:
            self._skip_gap()
            if self.text[self.at] == closing:
                self.at += 1
                return
            if self.text[self.at] == ",":
                self.at += 1
            elif closing == "}":
                self._pair(path)
            else:
                self._note((*path, number), self.at)
                self._value((*path, number))
                number += 1

    def _key(self) -> list[str]:
        """Read a key with its dots."""
        names: list[str] = []
        while True:
            self._skip_gap()
            quoted = STRING.match(self.text, self.at)
            found = quoted or BARE.match(self.text, self.at)
            if found is None:
                return names
            self.at = found.end()
            names.append(tomllib.loads(f"a = {found.group()}")["a"] if quoted else found.group())
            self._skip_gap()
            if not self.text.startswith(".", self.at):
                return names
            self.at += 1

    def _skip_gap(self) -> None:
        found = GAP.match(self.text, self.at)
        self.at = found.end() if found else self.at

    def _note(self, path: Keys, at: int) -> None:
        """Note the line of a place; places come in the order of the text."""
        self.line += self.text.count("\n", self.counted, at)
        self.counted = at
        self.lines.setdefault(path, self.line)
