"""TOML files that are checked by a pydantic model, with errors that name the file, the line and the key."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, get_args

from edgeorbit._text import shown
from edgeorbit.errors import EdgeorbitError, InvalidParameterError
from edgeorbit.experiments.toml_lines import BARE, find_lines
from edgeorbit.experiments.toml_text import parse_toml, read_text

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
