"""`edgeorbit theory curve`: performance against EAR, from the results of an experiment."""

from pathlib import Path
from typing import Annotated

import typer

from edgeorbit.cli import options
from edgeorbit.cli.console import output_console, print_json, working
from edgeorbit.errors import InvalidParameterError


def curve_command(
    results: Annotated[Path, typer.Argument(metavar="RESULTS", help="What edgeorbit bench wrote (.parquet).")],
    metric: Annotated[
        str,
        typer.Option(
            metavar="auc|mrr|original_auc|...", help="The metric on test links; original_: without added ones."
        ),
    ] = "auc",
    negatives: Annotated[str, typer.Option(metavar="random|heart|orbit", help="What links are ranked against.")] = (
        "random"
    ),
    picture: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Draw it, too (.png, .svg or .pdf).", show_default=False)
    ] = None,
    as_json: options.AsJson = False,
) -> None:
    """Correlate the EAR of training graphs with what models reach on them (Spearman, with a 95 % interval).

    EAR is that after the rounds that the experiment names for orbit negatives, else the stable one.

    [bold]Examples[/bold]

      edgeorbit bench experiments/ear-curve.toml                                            the runs

      edgeorbit theory curve experiments/ear-curve.parquet --metric original_auc --picture curve.png
    """
    if picture is not None:
        from edgeorbit.report.saving import check_picture_path

        check_picture_path(picture)
    with working("correlating"):
        from edgeorbit.experiments.store import Store
        from edgeorbit.theory.performance import correlate, curve_points

        if not results.exists():
            raise InvalidParameterError(f"{results}: there is no such file; run edgeorbit bench first")
        points = curve_points(Store(results).rows, metric, negatives)
        if not points:
            raise InvalidParameterError(
                f"{results}: has no {metric} against {negatives} negatives beside an EAR; choose another metric or kind"
            )
        found = correlate(points)
        if picture is not None:
            from edgeorbit.report.saving import save_figure
            from edgeorbit.report.theory import draw_curves

            save_figure(draw_curves(points, metric), picture)
    if as_json:
        print_json([row.as_dict() for row in found])
        return
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    table = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False)
    for column in ("graphs", "model", "runs", "rho", "95 % interval"):
        table.add_column(column, justify="left" if column in {"graphs", "model"} else "right")
    for row in found:
        rho = "-" if row.rho is None else f"{row.rho:+.2f}"
        interval = "-" if row.low is None or row.high is None else f"{row.low:+.2f} to {row.high:+.2f}"
        table.add_row(row.family, row.model, str(row.number), rho, interval)
    output_console().print(table)
    if picture is not None:
        output_console().print(f"Written to {picture}", highlight=False, markup=False, soft_wrap=True)
