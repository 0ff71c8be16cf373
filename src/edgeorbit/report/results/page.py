"""One HTML page of results that needs nothing else: no network, no other file."""

import base64
import hashlib
import io
from collections.abc import Sequence
from typing import Any

from markupsafe import Markup

from edgeorbit import __version__
from edgeorbit.experiments.plan import STATISTICS, TIME
from edgeorbit.experiments.tables.markdown import LEGEND, MARKS
from edgeorbit.experiments.tables.results import Results
from edgeorbit.report._templating import render, source, styles
from edgeorbit.report.results.charts import BY_DAY, BY_NIGHT, Spec, chart_config
from edgeorbit.report.results.records import Record
from edgeorbit.report.results.section import headline, section

KINDS = ("table", STATISTICS, "curve", "ablation", "dropout", TIME)  # in the order of a page
FAMILIES = ("lobster", "prism", "cycle")
RESOLUTION = 100  # dots per inch


def results_page(all_results: Sequence[Results], *, gallery: bool = False) -> str:
    """Return the page: for every experiment its charts and tables, and below them some graphs and their orbits.

    Parameters
    ----------
    all_results
        What `edgeorbit.experiments.tables.read_results` read, at least one.
    gallery
        Whether to draw graphs, which takes a second or two.
    """
    specs: list[Spec] = []
    sections = [section(results, specs) for results in all_results]
    scripts = [_javascript(), source("results.js")]
    return render(
        "results.html",
        title=all_results[0].title if len(all_results) == 1 else "Results",
        headline=headline(all_results),
        sections=sections,
        gallery=gallery_pictures() if gallery else [],
        reading=LEGEND,
        marks=Markup(MARKS.format(best="<b>bold</b>", not_worse="<i>italics</i>", near="≈")),
        data={"specs": list(map(_compact, specs)), "day": chart_config(False), "night": chart_config(True)},
        scripts=list(map(Markup, scripts)),
        digests=[base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in scripts],
        style=styles("page.css", "results.css"),
        day=BY_DAY,
        night=BY_NIGHT,
        version=__version__,
    )


def in_reading_order(all_results: Sequence[Results]) -> list[Results]:
    """Put tables before curves, and these before all else; of one kind, that of the most graphs first."""
    return sorted(all_results, key=lambda results: (KINDS.index(results.kind), -len(results.names("data"))))


def _compact(spec: Spec) -> Spec:
    """Return a chart whose records are columns, which the page's script makes records again: half the size."""
    return spec | {"datasets": {name: _columns(records) for name, records in spec["datasets"].items()}}


def _columns(records: list[Record]) -> dict[str, list[Any]]:
    keys = dict.fromkeys(key for record in records for key in record)
    return {key: [record.get(key) for record in records] for key in keys}


def _javascript() -> str:
    """Return the code of Vega, Vega-Lite and Vega-Embed, once for all charts."""
    import vl_convert

    bundle: str = vl_convert.javascript_bundle()  # type: ignore[call-arg]
    return bundle.replace("\r", "").replace("</script", "<\\/script").replace("<!--", "<\\!--")


def gallery_pictures() -> list[dict[str, Any]]:
    """Draw the lobster, the prism and the cycle under dropout, each with the EAR that is measured here and now."""
    from edgeorbit.report.gallery import FAMILIES as KNOWN
    from edgeorbit.report.gallery import draw_family

    pictures = []
    for family in (one for one in KNOWN if one.name in FAMILIES):
        figure, results = draw_family(family.name)
        picture = io.BytesIO()
        # The card shows through, which is dark by night.
        figure.savefig(picture, format="png", dpi=RESOLUTION, transparent=True, metadata={"Software": None})
        found = "; ".join(
            f"{panel.panel}: {panel.num_nodes} nodes, {panel.num_edges} links, "
            + ("EAR not found" if panel.ear is None else f"EAR {panel.ear:.4f}")
            for panel in results[family.name]
        )
        width, height = (round(RESOLUTION * inches) for inches in figure.get_size_inches())
        png = base64.b64encode(picture.getvalue()).decode()
        pictures.append(
            {"title": family.title, "alt": f"{family.title}. {found}", "width": width, "height": height, "png": png}
        )
    return pictures
