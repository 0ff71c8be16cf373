"""A few graphs of the gallery, with their orbits coloured, as pictures within the page."""

import base64
import io
from typing import Any

FAMILIES = ("lobster", "prism", "cycle")
RESOLUTION = 100  # dots per inch


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
