"""Which line of a TOML text says what, so that an error can name it."""

import re
import tomllib

Path = tuple[str | int, ...]

BARE = re.compile(r"[A-Za-z0-9_-]+")
# Between values: spaces, line ends and comments.
GAP = re.compile(r"(?:[ \t\r\n]|#[^\n]*+)*+")
STRING = re.compile(
    r'"""(?:\\.|[^\\])*?"{3,5}(?!")' + r"|'''.*?'{3,5}(?!')" + r'|"(?:\\.|[^"\\\n])*"' + r"|'[^'\n]*'", re.DOTALL
)
SCALAR = re.compile(r"[^,\]}#\n]+")


def find_lines(text: str) -> dict[Path, int]:
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
        self.lines: dict[Path, int] = {}
        self.lengths: dict[Path, int] = {}  # of lists of tables

    def find(self) -> dict[Path, int]:
        table: Path = ()
        self._skip_gap()
        while self.at < len(self.text):
            if self.text.startswith("[", self.at):
                table = self._header()
            else:
                self._pair(table)
            self._skip_gap()
        return self.lines

    def _header(self) -> Path:
        several = self.text.startswith("[[", self.at)
        begun = self.at
        self.at += 2 if several else 1
        *before, last = self._key()
        self.at = self.text.index("]", self.at) + (2 if several else 1)
        path: Path = ()
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

    def _pair(self, table: Path) -> None:
        begun = self.at
        path = table
        for name in self._key():
            path = (*path, name)
            self._note(path, begun)
        self.at = self.text.index("=", self.at) + 1
        self._value(path)

    def _value(self, path: Path) -> None:
        self._skip_gap()
        opened = self.text[self.at]
        if opened in "[{":
            self._enclosed(path, "]" if opened == "[" else "}")
            return
        found = STRING.match(self.text, self.at) or SCALAR.match(self.text, self.at)
        self.at = found.end() if found else len(self.text)

    def _enclosed(self, path: Path, closing: str) -> None:
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

    def _note(self, path: Path, at: int) -> None:
        """Note the line of a place; places come in the order of the text."""
        self.line += self.text.count("\n", self.counted, at)
        self.counted = at
        self.lines.setdefault(path, self.line)
