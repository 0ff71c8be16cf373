"""No regular expression of the package takes more than linear time, whatever it is given."""

import ast
import importlib
import re
import signal
import sys
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import NamedTuple

import pytest

import edgeorbit

PACKAGE = Path(edgeorbit.__file__).parent
METHODS = {"match", "fullmatch", "search", "sub", "subn", "split", "findall", "finditer"}
USERS_OWN = {"cli/tune.py", "cli/bench.py"}  # compile what a user gives to --only
LENGTH = 12_000
SECONDS = 0.1  # a step for every pair of letters would take several times as long
MOST_LETTERS = 7


class Use(NamedTuple):
    """A pattern and what is done with it."""

    where: str
    pattern: re.Pattern[str] | re.Pattern[bytes]
    method: str


def uses() -> Iterator[Use]:
    """Find the patterns in the source files: constants of modules, and those that are written where they are used."""
    for file in sorted(PACKAGE.rglob("*.py")):
        text = file.read_text(encoding="utf-8")
        if not re.search(r"\bre\.|\.(fullmatch|match|sub)\b", text):
            continue
        tree = ast.parse(text)
        where = file.relative_to(PACKAGE).as_posix()
        names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
        module = None
        if any(name.isupper() for name in names):
            dotted = ".".join(("edgeorbit", *file.relative_to(PACKAGE).with_suffix("").parts))
            module = importlib.import_module(dotted.removesuffix(".__init__"))
        for node in ast.walk(tree):
            if not (isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.attr in METHODS):
                continue
            found = getattr(module, node.value.id, None) if module and node.value.id != "re" else None
            if isinstance(found, re.Pattern):
                yield Use(f"{where}: {node.value.id}", found, node.attr)
        for node in ast.walk(tree):
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
                continue
            if not (isinstance(node.func.value, ast.Name) and node.func.value.id == "re" and node.args):
                continue
            first, flags = node.args[0], 0
            for keyword in node.keywords:
                if keyword.arg == "flags":
                    flags = eval(ast.unparse(keyword.value), {"re": re})
            if node.func.attr in METHODS:
                written = isinstance(first, ast.Constant) or where in USERS_OWN
                assert written, f"{where} line {node.lineno}: make the pattern a constant of the module"
            if isinstance(first, ast.Constant) and node.func.attr in METHODS:
                yield Use(f"{where}: {first.value!r}", re.compile(first.value, flags), node.func.attr)


USES = {(use.where, use.method): use for use in uses()}


def letters(pattern: re.Pattern[str] | re.Pattern[bytes]) -> str:
    """Return letters that mean something to a pattern, of each kind one."""
    source = pattern.pattern.decode("latin-1") if isinstance(pattern.pattern, bytes) else pattern.pattern
    plain = re.sub(r"\\[dwsSWDZbA]|\(\?[:P<=!a-z]*", "", source)
    special = [letter for letter in dict.fromkeys(plain) if not letter.isalnum() and letter.isascii()]
    kinds = [" "] * (r"\s" in source) + ["1"] * ("d" in source or "0-9" in source) + ["a"]
    chosen = [letter for letter in '#"\\{[.,_%/!\n\t ' if letter in special]
    return "".join(dict.fromkeys([*kinds, *chosen]))[:MOST_LETTERS]


def hostile(pattern: re.Pattern[str] | re.Pattern[bytes]) -> Iterator[str]:
    """Yield long runs of a pattern's own letters, with a beginning that may lead into it and an end that may fail."""
    own = letters(pattern)
    units = [*own, *(a + b for a, b in product(own, own) if a != b)]
    for unit, start, end in product(units, ("", own[0], '"'), ("", "\0", "a")):
        yield start + unit * (LENGTH // len(unit)) + end


def apply(use: Use, text: str) -> None:
    """Use a pattern as the package does."""
    subject = text.encode() if isinstance(use.pattern.pattern, bytes) else text
    if use.method in ("sub", "subn"):
        use.pattern.sub(lambda match: match[0], subject)
    elif use.method == "finditer":
        list(use.pattern.finditer(subject))
    else:
        getattr(use.pattern, use.method)(subject)


class TooSlowError(Exception):
    """A pattern took too long."""


def takes_too_long(use: Use, text: str, seconds: float) -> bool:
    """Tell whether a pattern needs more than some seconds of computing; it is stopped then."""
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        apply(use, text)
    except TooSlowError:
        return True
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    return False


@pytest.fixture
def stopping() -> Iterator[None]:
    """Let the clock of computing time stop a pattern."""

    def stop(*_: object) -> None:
        raise TooSlowError

    before = signal.signal(signal.SIGVTALRM, stop)
    yield
    signal.signal(signal.SIGVTALRM, before)


pytestmark = [
    pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs a clock of computing time"),
    pytest.mark.usefixtures("stopping"),
]


def test_the_patterns_are_found() -> None:
    found = {where for where, _ in USES}
    assert {
        "graph/reading/read.py: _GML",
        "graph/reading/_gml_graphml.py: TOKEN",
        "graph/reading/columns.py: NUMBER",
    } <= found
    assert len(found) >= 25


@pytest.mark.parametrize("key", USES, ids=" ".join)
def test_long_runs_of_its_own_letters_take_no_pattern_long(key: tuple[str, str]) -> None:
    use = USES[key]
    slow = [text for text in hostile(use.pattern) if takes_too_long(use, text, SECONDS)]
    # A second look: the first one may have met with the garbage collector.
    assert not [text[:20] + "..." + text[-5:] for text in slow[:5] if takes_too_long(use, text, SECONDS)]


@pytest.mark.parametrize(
    ("text", "method"),
    [(r"(?:\s*(?:#[^\n]*|b\s+[\d.]+))*\s*graph", "match"), (r"\d+\.?\d*(?!\w)", "match"), (r"\s+$", "search")],
)
def test_the_test_notices_a_pattern_that_backtracks(text: str, method: str) -> None:
    use = Use("here", re.compile(text), method)
    assert any(takes_too_long(use, hard, SECONDS) for hard in hostile(use.pattern))


def test_a_banner_is_a_comment(tmp_path: Path) -> None:
    (tmp_path / "b.csv").write_text("#" * 100_000 + "\n1,2\n2,3\n")
    signal.setitimer(signal.ITIMER_VIRTUAL, 60)
    try:
        assert edgeorbit.read_graph(tmp_path / "b.csv").num_edges == 2
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)


if __name__ == "__main__":
    sys.stdout.writelines(f"{where} ({method})\n" for where, method in USES)
