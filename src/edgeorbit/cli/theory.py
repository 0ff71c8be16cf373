"""`edgeorbit theory`: the paper's theorems as experiments, a sub-command each."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from edgeorbit.cli import options
from edgeorbit.cli.console import output_console, print_json, print_line, progress_bar, working
from edgeorbit.cli.graphs import load
from edgeorbit.cli.reading import Reading
from edgeorbit.cli.startup import postpone_imports
from edgeorbit.cli.tables import complexity_table, correlation_table, distances_table, plain_table, scores_table
from edgeorbit.errors import InvalidParameterError

if TYPE_CHECKING:
    from rich.table import Table

theory_app = typer.Typer(
    help="The paper's theorems as experiments: what they say, and what is measured.",
    no_args_is_help=True,
    rich_markup_mode="rich",
)

Picture = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Draw it, too (.png, .svg or .pdf).", show_default=False)
]
SHOWN_BY_DEFAULT = ["lobster", "karate"]
SomeGraphs = Annotated[
    list[str] | None,
    typer.Argument(metavar="[GRAPH...]", help=options.GRAPH_HELP, show_default=" ".join(SHOWN_BY_DEFAULT)),
]
Seed = Annotated[int, typer.Option(help="The same seed gives the same numbers.")]
FOLLOWED = 8  # draws shown at least
MOST_FOLLOWED = 64  # every draw is recoloured
TAUS = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0)  # of the picture


@theory_app.command("curve")
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
    picture: Picture = None,
    as_json: options.AsJson = False,
) -> None:
    """Correlate the EAR of training graphs with what models reach on them (Spearman, with a 95 % interval).

    EAR is that after the rounds that the experiment names for orbit negatives, else the stable one. Graphs of one
    series, as the experiment file beside the results calls it, are a curve; without the file, all graphs are.

    [bold]Examples[/bold]

      edgeorbit bench experiments/ear-curve.toml                                            the runs

      edgeorbit theory curve experiments/ear-curve.parquet --metric original_auc --picture curve.png
    """
    _check_picture(picture)
    with working("correlating"):
        from edgeorbit.experiments.tables import read_results
        from edgeorbit.theory.performance import correlate, curve_points

        experiment = read_results(results)
        points = curve_points(experiment.rows, metric, negatives, experiment.series or None)
        if not points:
            raise InvalidParameterError(
                f"{results}: has no {metric} against {negatives} negatives beside an EAR; choose another metric or kind"
            )
        found = correlate(points)
    if picture is not None:
        _save(picture, lambda drawing: drawing.draw_curves(points, metric))
    if as_json:
        print_json([row.as_dict() for row in found])
        return
    _print(correlation_table(found), picture)


@theory_app.command("complexity")
def complexity_command(
    graphs: options.Graphs,
    sigma: Annotated[float, typer.Option(help="The probability that is allowed that no draw differs.")] = 0.05,
    alpha_p: Annotated[float, typer.Option(help="Scale of D1's rates.")] = 1.0,
    p_max: Annotated[float, typer.Option(help="D1's largest rate.")] = 0.5,
    p_a: Annotated[
        float | None, typer.Option(help="One rate for links with a look-alike, in the place of D1's; with --p-n.")
    ] = None,
    p_n: Annotated[float | None, typer.Option(help="One rate for links without; with --p-a.")] = None,
    rounds: options.Rounds = None,
    trials: Annotated[int, typer.Option(metavar="N", help="Trials of the check by drawing.")] = 200,
    seed: Seed = 0,
    picture: Picture = None,
    as_json: options.AsJson = False,
    threads: options.Threads = None,
    data_dir: options.DataDir = None,
) -> None:
    """Theorem 4.1: after how many draws of dropout one differs from the graph, and what that tells apart.

    L is the theorem's number for D1, and for uniform dropout of the same mean rate. Then graphs are drawn: how often
    one of L draws differs (the theorem says: with 1 - sigma at least), and how often it tells apart an orbit, or two
    given look-alikes, of which the theorem says nothing.

    [bold]Examples[/bold]

      edgeorbit theory complexity karate lobster                       D1 against uniform dropout

      edgeorbit theory complexity cora --rounds 2 --alpha-p 0.01       as two layers see it, rarer dropout

      edgeorbit theory complexity karate --p-a 0.3 --p-n 0.05          the theorem's two rates

      edgeorbit theory complexity karate --picture complexity.png      L against p, and draw by draw
    """
    _check_picture(picture)
    if (p_a is None) != (p_n is None):
        raise InvalidParameterError(f"--p-a and --p-n belong together, not {p_a} and {p_n}; give both or none")
    found, curves, courses = [], [], []
    for source in graphs:
        graph = load(source, Reading(data_dir), threads)
        with working(f"counting draws on {graph.name}"):
            from edgeorbit import theory

            rates = _edge_rates(graph, alpha_p, p_max, p_a, p_n, rounds)
            compared = theory.compare_with_uniform(graph, rates, sigma, rounds=rounds)
            follow = max(FOLLOWED, min(compared.d1_draws, MOST_FOLLOWED))
            measured = theory.share_changed(rates, compared.d1_draws, trials, seed)
        with progress_bar(f"recolouring {graph.name}") as progress:
            course = theory.follow_draws(
                graph, rates, follow, trials=trials, seed=seed, rounds=rounds, progress=progress
            )
        courses.append(course)
        if picture is not None:
            curves.append(theory.draws_by_rate(graph, sigma, p_max, rounds=rounds))
        found.append(compared.as_dict() | {"share_changed": measured, "course": course.as_dict()})
    if picture is not None:
        _save(picture, lambda drawing: drawing.draw_complexity(curves, courses))
    if as_json:
        print_json(found)
        return
    _print(
        complexity_table(found),
        picture,
        "share changed: trials in which one of L draws differs from the graph; the theorem says at least 1 - sigma. "
        "orbits split, pairs told: what the draws did for links that look alike, measured by recolouring.",
    )


@theory_app.command("c8")
def c8_command(picture: Picture = None, as_json: options.AsJson = False) -> None:
    """The paper's figure of C8: EAR of the whole cycle, without an edge, without a node's features, without both.

    [bold]Example[/bold]

      edgeorbit theory c8 --picture c8.png
    """
    _check_picture(picture)
    with working("measuring C8"):
        from edgeorbit.theory.simulation import drop_from_cycle

        found = drop_from_cycle()
        if picture is not None:
            from edgeorbit.report.gallery import draw_family
            from edgeorbit.report.saving import save_figure

            save_figure(draw_family("cycle")[0], picture)
    if as_json:
        print_json([{"rows": [row.as_dict() for row in found]}])
        return
    table = plain_table("dropped", "links", "EAR@2", "EAR, GCN\nof 2 layers", "EAR", "colours", "unique\nnodes")
    for row in found:
        ears = (f"{value:.4f}" for value in (row.ear_two_rounds, row.ear_gcn, row.ear))
        table.add_row(row.dropped, str(row.num_edges), *ears, str(row.num_colours), str(row.num_unique_nodes))
    _print(table, picture)


@theory_app.command("distances")
def distances_command(
    graphs: SomeGraphs = None,
    tau: Annotated[float, typer.Option(help="Deviation of D2's noise.")] = 0.1,
    layers: Annotated[int, typer.Option(metavar="K", help="Layers of the encoder.")] = 1,
    rounds: Annotated[int, typer.Option("--rounds", "-k", metavar="K", help="Rounds of colours, for roles.")] = 2,
    draws: Annotated[int, typer.Option(metavar="N", help="Draws of noise for each draw of weights.")] = 20,
    weights: Annotated[int, typer.Option(metavar="N", help="Draws of weights.")] = 5,
    seed: Seed = 0,
    picture: Picture = None,
    as_json: options.AsJson = False,
    threads: options.Threads = None,
    data_dir: options.DataDir = None,
) -> None:
    """Theorem 4.2: distances of node representations within orbits and between them, with D2 and without.

    The encoder is that of eo-gnn-paper, with random weights and constant features.

    [bold]Examples[/bold]

      edgeorbit theory distances                                        the lobster and the karate club

      edgeorbit theory distances cora --tau 0.5                         a real graph, more noise

      edgeorbit theory distances lobster cora --picture distances.png   against tau
    """
    _check_picture(picture)
    postpone_imports()
    sizes: dict[str, Any] = {
        "num_layers": layers,
        "rounds": rounds,
        "draws": draws,
        "weights": weights,
        "seed": seed,
    }
    found, by_tau = [], []
    for source in graphs or SHOWN_BY_DEFAULT:
        graph = load(source, Reading(data_dir), threads)
        with progress_bar(f"encoding {graph.name}") as progress:
            from edgeorbit.theory.distances import orbit_distances

            rows = orbit_distances(graph, tau, **sizes, progress=progress)
            found.append(rows)
            if picture is not None:
                by_tau.append([orbit_distances(graph, one, **sizes, progress=progress) for one in TAUS])
    if picture is not None:
        _save(picture, lambda drawing: drawing.draw_distances(by_tau))
    if as_json:
        print_json([{"graph": rows[0].graph, "rows": [row.as_dict() for row in rows]} for rows in found])
        return
    _print(
        distances_table(found),
        picture,
        "Mean squared distances of nodes. formula: what `within` is in theory. of mean: representations averaged "
        "over the draws of noise first. linked: over linked nodes alone. dominant: nodes most of whose neighbours are "
        "of their own orbit.",
    )


@theory_app.command("lobster")
def lobster_command(
    models: Annotated[str, typer.Option(metavar="NAME[,NAME...]", help="Models to train.")] = "gcn,ncn,eo-gnn",
    seeds: Annotated[int, typer.Option(metavar="N", help="Seeds, each with its own split, weights, negatives.")] = 5,
    length: Annotated[int, typer.Option(metavar="N", help="Nodes of the lobster's central path.")] = 60,
    epochs: Annotated[int, typer.Option(metavar="N", help="Epochs of training.")] = 40,
    features: Annotated[
        str, typer.Option(metavar="constant|degree|identity|random|orthogonal", help="Node features.")
    ] = "constant",
    picture: Picture = None,
    as_json: options.AsJson = False,
    threads: Annotated[int, typer.Option(metavar="N", help="Number of threads; the graph is small.")] = 1,
) -> None:
    """Train models on a lobster, and compare their scores of links that have a look-alike and of links that have none.

    Links are held out, and scored on the graph without them. Links that end in a leaf and inner ones are kept apart:
    held out, the former cut their leaf off, whether they have a look-alike or not.

    [bold]Examples[/bold]

      edgeorbit theory lobster --picture lobster.png

      edgeorbit theory lobster --models gcn,eo-gnn --seeds 2 --json
    """
    _check_picture(picture)
    postpone_imports()
    with working("making a lobster"):
        from edgeorbit.synthetic.generators import lobster

        graph = lobster(length=length)
    with progress_bar("training") as progress:
        from edgeorbit.theory.link_scores import score_links, summarise_scores

        names = [name.strip() for name in models.split(",")]
        scored = score_links(graph, names, seeds, epochs=epochs, features=features, threads=threads, report=progress)
    found = summarise_scores(scored)
    if picture is not None:
        _save(picture, lambda drawing: drawing.draw_link_scores(scored))
    if as_json:
        settings = {"graph": graph.name, "num_edges": graph.num_edges, "seeds": seeds, "epochs": epochs}
        print_json([{**settings, "features": features, "rows": [row.as_dict() for row in found]}])
        return
    _print(
        scores_table(found),
        picture,
        "probabilities of held-out links; missed: share below 0.5; AUC against random pairs, mean and deviation over "
        "seeds. automorphic: has a look-alike in the whole graph.",
    )


def _edge_rates(
    graph: Any, alpha_p: float, p_max: float, p_a: float | None, p_n: float | None, rounds: int | None
) -> Any:
    import numpy as np

    from edgeorbit.orbits.edge_orbits import edge_orbits
    from edgeorbit.orbits.refine import check_rounds, refine
    from edgeorbit.theory import d1_rates

    if p_a is None or p_n is None:
        return d1_rates(graph, alpha_p, p_max, rounds=rounds)
    return np.where(edge_orbits(graph, refine(graph, check_rounds(rounds))).indistinguishable, p_a, p_n)


def _check_picture(picture: Path | None) -> None:
    if picture is not None:
        from edgeorbit.report.saving import check_picture_path

        check_picture_path(picture)


def _save(picture: Path, draw: Any) -> None:
    with working("drawing"):
        from edgeorbit.report import theory as drawing
        from edgeorbit.report.saving import save_figure

        save_figure(draw(drawing), picture)


def _print(table: "Table", picture: Path | None, explanation: str = "") -> None:
    """Print a table, what its columns mean, and where the picture is."""
    console = output_console()
    console.print(table)
    if explanation:
        console.print(f"\n{explanation}", style="dim", highlight=False)
    if picture is not None:
        print_line(f"Written to {picture}")
