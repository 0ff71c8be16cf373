"""Text of others on a terminal: it sends no control characters, and fills no screen."""

import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edgeorbit._text import LONGEST_SENTENCE, parse_json, printable, sentence, shown
from edgeorbit.errors import EdgeorbitError, UnreachableTargetError

ANY_TEXT = st.text(st.characters(codec=None), max_size=50) | st.text("\x1b\r\n\t\x07\x9b\u202e\ud800a", max_size=50)


@given(ANY_TEXT)
def test_nothing_that_a_terminal_obeys_is_left(text: str) -> None:
    for line in (printable(text).replace("\n", "").replace("\t", ""), shown(text), sentence(text)):
        assert all(ord(c) >= 32 and not 0x7F <= ord(c) <= 0x9F for c in line)
        assert not set(line) & set("\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u2028\u2029")
        line.encode()


@given(st.text(st.characters(categories=["L", "N", "P", "S"]), max_size=50))
def test_ordinary_text_stays_as_it_is(text: str) -> None:
    assert printable(text) == shown(text) == text and sentence(text) == " ".join(text.split())


@given(ANY_TEXT)
def test_escaping_twice_is_escaping_once(text: str) -> None:
    assert printable(printable(text)) == printable(text) and sentence(sentence(text)) == sentence(text)


def test_long_values_are_cut_in_the_middle_and_the_way_out_stays() -> None:
    message = str(EdgeorbitError(f"{'a' * 3000}: there is no node {'b' * 3000!r}; check its spelling"))
    assert len(message) < 320 and message.endswith("; check its spelling") and message.startswith("aaa")
    assert len(sentence("a b " * 3000)) == LONGEST_SENTENCE + 3
    path = "/".join(["directory"] * 18)
    assert str(EdgeorbitError(f"{path}: is a file")) == f"{path}: is a file"


def test_errors_survive_the_way_between_processes() -> None:
    error = pickle.loads(pickle.dumps(EdgeorbitError("a\x1bb")))
    assert str(error) == r"a\x1bb" and error.args == ("a\x1bb",)
    assert UnreachableTargetError("far", 0.5).nearest == 0.5


@pytest.mark.parametrize("text", ["NaN", "[Infinity]", "-Infinity", "1e999", "[" * 100_000, "", "1" * 5000, "{"])
def test_json_beyond_the_standard_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        parse_json(text)
