"""The commands, one module each."""

from typing import Annotated

import typer

from edgeorbit import __version__
from edgeorbit.cli.audit import audit_command
from edgeorbit.cli.bench import bench_command
from edgeorbit.cli.demo import demo_command
from edgeorbit.cli.draw import draw_command, gallery_command
from edgeorbit.cli.ear import ear_command
from edgeorbit.cli.expressiveness import expressiveness_command
from edgeorbit.cli.listings import datasets_command, models_command
from edgeorbit.cli.orbits import orbits_command
from edgeorbit.cli.predict import backtest_command, evaluate_command, predict_command
from edgeorbit.cli.report import report_command
from edgeorbit.cli.stats import stats_command
from edgeorbit.cli.synth import CONTEXT, synth_command
from edgeorbit.cli.theory import theory_app
from edgeorbit.cli.train import train_command
from edgeorbit.cli.tune import tune_command

app = typer.Typer(
    name="edgeorbit",
    help="How symmetric a graph looks to a graph neural network, and which links it cannot tell apart.",
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("ear")(ear_command)
app.command("orbits")(orbits_command)
app.command("stats")(stats_command)
app.command("draw")(draw_command)
app.command("gallery")(gallery_command)
app.command("expressiveness")(expressiveness_command)
app.add_typer(theory_app, name="theory")
app.command("synth", context_settings=CONTEXT)(synth_command)
app.command("datasets")(datasets_command)
app.command("models")(models_command)
app.command("train")(train_command)
app.command("evaluate")(evaluate_command)
app.command("predict")(predict_command)
app.command("backtest")(backtest_command)
app.command("audit")(audit_command)
app.command("bench")(bench_command)
app.command("report")(report_command)
app.command("tune")(tune_command)
app.command("demo")(demo_command)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"edgeorbit {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    pass
