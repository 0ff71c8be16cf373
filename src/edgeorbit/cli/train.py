"""`edgeorbit train`: a link predictor for a graph, and how good it honestly is."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from edgeorbit.cli import options
from edgeorbit.cli.console import (
    loading_models,
    make_tracker,
    output_console,
    print_json,
    progress_bar,
    say,
)
from edgeorbit.cli.reading import Reading, on_read, read_of, reads_files
from edgeorbit.cli.tables import print_metrics
from edgeorbit.errors import InvalidParameterError

if TYPE_CHECKING:
    from edgeorbit.experiments.tracking import Tracker
    from edgeorbit.graph.graph import Graph
    from edgeorbit.prediction import LinkPredictor
    from edgeorbit.training.checkpoint import Progress


Output = Annotated[Path, typer.Option("--output", "-o", metavar="DIR", help="The directory of the run.")]
Model = Annotated[
    str,
    typer.Option(metavar="NAME", help="A name of edgeorbit models, module:Class, or auto: for the graph."),
]
Split = Annotated[
    str,
    typer.Option(
        metavar="auto|random|twin|time|official",
        help="How edges are held out; auto: official if there is one, time with --time, twin for synthetic copies, "
        "else random.",
    ),
]
Ratios = Annotated[
    str | None,
    typer.Option(metavar="TRAIN,VALID,TEST", help="Shares of a random, twin or time split; default: 0.8,0.15,0.05."),
]
ValidationAvoidsTest = Annotated[
    bool,
    typer.Option(
        "--validation-avoids-test",
        help="Draw no test link as a validation negative, as version 0.1 did; test links then influence selection.",
    ),
]
Seed = Annotated[int, typer.Option(help="Decides the split, the weights and every other random choice.")]
Metric = Annotated[
    str | None, typer.Option(metavar="mrr|auc|hits@10|...", help="The validation metric that picks the weights.")
]
Settings = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="NAME=VALUE", help="A setting of the model or of training; can be repeated."),
]
Without = Annotated[
    list[str] | None,
    typer.Option(
        metavar="d1|cn|walks|orbits|...",
        help="A part of eo-gnn, or signals of orbit-boost, to leave out; can be repeated (ablation).",
    ),
]
Negatives = Annotated[
    str | None, typer.Option(metavar="random|heart|orbit|official", help="What to evaluate against at the end.")
]
FeaturesFile = Annotated[Path | None, typer.Option(metavar="FILE", help="A file with the features of the nodes.")]
FeaturesFrom = Annotated[
    str | None, typer.Option(metavar="GRAPH", help="Take the features of a data set with the same nodes.")
]
Devices = Annotated[
    str | None,
    typer.Option(
        metavar="N|auto",
        help="Processes that train together, each on a share of every batch; default: those that torchrun "
        "started, else 1.",
    ),
]
Device = Annotated[
    str,
    typer.Option(
        metavar="auto|cpu|cuda|cuda:N",
        help="Device of the network; auto: a GPU if there is one. Several processes take a GPU each, from this one on.",
    ),
]
Force = Annotated[bool, typer.Option("--force", help="Replace another run in the directory.")]


@reads_files(rows=True)
def train_command(
    graph: options.OneGraph,
    output: Output,
    model: Model = "auto",
    features: options.Features = None,
    split: Split = "auto",
    ratios: Ratios = None,
    validation_avoids_test: ValidationAvoidsTest = False,
    seed: Seed = 0,
    metric: Metric = None,
    settings: Settings = None,
    without: Without = None,
    negatives: Negatives = None,
    features_file: FeaturesFile = None,
    features_from: FeaturesFrom = None,
    devices: Devices = None,
    device: Device = "auto",
    track: options.Track = None,
    force: Force = False,
    as_json: options.ResultsAsJson = False,
    threads: options.Threads = None,
    *,
    reading: Reading,
) -> None:
    """Train a link predictor on the edges of a graph, and measure it on edges that it never saw.

    The same command goes on where a run was interrupted.

    [bold]Examples[/bold]

      edgeorbit train links.csv -o run                                  the best model for my own graph

      edgeorbit train cora --model sage --seed 1 -o run                 another model, another split

      edgeorbit train links.csv --model mynets:Net -o run               class Net of my own mynets.py

      edgeorbit train links.csv --model ra -o run                       a heuristic: nothing to learn, only to be judged

      edgeorbit train cora --model gcn --set hidden_channels=64 --set patience=10 -o run

      edgeorbit train cora --model eo-gnn --without d1 -o run           an ablation

      edgeorbit train cora --model seal --devices 2 -o run              two processes share every batch

      edgeorbit train cora --device cuda:1 -o run                       on the second GPU
    """
    given = [*(settings or []), *([f"without={','.join(without)}"] if without else [])]
    predictor = _predictor(model, given, metric, devices, seed=seed, threads=threads, device=device)
    tracker = make_tracker(track, "edgeorbit train") if predictor.is_first else None
    graphs: list[Graph] = []
    data = {
        "kind": split,
        "ratios": _parse_ratios(ratios),
        "validation_avoids_test": validation_avoids_test,
        "features": features,
        **reading.options(),
        "on_read": on_read(
            graphs, as_json or not predictor.is_first, uses_weights=getattr(predictor.model, "uses_weights", False)
        ),
        "threads": threads,
        "features_file": features_file,
        "features_from": features_from,
    }
    with _explaining_how_to_resume(output):
        _fit(predictor, graph, output=output, force=force, negatives=negatives, **data)
    if not predictor.is_first:
        return  # the first process reports the results
    with progress_bar("evaluating") as bar:
        found = predictor.evaluate(negatives, progress=bar, output=output).as_dict()
    if tracker is not None:
        _track(tracker, f"{predictor.reference} on {graph}, seed {seed}", predictor, found, output)
    if as_json:
        print_json([found | read_of(graphs) | {"output": str(output)}])
        return
    print_metrics(output_console(), found)
    say(f"\nWritten to {output}; next: edgeorbit predict {output}")


def _predictor(
    model: str, settings: list[str], metric: str | None, devices: str | None, **options: Any
) -> "LinkPredictor":
    """Return the predictor that is to be trained, after saying where that will be slow."""
    with loading_models():
        from edgeorbit.prediction import LinkPredictor
        from edgeorbit.training.devices import devices_to_start

        own, training = _divide_settings(model, settings)
    if metric is not None:
        training["metric"] = metric
    predictor = LinkPredictor(model, settings=own, training=training, devices=devices_to_start(devices), **options)
    if predictor.is_first and predictor.placement.remark:
        say(predictor.placement.remark)
    _warn_of_cores(devices)
    return predictor


def _fit(predictor: "LinkPredictor", graph: str, **options: Any) -> None:
    """Fit the predictor, with a progress bar that shows the loss and the last validation metrics."""
    with progress_bar("training") as bar:

        def report(progress: "Progress", steps: int, loss: float) -> None:
            last = progress.history[-1] if progress.history else {}
            shown = ", ".join(
                f"{name} {value:.4f}" for name, value in last.items() if name not in {"epoch", "step", "loss"}
            )
            doing = f"epoch {progress.epoch + 1}, loss {loss:.4f}, validation {shown or '-'}"
            limit = predictor.training.epochs * steps
            bar(progress.epoch * steps + progress.step, limit, f"training {predictor.reference}: {doing}")

        predictor.fit(graph, report=report, progress=bar, say=say if predictor.is_first else None, **options)


def _track(tracker: "Tracker", run: str, predictor: "LinkPredictor", found: dict[str, Any], output: Path) -> None:
    from edgeorbit.prediction.run_directory import INFO

    params = {key: predictor.info[key] or {} for key in ("graph", "model", "seed", "settings", "training")}
    metrics = {f"{part}_{name}": value for part in ("valid", "test") for name, value in found[part].items()}
    tracker.log(run, params, metrics, [output / INFO])


def _warn_of_cores(devices: str | None) -> None:
    """Print a message if there are more processes than cores."""
    from edgeorbit._parallel import resolve_threads

    cores = resolve_threads(None)
    if devices is not None and devices.isdigit() and int(devices) > cores:
        say(f"{devices} processes share {cores} cores and wait for each other; {cores} are enough")


@contextmanager
def _explaining_how_to_resume(output: Path) -> Iterator[None]:
    """Say how to resume a run that is interrupted."""
    try:
        yield
    except KeyboardInterrupt:
        from edgeorbit.prediction.run_directory import INFO

        if (output / INFO).is_file():
            say(f"Interrupted; give the same command again to resume from the last checkpoint in {output}")
        raise


def _parse_ratios(text: str | None) -> list[float] | None:
    if text is None:
        return None
    try:
        return [float(share) for share in text.split(",")]
    except ValueError:
        raise InvalidParameterError(f"--ratios {text}: give three shares, for instance 0.8,0.15,0.05") from None


def _divide_settings(model: str, settings: list[str]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the settings of the model and those of training; of a model that is chosen later all are the first."""
    from edgeorbit.models import resolve_model
    from edgeorbit.prediction.choosing import AUTO, divide_settings

    found: dict[str, Any] = {}
    for setting in settings:
        name, given, value = setting.partition("=")
        if not given:
            raise InvalidParameterError(f"--set {setting}: give a name and a value, for instance learning_rate=0.01")
        found[name] = value
    if model == AUTO:
        return found, {}
    divided = divide_settings(model, resolve_model(model), found)
    return dict(divided.settings), dict(divided.training)
