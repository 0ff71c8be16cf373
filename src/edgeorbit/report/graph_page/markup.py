"""Numbers, names and pairs as HTML; everything that comes from data is escaped here."""

from collections.abc import Iterable
from html import escape

import numpy as np
import numpy.typing as npt

from edgeorbit.graph.graph import Graph
from edgeorbit.report.wording import shorten

NAME_LETTERS = 32
MISSING = '<span class="faint" title="not defined for this graph">n/a</span>'


def percent(share: float) -> str:
    """Return a share as a percentage that is 0 or 100 only if the share is.

    >>> percent(0.5), percent(0.00001), percent(0.99999), percent(1.0)
    ('50.0&nbsp;%', '&lt;&nbsp;0.1&nbsp;%', '&gt;&nbsp;99.9&nbsp;%', '100&nbsp;%')
    """
    if share in (0, 1):
        return f"{int(100 * share)}&nbsp;%"
    if share < 0.0005:
        return "&lt;&nbsp;0.1&nbsp;%"
    return "&gt;&nbsp;99.9&nbsp;%" if share >= 0.9995 else f"{100 * share:.1f}&nbsp;%"


def number(value: float | None) -> str:
    """Return a number of a table.

    >>> number(1234), number(0.123456), number(0.0000123)
    ('1,234', '0.1235', '1.23e-05')
    """
    if value is None:
        return MISSING
    if isinstance(value, int):
        return f"{value:,}"
    return f"{value:,.4g}" if value == 0 or abs(value) >= 1e-3 else f"{value:.2e}"


def node_name(graph: Graph, node: int) -> str:
    """Return what the user calls a node, shortened, as HTML.

    >>> node_name(Graph.empty(1, node_names=np.array(["<b>"])), 0)
    '<bdi>&lt;b&gt;</bdi>'
    """
    return f"<bdi>{escape(shorten(str(graph.names(np.array([node]))[0]), NAME_LETTERS))}</bdi>"


def pair_names(graph: Graph, pairs: npt.NDArray[np.int64]) -> str:
    """Return node pairs as HTML, one per line."""
    return "<br>".join(f"{node_name(graph, u)} – {node_name(graph, v)}" for u, v in pairs.tolist())


def command(line: str) -> str:
    """Return a command line that breaks between words on a narrow screen.

    >>> command("edgeorbit --help")
    '<code class="command"><span>edgeorbit</span> <span>--help</span></code>'
    """
    return f'<code class="command">{" ".join(f"<span>{escape(word)}</span>" for word in line.split(" "))}</code>'


def section(title: str, *parts: str) -> str:
    """Return a section of the page; the title is plain text, the parts are HTML."""
    return f"<section><h2>{escape(title)}</h2>\n{chr(10).join(parts)}\n</section>"


def paragraph(text: str, kind: str = "") -> str:
    """Return a paragraph of HTML."""
    return f'<p class="{kind}">{text}</p>' if kind else f"<p>{text}</p>"


def table(head: Iterable[tuple[str, str]], rows: Iterable[Iterable[str]]) -> str:
    """Return a table that becomes a list of cards on a phone.

    Parameters
    ----------
    head
        For every column its title, in plain text, and its CSS class.
    rows
        Cells, as HTML.
    """
    columns = list(head)
    titles = "".join(f'<th scope="col" class="{kind}">{escape(title)}</th>' for title, kind in columns)
    body = "\n".join(
        "<tr>"
        + "".join(
            f'<td class="{kind}" data-label="{escape(title)}">{cell}</td>'
            for (title, kind), cell in zip(columns, row, strict=True)
        )
        + "</tr>"
        for row in rows
    )
    return f'<table class="cards"><thead><tr>{titles}</tr></thead>\n<tbody>{body}</tbody></table>'
