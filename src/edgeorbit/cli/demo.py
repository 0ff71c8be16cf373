"""`edgeorbit demo`: the measure on built-in graphs, and three models where it matters, explained."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from edgeorbit.cli import options
from edgeorbit.cli.console import output_console, print_json, progress_bar, working
from edgeorbit.cli.tables import measurement_table

if TYPE_CHECKING:
    from rich.console import Console

    from edgeorbit.report import JudgedLinks

# What to look at in each row.
GRAPHS = {
    "karate": "a real friendship network: few links look alike",
    "prism": "all links alike for a GNN, though triangle and matching links differ",
    "lobster": "a tree with repeated legs: many links look alike",
    "two-copies": "two copies of one graph: every link has a twin, so EAR is 1",
    "two-copies-joined": "the same with one link added: the difference spreads, round by round",
}


COPIES = 8
MODELS = {"gcn": "torch_geometric", "orbit-boost": "lightgbm", "eo-gnn": "torch_geometric"}  # and what each needs
EPOCHS = 60
TRAINING = {"metric": "auc", "epochs": EPOCHS, "patience": 6}


def demo_command(
    picture: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Draw the scores of the models (.png, .svg or .pdf).")
    ] = None,
    as_json: options.AsJson = False,
) -> None:
    """Measure built-in graphs, train three models on a symmetric one, and explain what the numbers mean.

    A model whose extra is not installed is left out.

    [bold]Examples[/bold]

      edgeorbit demo

      edgeorbit demo --picture demo.png
    """
    from importlib.util import find_spec

    from edgeorbit.data import load_graph
    from edgeorbit.errors import MissingExtraError
    from edgeorbit.measures.ear import measure

    if picture is not None:
        from edgeorbit.report.saving import check_picture_path

        check_picture_path(picture)
        if not any(map(find_spec, MODELS.values())):
            raise MissingExtraError(
                "the picture shows trained models, which need lightgbm or torch; pip install 'edgeorbit[boost,pyg]'"
            )
    with working("measuring the built-in graphs"):
        found = [measure(load_graph(name)) for name in GRAPHS]
    console = output_console()
    if not as_json:
        _explain_measure(console, found)
    judged = _train_models()
    if as_json:
        models = [{"model": name, "auc": one.auc} for name, one in judged.items()]
        print_json([{"graphs": [one.as_dict() for one in found], "models": models}])
    elif judged:
        _explain_models(console, judged)
    else:
        console.print("\nTo see models at work: pip install 'edgeorbit[boost,pyg]'", style="dim", highlight=False)
    if picture is not None and judged:
        from edgeorbit.report import draw_scores, save_figure

        save_figure(draw_scores(judged), picture)
        if not as_json:
            console.print(f"Picture: {picture}", highlight=False)


def _explain_measure(console: "Console", found: list[Any]) -> None:
    console.print("How symmetric five small graphs look to a message-passing network\n", style="bold")
    console.print(measurement_table([(one, {}) for one in found], console.width))
    console.print()
    width = max(map(len, GRAPHS))
    for one, remark in zip(found, GRAPHS.values(), strict=True):
        console.print(f"{one.graph:<{width}}  {remark}", highlight=False)
    console.print(
        "\nEAR is the share of links that have a look-alike: another link whose two ends no message-passing network "
        "can tell from its own, however it is trained. EAR@K is what a network of K layers sees. alpha_V is the same "
        "share for nodes.\n\nYour own graph: edgeorbit ear links.csv",
        style="dim",
        highlight=False,
    )


def _train_models() -> "dict[str, JudgedLinks]":
    """Train the models on copies of the karate club, and let them score held-out links and look-alikes of these."""
    from importlib.util import find_spec

    names = [name for name, needed in MODELS.items() if find_spec(needed)]
    if not names:
        return {}
    from edgeorbit.cli.startup import postpone_imports

    postpone_imports()
    from edgeorbit.data.negatives import sample_negatives
    from edgeorbit.evaluation.metrics import evaluate
    from edgeorbit.evaluation.scoring import score_negatives
    from edgeorbit.models import resolve_model
    from edgeorbit.prediction import LinkPredictor
    from edgeorbit.report import JudgedLinks
    from edgeorbit.synthetic import make
    from edgeorbit.training.settings import shared_training

    graph = make("syn-karate", copies=COPIES, edges=0)
    judged = {}
    for name in names:
        with progress_bar(f"training {name}") as bar:

            def report(progress: Any, steps: int, loss: float, bar: Any = bar) -> None:
                bar(progress.epoch * steps + progress.step, EPOCHS * steps)

            training = shared_training(resolve_model(name), TRAINING)
            predictor = LinkPredictor(name, training=training).fit(graph, features="constant", report=report)
        negatives = sample_negatives(predictor.split, "orbit", 0, bounds=False)
        scorer = predictor.model.on(predictor.split.graph)
        links, look_alikes = scorer(predictor.split.test), score_negatives(scorer, negatives.test)
        judged[name] = JudgedLinks(links, look_alikes, evaluate(links, look_alikes)["auc"])
    return judged


def _explain_models(console: "Console", judged: "dict[str, JudgedLinks]") -> None:
    from rich.table import Table

    console.print(f"\nModels on {COPIES} copies of the karate club (EAR 1), links held out\n", style="bold")
    table = Table("model", "AUC against look-alikes", "")
    for name, found in judged.items():
        bar = "█" * round(40 * max(0.0, found.auc - 0.5) / 0.5)
        table.add_row(name, f"{found.auc:.3f}", bar or "▏", style="")
    console.print(table)
    console.print(
        "\nA look-alike is a pair of nodes that is no link and has the same roles as a link that is. A GCN without "
        "features scores both alike: 0.5 is a coin toss. orbit-boost, the default of edgeorbit train, and eo-gnn also "
        "see what connects the two nodes: walks, PageRank, common neighbours. The bar shows how much of the way "
        "from a coin toss to perfection each goes.\n\n"
        "Your own graph: edgeorbit train links.csv -o run",
        style="dim",
        highlight=False,
    )
