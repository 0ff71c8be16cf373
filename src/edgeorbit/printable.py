"""Text from files and users, made fit for a terminal: no control characters, and nothing that fills the screen."""

import re

# Control characters, separators of lines, marks of direction, and what is no character by itself.
_CONTROLS = "\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff"
_UNPRINTABLE = re.compile(f"[{_CONTROLS}]")
_UNPRINTABLE_IN_LINE = re.compile(f"[\t\n{_CONTROLS}]")
_LONG_WORD = re.compile(r"\S{201,}")
LONGEST_WORD, LONGEST_SENTENCE = 120, 1500


def printable(text: str) -> str:
    r"""Return a text with its control characters escaped, so that a terminal shows them and does not obey them.

    Tabs and line feeds stay.

    >>> print(printable("a\x1b[31mb"))
    a\x1b[31mb
    """
    return _UNPRINTABLE.sub(_escaped, text)


def shown(value: object, length: int = 60) -> str:
    """Return a value as a one-line message shows it: no line breaks or control characters, cut in the middle.

    >>> shown("a\\nb")
    'a\\\\nb'
    >>> shown("abcdefghijklmnopqrstuvwxyz", 12)
    'abcdef...uvwxyz'
    """
    return _cut(_UNPRINTABLE_IN_LINE.sub(_escaped, str(value)), length)


def sentence(text: str) -> str:
    """Return a message as one printable line of bounded length; long words in it, such as names, are shortened."""
    line = _LONG_WORD.sub(lambda found: shown(found[0], LONGEST_WORD), " ".join(text.split()))
    return _cut(printable(line), LONGEST_SENTENCE)


def _escaped(found: re.Match[str]) -> str:
    return ascii(found[0])[1:-1]


def _cut(text: str, length: int) -> str:
    """Leave out the middle of a text that is too long; the end of a path or a message often matters most."""
    if len(text) <= length + 3:
        return text
    return f"{text[: length // 2]}...{text[-(length // 2) :]}"
