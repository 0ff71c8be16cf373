"""Damage to text: cells, lines, separators, numbers, long runs, control characters, encodings."""

import random
import re

NUMBERS = [
    *("-1", "-0", "0", "1.5", "1e5", "1e308", "1e999", "nan", "inf", "-inf", "0x10", "1_000", "٣", "²", "+1", "1."),
    *("2147483647", "2147483648", "4294967296", "9223372036854775807", "9223372036854775808", "9" * 40, "9" * 5000),
]
CONTROLS = "\0\x01\x07\b\x0b\x0c\x1a\x1b\x1f\x7f\x85\u200b\u2028\u202e\ufeff\ufffe"
TEXTS = [
    '"',
    "'",
    "",
    " ",
    "a,b",
    "é",
    "日本",
    "\U0001f600",
    "\x1b[31mred\x1b[0m",
    "=1+1",
    "../../x",
    "%s",
    "{0}",
    "\\",
]
RUNS = "#%\"',;\t {}[]()<>&\\/*-.0a\n\r\0"
ENCODINGS = [
    *("utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-7", "latin-1", "cp1252", "cp037", "shift-jis"),
    *("gb18030", "euc-kr", "iso2022_jp", "hz"),
]
_CELL = re.compile(r"[^\s,;<>\[\]{}()=:\"']+")
_XML_ENCODING = re.compile(rb"""encoding=["'][^"']*["']""")


def damage_text(rng: random.Random, content: bytes) -> bytes:
    """Return a text with one to three things done to it."""
    text = content.decode("utf-8", "surrogateescape")
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        text = rng.choice(_CHANGES)(rng, text)
    if rng.random() < 0.15:
        return _encode(rng, text)
    return text.encode("utf-8", "surrogateescape")


def _change_cell(rng: random.Random, text: str) -> str:
    cells = [match.span() for match in _CELL.finditer(text[:20000])]
    if not cells:
        return text
    begin, end = rng.choice(cells)
    return text[:begin] + rng.choice(NUMBERS + TEXTS + [rng.choice(CONTROLS)]) + text[end:]


def _exchange_cells(rng: random.Random, text: str) -> str:
    cells = [match.span() for match in _CELL.finditer(text[:20000])]
    if len(cells) < 2:
        return text
    (a, b), (c, d) = sorted(rng.sample(cells, 2))
    return text[:a] + text[c:d] + text[b:c] + text[a:b] + text[d:]


def _change_lines(rng: random.Random, text: str) -> str:
    lines = text.split("\n")
    place = rng.randrange(len(lines))
    match rng.randrange(6):
        case 0:
            del lines[place]
        case 1:
            lines.insert(place, lines[rng.randrange(len(lines))])
        case 2:
            lines[place : place + 1] = [lines[place]] * rng.choice((2, 50, 1000))
        case 3:
            rng.shuffle(lines)
        case 4:
            lines[place] = rng.choice(["", " ", "#", "# comment", "% x", ",", ",,,", "\t", "a", lines[place] * 40])
        case _:
            lines = lines[:place]
    return "\n".join(lines)


def _change_separators(rng: random.Random, text: str) -> str:
    old, new = rng.choice(",\t; \n=:"), rng.choice([",", "\t", ";", " ", "|", "\r", "\r\n", "\n", "", ",,", "\u00a0"])
    return text.replace(old, new, rng.choice((1, 3, -1)))


def _insert_run(rng: random.Random, text: str) -> str:
    place = rng.choice((0, len(text), rng.randrange(len(text) + 1)))
    run = rng.choice(RUNS) * rng.choice((30, 60, 500, 5000, 100_000))
    return text[:place] + run + rng.choice(("", "\n")) + text[place:]


def _insert_control(rng: random.Random, text: str) -> str:
    place = rng.randrange(len(text) + 1)
    return text[:place] + rng.choice(CONTROLS) * rng.choice((1, 1, 5)) + text[place:]


def _encode(rng: random.Random, text: str) -> bytes:
    encoding = rng.choice(ENCODINGS)
    content = text.encode("utf-8", "replace").decode().encode(encoding, "replace")
    name = rng.choice((*ENCODINGS, "utf-8", "uto-8", "x" * 300, "rot13", "zlib", "idna", "punycode", "unicode_escape"))
    if rng.random() < 0.5:
        return _XML_ENCODING.sub(f'encoding="{name}"'.encode(), content)
    return content


_CHANGES = (
    _change_cell,
    _change_cell,
    _exchange_cells,
    _change_lines,
    _change_separators,
    _insert_run,
    _insert_control,
)
