"""Markdown: text that means itself, and tables of pipes."""

_LETTERS = str.maketrans({letter: "\\" + letter for letter in "\\|<>*_`["})


def escape(text: str) -> str:
    """Return text that means itself, on one line."""
    return " ".join(text.split()).translate(_LETTERS)


def table_lines(head: list[str], body: list[list[str]], *, numbers: bool = True) -> list[str]:
    """Return the lines of a table, all but the first column to the right if they are numbers; cells are Markdown."""
    rule = ["---", *["--:" if numbers else "---"] * (len(head) - 1)]
    return ["| " + " | ".join(row) + " |" for row in (head, rule, *body)]
