"""Text in pictures: names that come from data, numbers with their nouns."""

from edgeorbit.graph.graph import Graph

MAX_LETTERS = 44
UNKNOWN = "\N{REPLACEMENT CHARACTER}"


def shorten(name: str, letters: int = MAX_LETTERS) -> str:
    """Return a name that fits into a title: on one line, its middle left out if it is long.

    >>> shorten("a" * 40 + "b" * 40, 21)
    'aaaaaaaaaa…bbbbbbbbbb'
    """
    line = " ".join("".join(letter if letter.isprintable() else " " for letter in name).split())
    if len(line) <= letters:
        return line
    kept = (letters - 1) // 2
    return f"{line[:kept]}…{line[-kept:]}"


def drawable(name: str) -> str:
    """Return a name with every letter that matplotlib's font does not have replaced by one that it has.

    >>> drawable("karate")
    'karate'
    """
    from matplotlib.font_manager import FontProperties, findfont, get_font

    known = get_font(findfont(FontProperties())).get_charmap()
    return "".join(letter if ord(letter) in known else UNKNOWN for letter in shorten(name))


def count(number: int, noun: str) -> str:
    """Return a number with its noun.

    >>> count(1, "node"), count(2708, "link")
    ('1 node', '2,708 links')
    """
    return f"{number:,} {noun}" + ("" if number == 1 else "s")


def ear_name(rounds: int | None) -> str:
    """Return what EAR is called after so many rounds; None for stable colours.

    >>> ear_name(None), ear_name(2)
    ('EAR', 'EAR@2')
    """
    return "EAR" if rounds is None else f"EAR@{rounds}"


def stable_since(rounds: int) -> str:
    """Say after how many rounds colours were stable.

    >>> stable_since(0), stable_since(1)
    ('stable from the start', 'stable after 1 round')
    """
    return f"stable after {count(rounds, 'round')}" if rounds else "stable from the start"


def size_line(graph: Graph) -> str:
    """Return the numbers of nodes and links.

    >>> size_line(Graph.from_edges([(0, 1)]))
    '2 nodes, 1 link'
    """
    return f"{count(graph.num_nodes, 'node')}, {count(graph.num_edges, 'link')}"
