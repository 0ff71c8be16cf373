"""The tables of `edgeorbit theory`."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.table import Table


def complexity_table(found: Sequence[dict[str, Any]]) -> "Table":
    """Return how many draws of dropout tell links apart, one row per graph."""
    table = plain_table(
        *("graph", "links", "with look-\nalike", "mean\nrate", "L of\nD1", "L of\nuniform", "break-even\nrate"),
        *("share\nchanged", "orbits split,\n1 draw", "pairs told,\n1 draw", "pairs told,\nL draws"),
    )
    for row in found:
        course, draws = row["course"], row["d1_draws"]
        told = course["pairs_told"]
        table.add_row(
            row["graph"],
            *(f"{row[key]:,}" for key in ("num_edges", "automorphic")),
            f"{row['mean_rate']:.4f}",
            *(f"{row[key]:,}" for key in ("d1_draws", "uniform_draws")),
            f"{row['break_even_rate']:.4f}",
            f"{row['share_changed']:.3f}",
            *(f"{course['orbits_split'][0]:.3f}", f"{told[0]:.3f}"),
            f"{told[draws - 1]:.3f}" if draws <= len(told) else "-",
        )
    return table


def distances_table(found: Sequence[Sequence[Any]]) -> "Table":
    """Return how far the nodes of an orbit are from each other and from others, one row per stage."""
    table = plain_table(
        *("graph", "orbits", "dominant", "stage", "D2", "within", "formula", "of mean", "between"),
        *("within /\nbetween", "linked\nwithin", "linked\nbetween"),
    )
    for rows in found:
        for row in rows:
            numbers = (row.within, row.closed_form, row.within_of_mean, row.between)
            table.add_row(
                *(row.graph, f"{row.num_orbits:,}", f"{row.num_dominant:,}", row.stage),
                f"tau {row.tau:g}" if row.d2 else "no",
                *(_number(value) for value in (*numbers, row.ratio, row.linked_within, row.linked_between)),
            )
    return table


def scores_table(found: Sequence[Any]) -> "Table":
    """Return the scores of links by model, kind and place."""
    table = plain_table("model", "links", "place", "number", "mean", "deviation", "median", "missed", "AUC", "±")
    for row in found:
        median = None if row.quartiles is None else row.quartiles[1]
        table.add_row(
            *(row.model, row.kind, "" if row.kind == "negative" else row.place, f"{row.number:,}"),
            *(_number(value) for value in (row.mean, row.deviation, median, row.share_missed)),
            *(_number(value) for value in (row.auc, row.auc_deviation)),
        )
    return table


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


def plain_table(first: str, *headings: str) -> "Table":
    """Return a table without rows; numbers are aligned to the right."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    table = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
    table.add_column(first, overflow="fold")
    for heading in headings:
        table.add_column(heading, justify="left" if heading in {"links", "place", "stage", "D2"} else "right")
    return table
