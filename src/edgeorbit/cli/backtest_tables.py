"""The tables of a backtest: precision of a list beside a heuristic and chance, and how true its probabilities are."""

from typing import TYPE_CHECKING

from edgeorbit.cli.console import new_table

if TYPE_CHECKING:
    from rich.console import Console

    from edgeorbit.prediction.backtest import Backtest, ListQuality, Reliability


def print_backtest(console: "Console", found: "Backtest") -> None:
    """Print what a list of predicted links is worth."""
    from rich.text import Text

    console.print(Text(f"The likeliest links against {found.test_links:,} hidden test links"), style="bold")
    rivals = [found.model]
    if found.heuristic.model != found.model.model:
        rivals.append(found.heuristic)
    table = new_table((0, 1, 0, 0))
    table.add_column("first")
    for rival in rivals:
        for heading in (f"{rival.model}\nprecision", "95 %\ninterval", "\nrecall"):
            table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("chance", justify="right", no_wrap=True)
    for place, each in enumerate(found.model.at):
        cells = [cell for rival in rivals for cell in _cells(rival, place)]
        table.add_row(f"{each.k:,}", *cells, f"{found.chance:.2g}")
    console.print(table)
    notes = [f"of {found.candidates:,} candidates; without validation links, which are known; {_beside(found)}"]
    if found.small_sample:
        notes.append(f"small sample: {found.test_links} test links say little about the precision of a list")
    for note in notes:
        console.print(Text(note), style="dim", soft_wrap=True)
    if found.reliability is not None:
        console.print()
        _print_reliability(console, found.reliability, small=found.small_sample)
    elif found.uncalibrated:
        console.print(Text(found.uncalibrated), style="yellow", soft_wrap=True)


def _beside(found: "Backtest") -> str:
    chosen = found.heuristic.model
    if chosen == found.model.model:
        return "no other heuristic has a better list on validation links"
    return f"{chosen} is the heuristic with the best list on validation links"


def _cells(rival: "ListQuality", place: int) -> tuple[str, str, str]:
    each = rival.at[place]
    if not each.listed:
        return "-", "-", "-"
    return f"{each.precision:.3f}", f"{each.low:.2f} - {each.high:.2f}", f"{each.recall:.3f}"


def _print_reliability(console: "Console", found: "Reliability", *, small: bool) -> None:
    from rich.text import Text

    console.print(Text(f"Probabilities of the first {found.listed:,} ({found.method})"), style="bold")
    table = new_table((0, 1, 0, 0))
    table.add_column("probability")
    for heading in ("links", "mean", "came true"):
        table.add_column(heading, justify="right", no_wrap=True)
    for each in found.curve:
        table.add_row(
            f"{each.low:.1f} to {each.high:.1f}",
            *(f"{each.number:,}", f"{each.mean_probability:.3f}", f"{each.share_true:.3f}"),
        )
    table.add_row("all", f"{found.listed:,}", f"{found.mean_probability:.3f}", f"{found.share_true:.3f}")
    console.print(table)
    summary = f"expected calibration error {found.ece:.4f}, Brier score {found.brier:.4f}, prior {found.prior:.2g}"
    console.print(Text(summary + (" (small sample)" if small else "")), style="dim", soft_wrap=True)
