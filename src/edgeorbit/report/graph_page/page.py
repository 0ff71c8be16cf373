"""The report of one graph as one HTML page: no script, no file, no network."""

from collections.abc import Callable, Sequence
from html import escape
from importlib.resources import files

from edgeorbit.graph.graph import Graph
from edgeorbit.report.graph_page.advice import UNNAMED
from edgeorbit.report.wording import count, shorten, size_line

TITLE_LETTERS = 80
STYLES = ("page.css", "graph_page/page.css")


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
        return _document(graph, "There are no nodes, so there is nothing to report.", "")
    from edgeorbit.measures.reading import explain
    from edgeorbit.report.graph_page import sections
    from edgeorbit.report.graph_page.advice_section import advice_section
    from edgeorbit.report.graph_page.facts import gather_facts
    from edgeorbit.report.graph_page.link_sections import hardest_section, signals_section

    facts = gather_facts(graph, rounds=rounds, threads=threads, source=source, reading=reading, progress=progress)
    if progress is not None:
        progress("drawing")
    body = "\n".join(
        [
            sections.tiles(facts),
            sections.rounds_section(facts),
            sections.picture_section(facts),
            hardest_section(facts),
            signals_section(facts),
            advice_section(facts, source, reading),
            sections.statistics_section(facts),
        ]
    )
    return _document(graph, explain(facts.measurement), body)


def _document(graph: Graph, headline: str, body: str) -> str:
    from edgeorbit import __version__

    report = files("edgeorbit.report")
    style = "".join(report.joinpath(name).read_text(encoding="utf-8") for name in STYLES)
    name = escape(shorten(graph.name, TITLE_LETTERS)) or "graph"
    read = []
    if graph.merged_edges:
        read.append(f"{count(graph.merged_edges, 'input edge')} repeated another one, in either direction, and merged")
    if graph.self_loops:
        read.append(f"{count(graph.self_loops, 'self-loop')} dropped")
    notes = f"<p>On reading: {'; '.join(read)}.</p>" if read else ""
    return f"""<!doctype html>
<html lang="en-GB">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="generator" content="edgeorbit {__version__}">
<title>{name} · edgeorbit</title>
<link rel="icon" href="data:,">
<style>
{style}</style>
</head>
<body>
<header class="page-head">
<p class="kicker">edgeorbit · report of one graph</p>
<h1><bdi>{name}</bdi></h1>
<p class="faint">{size_line(graph)}</p>
<p class="headline">{escape(headline)}</p>
</header>
<main>
{body}
</main>
<footer class="page-foot">
{notes}
<p>EAR (Edge Automorphism Ratio) is the share of links whose two ends have the same pair of colours as another link's.
Written by edgeorbit {__version__}.</p>
</footer>
</body>
</html>
"""
