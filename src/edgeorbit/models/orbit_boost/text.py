"""LightGBM's text of trees, read with suspicion: what does not describe trees over our signals is refused.

LightGBM follows the numbers of its own text without a look, so that a damaged file could read anywhere in memory. What
it is given here is written anew from what was read.
"""

import hashlib
import math
import re
from typing import Any

from edgeorbit.signals import SIGNALS

OBJECTIVES = ("binary sigmoid:1", "lambdarank")
END, SEAL = "end of trees", "edgeorbit:sha256="
HEADER = (
    "version",
    "num_class",
    "num_tree_per_iteration",
    "label_index",
    "max_feature_idx",
    "objective",
    "feature_names",
    "feature_infos",
    "tree_sizes",
)
FIXED = {"version": "v4", "num_class": "1", "num_tree_per_iteration": "1", "label_index": "0"}
NUMBER = r"-?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:e[-+]?[0-9]+)?"
NUMBERS = {int: re.compile(r"-?[0-9]{1,10}"), float: re.compile(NUMBER)}
RANGE = re.compile(rf"none|\[{NUMBER}:{NUMBER}\]")
# By key of a tree, the kind of its numbers, and how many fewer than leaves there are; None: one number for the tree.
ARRAYS: dict[str, tuple[type, int | None]] = {
    "num_leaves": (int, None),
    "num_cat": (int, None),
    "split_feature": (int, 1),
    "split_gain": (float, 1),
    "threshold": (float, 1),
    "decision_type": (int, 1),
    "left_child": (int, 1),
    "right_child": (int, 1),
    "leaf_value": (float, 0),
    "leaf_weight": (float, 0),
    "leaf_count": (int, 0),
    "internal_value": (float, 1),
    "internal_weight": (float, 1),
    "internal_count": (int, 1),
    "is_linear": (int, None),
    "shrinkage": (float, None),
}
NUMERICAL = {0, 2, 4, 6, 8, 10}  # decision types: a threshold, and where missing values go


def sealed(text: str) -> str:
    """Return the trees of LightGBM's text, without its parameters, and with a digest as the last line."""
    body = text[: text.index(END) + len(END)] + "\n"
    return f"{body}\n{SEAL}{hashlib.sha256(body.encode()).hexdigest()}\n"


def checked(text: str) -> str:
    """Return the text that `sealed` returned, for LightGBM, after a look at every number.

    Raises
    ------
    ValueError
        With the reason why it does not describe trees.
    """
    body, _, digest = text.rstrip("\n").rpartition(f"\n{SEAL}")
    if hashlib.sha256(body.encode()).hexdigest() != digest:
        raise ValueError("its digest is another")
    head, *blocks = body.removesuffix(f"{END}\n").split("Tree=")
    given = _lines(head.removeprefix("tree\n"))
    if tuple(given) != HEADER or any(given[key] != value for key, value in FIXED.items()):
        raise ValueError("its head is not that of trees of LightGBM 4")
    names = given["feature_names"].split(" ")
    ranges = given["feature_infos"].split(" ")
    if not set(names) <= SIGNALS.keys() or len(set(names)) < len(names):
        raise ValueError("it names signals that there are not")
    if given["max_feature_idx"] != str(len(names) - 1) or len(ranges) != len(names):
        raise ValueError("the number of signals is another")
    if given["objective"] not in OBJECTIVES or not all(map(RANGE.fullmatch, ranges)):
        raise ValueError("its head is not that of our trees")
    trees = [_tree(number, block, len(names)) for number, block in enumerate(blocks)]
    if not trees:
        raise ValueError("it has no trees")
    sizes = " ".join(str(len(tree.encode())) for tree in trees)
    lines = [f"{key}={sizes if key == 'tree_sizes' else value}" for key, value in given.items()]
    return "\n".join(["tree", *lines, "", "".join(trees) + END, ""])


def _lines(block: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for line in block.strip("\n").split("\n"):
        key, given, value = line.partition("=")
        if not given or key in found:
            raise ValueError("a line is not of the form key=value")
        found[key] = value
    return found


def _tree(number: int, block: str, num_signals: int) -> str:
    """Return a tree as LightGBM writes it, after checking that it is one."""
    first, _, rest = block.partition("\n")
    lines = _lines(rest)
    if first != str(number) or tuple(lines) != tuple(ARRAYS):
        raise ValueError(f"tree {number} has other parts than a tree")
    values = {key: _numbers(key, lines[key]) for key in ARRAYS}
    leaves = values["num_leaves"][0] if len(values["num_leaves"]) == 1 else 0
    for key, (_, fewer) in ARRAYS.items():
        if len(values[key]) != (1 if fewer is None else leaves - fewer):
            raise ValueError(f"tree {number} has too few or too many numbers ({key})")
    if values["num_cat"] != [0] or values["is_linear"] != [0]:
        raise ValueError(f"tree {number} is of another kind")
    if not all(0 <= signal < num_signals for signal in values["split_feature"]):
        raise ValueError(f"tree {number} splits by a signal that there is not")
    if not set(values["decision_type"]) <= NUMERICAL:
        raise ValueError(f"tree {number} splits by something else than a threshold")
    children = sorted([*values["left_child"], *values["right_child"]])
    every = [*range(-leaves, 0), *range(1, leaves - 1)] if leaves > 1 else []
    if children != every or not all(
        child < 0 or child > parent
        for side in ("left_child", "right_child")
        for parent, child in enumerate(values[side])
    ):
        raise ValueError(f"tree {number} is no tree")
    return "\n".join([f"Tree={number}", *(f"{key}={value}" for key, value in lines.items()), "", "", ""])


def _numbers(key: str, text: str) -> list[Any]:
    kind = ARRAYS[key][0]
    words = text.split(" ") if text else []
    if not all(map(NUMBERS[kind].fullmatch, words)):
        raise ValueError(f"something else stands where a number is expected ({key})")
    found = [kind(word) for word in words]
    if not all(map(math.isfinite, found)):
        raise ValueError(f"a number is infinite ({key})")
    return found
