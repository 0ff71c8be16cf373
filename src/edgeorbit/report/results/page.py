"""One HTML page of results that needs nothing else: no network, no other file."""

import base64
import hashlib
import json
from collections.abc import Sequence
from html import escape
from importlib.resources import files
from typing import Any

from edgeorbit import __version__
from edgeorbit.experiments.plan import STATISTICS, TIME
from edgeorbit.experiments.tables.markdown import LEGEND, MARKS
from edgeorbit.experiments.tables.results import Results
from edgeorbit.report.results.charts import Spec
from edgeorbit.report.results.look import BY_DAY, BY_NIGHT, chart_config
from edgeorbit.report.results.pictures import gallery_html
from edgeorbit.report.results.section import headline, section_html

KINDS = ("table", STATISTICS, "curve", "ablation", "dropout", TIME)  # in the order of a page
STYLES = ("page.css", "results/page.css")


def results_page(all_results: Sequence[Results], *, gallery: bool = True) -> str:
    """Return the page: for every experiment its charts and tables, and below them some graphs and their orbits.

    Parameters
    ----------
    all_results
        What `edgeorbit.experiments.tables.read_results` read, at least one.
    gallery
        Whether to draw graphs, which takes a second or two.
    """
    specs: list[Spec] = []
    sections = [section_html(results, number, specs) for number, results in enumerate(all_results, 1)]
    contents = "".join(f'<a href="#e{n}">{escape(results.title)}</a>' for n, results in enumerate(all_results, 1))
    if gallery:
        sections.append(
            '<section id="gallery"><h2>Graphs and their orbits</h2>\n<p>Links that no message-passing network can tell '
            "apart are thick; nodes of one colour have the same role. EAR is the share of links with a look-alike."
            "</p>\n"
            f'<div class="pictures">{gallery_html()}</div></section>'
        )
        contents += '<a href="#gallery">Graphs and their orbits</a>'
    ours = files("edgeorbit.report")
    scripts = [_javascript(), (ours / "results/page.js").read_text(encoding="utf-8")]
    styles = "".join((ours / name).read_text(encoding="utf-8") for name in STYLES)
    data = {"specs": specs, "day": chart_config(False), "night": chart_config(True)}
    marks = MARKS.format(best="<b>bold</b>", not_worse="<i>italics</i>", near="≈")
    # A script that is not one of these two is not run, and nothing is loaded from anywhere.
    hashes = " ".join(f"'sha256-{_digest(script)}'" for script in scripts)
    policy = f"default-src 'none'; script-src {hashes} 'unsafe-eval'; style-src 'unsafe-inline'; img-src data: blob:"
    title = all_results[0].title if len(all_results) == 1 else "Results"
    return "\n".join(
        [
            "<!doctype html>",
            '<html lang="en-GB">',
            '<head><meta charset="utf-8">',
            f"<meta http-equiv=\"Content-Security-Policy\" content=\"{policy}; base-uri 'none'; form-action 'none'\">",
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            '<meta name="color-scheme" content="light dark"><link rel="icon" href="data:,">',
            f"<title>{escape(title)} · edgeorbit</title>",
            f"<style>{styles}{_colours()}</style></head>",
            '<body><a class="skip" href="#results">Skip to the results</a>',
            f'<header><p class="name">edgeorbit</p><h1>{escape(title)}</h1><p>{headline(all_results)}</p>',
            f'<nav aria-label="Contents">{contents}</nav></header>' if contents.count("<a") > 1 else "</header>",
            f'<details class="reading"><summary>How to read this page</summary><p>{escape(LEGEND)}</p>',
            f"<p>{marks}</p></details>",
            '<main id="results">',
            *sections,
            "</main>",
            f"<footer>Written by edgeorbit {escape(__version__)}.</footer>",
            f'<script type="application/json" id="data">{_as_json(data)}</script>',
            *(f"<script>{script}</script>" for script in scripts),
            "</body></html>",
            "",
        ]
    )


def in_reading_order(all_results: Sequence[Results]) -> list[Results]:
    """Put tables before curves, and these before all else; of one kind, that of the most graphs first."""
    return sorted(all_results, key=lambda results: (KINDS.index(results.kind), -len(results.names("data"))))


def _colours() -> str:
    day, night = ("".join(f"--c{n}:{colour};" for n, colour in enumerate(one)) for one in (BY_DAY, BY_NIGHT))
    return f":root{{{day}}}@media (prefers-color-scheme:dark){{:root{{{night}}}}}"


def _as_json(data: Any) -> str:
    """Return JSON in which no text can end the script that holds it."""
    return json.dumps(data, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")


def _javascript() -> str:
    """Return the code of Vega, Vega-Lite and Vega-Embed, once for all charts."""
    import vl_convert

    bundle: str = vl_convert.javascript_bundle()  # type: ignore[call-arg]
    return bundle.replace("\r", "").replace("</script", "<\\/script").replace("<!--", "<\\!--")


def _digest(script: str) -> str:
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
