"""The report of one graph as one HTML page: no script, no file, no network."""

from collections.abc import Callable, Sequence
from typing import Any

from edgeorbit import __version__
from edgeorbit.graph.graph import Graph
from edgeorbit.report.graph_page.advice import UNNAMED
from edgeorbit.report.templating import render, styles
from edgeorbit.report.wording import count, shorten, size_line

TITLE_LETTERS = 80


def graph_page(
    graph: Graph,
    *,
    rounds: int | None = None,
    threads: int | None = None,
    source: str = UNNAMED,
    reading: Sequence[str] = (),
    progress: Callable[[str], None] | None = None,
) -> str:
    """Return a report of a graph as an HTML page.

    The page holds EAR and EAR by round, orbits and their sizes, a picture, the hardest links, what would tell links
    from non-links, which model to try, and statistics. The same graph gives the same page. Where a sample is taken, it
    says so.

    Parameters
    ----------
    graph
        The graph; it may be empty.
    rounds
        Rounds of refinement that EAR and pictures show, and the number of layers that the hardest links and the advice
        are about. By default stable colours, and two layers.
    threads
        Number of threads; by default one per core.
    source
        What the user calls the graph at the command line, for commands on the page.
    reading
        Options by which these commands read it, such as `("--columns", "1,2")`.
    progress
        Called with what is done next, before it is done.

    Raises
    ------
    InvalidParameterError
        If `rounds` is negative.

    Examples
    --------
    >>> from edgeorbit.graph.toys import karate
    >>> "22 of 78 links" in graph_page(karate(), source="karate")
    True
    """
    if graph.num_nodes == 0:
        return _page(graph, "There are no nodes, so there is nothing to report.", None)
    from edgeorbit.measures.ear import explain
    from edgeorbit.report.graph_page.content import content
    from edgeorbit.report.graph_page.facts import gather_facts

    facts = gather_facts(graph, rounds=rounds, threads=threads, source=source, reading=reading, progress=progress)
    if progress is not None:
        progress("drawing")
    return _page(graph, explain(facts.measurement), content(facts, source, reading))


def _page(graph: Graph, headline: str, facts: dict[str, Any] | None) -> str:
    read = []
    if graph.merged_edges:
        read.append(f"{count(graph.merged_edges, 'input edge')} repeated another one, in either direction, and merged")
    if graph.self_loops:
        read.append(f"{count(graph.self_loops, 'self-loop')} dropped")
    return render(
        "graph.html",
        title=shorten(graph.name, TITLE_LETTERS) or "graph",
        size=size_line(graph),
        headline=headline,
        facts=facts,
        read=read,
        version=__version__,
        style=styles("page.css", "graph.css"),
    )
