"""Damage to documents, JSON and TOML: keys, types, nesting and extreme values."""

import copy
import json
import random
import tomllib
from typing import Any

NAMES = [
    "",
    "x",
    "a.b",
    "é",
    "a" * 3000,
    "\x1b[31m",
    "edgeorbit_run",
    "edgeorbit_graph",
    "seed",
    "model",
    "name",
    "path",
    "graph",
]
VALUES: list[Any] = [
    *(
        None,
        True,
        False,
        0,
        -1,
        1,
        2,
        3,
        7,
        100,
        10**6,
        2**31,
        2**53,
        2**63,
        2**64,
        10**30,
        -(10**30),
        0.5,
        -0.0,
        1e308,
    ),
    *(float("nan"), float("inf"), float("-inf")),
    *(
        "",
        "x",
        "karate",
        "ra",
        "gcn",
        "random",
        "a" * 5000,
        "\x1b[31mred",
        "a\nb",
        "\u2028",
        "../..",
        "/dev/zero",
        "1e9",
        "{}",
    ),
    *([], [[]], [None], [1, 2], ["x"], [[1, 2], [3]], {}, {"a": 1}, {"": {}}, {"a": {"b": {"c": []}}}),
]


def damage_json(rng: random.Random, content: bytes) -> bytes:
    """Return a JSON document with one to three changes."""
    document = json.loads(content)
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        document = _change(rng, document)
    text = json.dumps(document, ensure_ascii=rng.random() < 0.5, indent=rng.choice((None, 2)))
    if rng.random() < 0.04:
        depth = rng.choice((500, 5_000, 100_000))
        text = text.replace(
            "1", rng.choice(("[" * depth + "]" * depth, '{"a":' * depth + "1" + "}" * depth, "1" * depth)), 1
        )
    return text.encode("utf-8", "replace")


def damage_toml(rng: random.Random, content: bytes) -> bytes:
    """Return a TOML document with one to three changes."""
    document = tomllib.loads(content.decode())
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        document = _change(rng, document)
    if not isinstance(document, dict):
        document = {"value": document}
    text = "".join(f"{_key(key)} = {_value(value)}\n" for key, value in document.items())
    if rng.random() < 0.06:
        depth = rng.choice((100, 3_000, 20_000))
        deep = rng.choice(
            [
                f"k = {'[' * depth}{']' * depth}",
                "k" + ".k" * depth + " = 1",
                f"[{'a.' * depth}b]",
                "k = " + "{a=" * depth + "1" + "}" * depth,
            ]
        )
        text = rng.choice((f"{deep}\n{text}", f"{text}{deep}\n"))
    return text.encode("utf-8", "replace")


def _change(rng: random.Random, document: Any) -> Any:
    """Return the document with something done to one of its values or keys."""
    document = copy.deepcopy(document)
    places = [*_places(document)]
    if not places:
        return rng.choice(VALUES)
    holder, key = rng.choice(places)
    match rng.randrange(8):
        case 0:
            del holder[key]
        case 1 if isinstance(holder, dict):
            holder[rng.choice((*NAMES, str(key).upper(), f" {key}"))] = holder.pop(key)
        case 2 if isinstance(holder, dict):
            holder[rng.choice((*NAMES, *(str(other) for _, other in places)))] = rng.choice(VALUES)
        case 3:
            other, name = rng.choice(places)
            holder[key] = copy.deepcopy(other[name])
        case 4:
            holder[key] = rng.choice(([holder[key]], {"a": holder[key]}, str(holder[key]), [holder[key]] * 300))
        case 5 if isinstance(holder[key], int | float) and not isinstance(holder[key], bool):
            holder[key] = rng.choice((-1, 1, 2, 10, 0.5, 1.0)) * holder[key]
        case _:
            holder[key] = copy.deepcopy(rng.choice(VALUES))
    return document


def _places(document: Any) -> Any:
    """Yield every value as what holds it and its key there."""
    items = (
        document.items() if isinstance(document, dict) else enumerate(document) if isinstance(document, list) else ()
    )
    for key, value in items:
        yield document, key
        yield from _places(value)


def _key(key: str) -> str:
    return json.dumps(key, ensure_ascii=True)


def _value(value: Any) -> str:
    match value:
        case None:
            return '""'
        case bool():
            return str(value).lower()
        case int() | float():
            return str(value)
        case str():
            return json.dumps(value).replace("\x7f", "\\u007f")
        case list():
            return f"[{', '.join(map(_value, value))}]"
        case dict():
            return f"{{{', '.join(f'{_key(str(key))} = {_value(item)}' for key, item in value.items())}}}"
        case _:  # a date
            return str(value)
