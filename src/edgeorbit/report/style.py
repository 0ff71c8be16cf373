"""How all pictures look and speak: colours and axes, names that come from data, numbers with their nouns.

The colours can be distinguished by people who do not see red and green. The paper draws indistinguishable links green
and distinguishable ones blue; here they are vermilion and thick against slate blue and thin, which differ in hue for
everybody, and in grey print by their width.
"""

from typing import TYPE_CHECKING

from edgeorbit.graph.graph import Graph

if TYPE_CHECKING:
    from matplotlib.axes import Axes

INDISTINGUISHABLE = "#d55e00"
DISTINGUISHABLE = "#7b93ad"
INK = "#2b2f36"
FAINT_INK = "#6b7280"
GRID = "#e7e9ec"
EDGE_ORBITS = (INDISTINGUISHABLE, "#4b2a85", "#1b8f63", "#b8860b")  # where links are coloured by their orbit
ALONE = "#ffffff"  # a node with a role of its own
BEYOND_PALETTE = "#b9bec7"  # nodes of shared orbits for which there is no colour left

# One colour per shared orbit, the largest orbit first: hues and shades in turn, so that neighbours in the list differ
# in both. None is the vermilion of links.
ORBITS = (
    "#0b6fb3",
    "#f2c43d",
    "#1b8f63",
    "#c563a4",
    "#63c7e8",
    "#4b2a85",
    "#a8c545",
    "#8c1d3f",
    "#f3a6b8",
    "#7a5b2e",
    "#8fe0c0",
    "#b39ddb",
)
MAX_LETTERS = 44
UNKNOWN = "\N{REPLACEMENT CHARACTER}"


def prepare_axes(axes: "Axes", title: str, xlabel: str, ylabel: str) -> None:
    """Give axes their title and labels, and the look that all curves share."""
    axes.set_title(title, fontsize=11, fontweight="bold", color=INK, loc="left")
    axes.set_xlabel(xlabel, fontsize=9.5, color=INK)
    axes.set_ylabel(ylabel, fontsize=9.5, color=INK)
    axes.spines[["top", "right"]].set_visible(False)
    axes.spines[["left", "bottom"]].set_color(FAINT_INK)
    axes.tick_params(which="both", color=FAINT_INK, labelcolor=INK, labelsize=9)
    axes.grid(visible=True, color=GRID, linewidth=0.7)
    axes.set_axisbelow(True)


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
