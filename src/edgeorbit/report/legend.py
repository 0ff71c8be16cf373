"""What the colours mean, with counts for one graph and without for several."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from edgeorbit.report.drawing import ColouredGraph, Drawing
from edgeorbit.report.palette import ALONE, BEYOND_PALETTE, DISTINGUISHABLE, FAINT_INK, INDISTINGUISHABLE, INK, ORBITS
from edgeorbit.report.wording import count, ear_name, stable_since

if TYPE_CHECKING:
    from matplotlib.lines import Line2D

INCHES_PER_LETTER, INCHES_PER_ENTRY = 0.077, 0.75
DOTTED = (0, (1.5, 2.5))
WIDTHS = {INDISTINGUISHABLE: 2.4, DISTINGUISHABLE: 1.1}  # points


def legend_entries(drawings: Sequence[Drawing], *, counts: bool, dropped: bool = False) -> dict[str, Any]:
    """Return `handles`, `labels` and `handler_map` for a legend: of one drawing with counts, or of several without."""
    from matplotlib.legend_handler import HandlerTuple

    entries: list[tuple[Any, str]] = _entries_with_counts(drawings[0]) if counts else _entries_without_counts(drawings)
    if dropped:
        entries += _dropped_entries()
    return {
        "handles": [handle for handle, _ in entries],
        "labels": [label for _, label in entries],
        "handler_map": {tuple: HandlerTuple(ndivide=None, pad=0.3)},
    }


def legend_columns(entries: dict[str, Any], width: float) -> int:
    """Return how many columns the entries need to fill as few lines of so many inches as they can, evenly."""
    labels = entries["labels"]
    inches = sum(INCHES_PER_ENTRY + INCHES_PER_LETTER * len(label) for label in labels)
    lines = int(np.ceil(inches / (0.95 * width)))
    return -(-len(labels) // lines)


def ear_line(coloured: ColouredGraph) -> str:
    """Return EAR, and after how many rounds, in a line."""
    value = f"{ear_name(coloured.rounds)} = {coloured.ear:.4f}"
    if coloured.graph.num_edges == 0:
        return f"{value} (no links)"
    return value if coloured.rounds is not None else f"{value} ({stable_since(coloured.colouring.rounds)})"


def _entries_with_counts(drawing: Drawing) -> list[tuple[Any, str]]:
    coloured = drawing.coloured
    alike = coloured.num_indistinguishable
    sizes = coloured.colouring.sizes
    alone = int(np.count_nonzero(sizes == 1))
    coloured_sizes = sizes[drawing.orbits_with_colour]
    other_sizes = int(sizes[sizes > 1].sum() - coloured_sizes.sum())
    num_other = int(np.count_nonzero(sizes > 1)) - len(coloured_sizes)
    links: list[tuple[Any, str]] = [
        (_line(INDISTINGUISHABLE), f"{count(alike, 'indistinguishable link')}"),
        (_line(DISTINGUISHABLE), f"{count(coloured.graph.num_edges - alike, 'distinguishable link')}"),
    ]
    nodes: list[tuple[Any, str]] = []
    if alone:
        nodes.append((_dot(ALONE), f"{count(alone, 'node')} with a role of {'its' if alone == 1 else 'their'} own"))
    if len(coloured_sizes):
        roles = "1 shared role" if len(coloured_sizes) == 1 else f"{len(coloured_sizes)} shared roles, a colour each"
        nodes.append((_dots(len(coloured_sizes)), f"{int(coloured_sizes.sum()):,} nodes of {roles}"))
    if num_other:
        nodes.append((_dot(BEYOND_PALETTE), f"{other_sizes:,} nodes of {count(num_other, 'other shared role')}"))
    # Legends are filled column by column; an empty entry keeps links in the first of two, and nodes in the second.
    empty = [(_dot("none", outline="none"), "")] * (len(nodes) - len(links))
    return [*links, *empty, *nodes]


def _entries_without_counts(drawings: Sequence[Drawing]) -> list[tuple[Any, str]]:
    fills = {fill for drawing in drawings for fill in drawing.fills}
    entries: list[tuple[Any, str]] = [
        (_line(INDISTINGUISHABLE), "indistinguishable: another link looks the same"),
        (_line(DISTINGUISHABLE), "distinguishable"),
    ]
    if ALONE in fills:
        entries.append((_dot(ALONE), "node with a role of its own"))
    if fills & set(ORBITS):
        most = max(len(drawing.orbits_with_colour) for drawing in drawings)
        entries.append((_dots(most), "shared roles, a colour each"))
    if BEYOND_PALETTE in fills:
        entries.append((_dot(BEYOND_PALETTE), "smaller shared roles"))
    return entries


def _dropped_entries() -> list[tuple[Any, str]]:
    """Return the entries for links and nodes that were dropped."""
    from matplotlib.lines import Line2D

    ring = _dot("none")
    ring.set_markersize(11)
    return [
        (Line2D([], [], color=FAINT_INK, linewidth=1.2, linestyle=DOTTED), "dropped link"),
        (ring, "dropped node: its features are zeroed"),
    ]


def _line(colour: str) -> "Line2D":
    from matplotlib.lines import Line2D

    return Line2D([], [], color=colour, linewidth=WIDTHS[colour])


def _dot(fill: str, outline: str = INK) -> "Line2D":
    from matplotlib.lines import Line2D

    look: dict[str, Any] = {"markerfacecolor": fill, "markeredgecolor": outline, "markeredgewidth": 0.8}
    return Line2D([], [], marker="o", linestyle="", markersize=7, **look)


def _dots(number: int) -> "Line2D | tuple[Line2D, ...]":
    """Return up to three dots in the first colours of the palette."""
    return _dot(ORBITS[0]) if number == 1 else tuple(_dot(fill) for fill in ORBITS[: min(number, 3)])
