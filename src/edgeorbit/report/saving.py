"""Figures of matplotlib: made with one layout, saved whole or not at all, and with the same bytes every time.

Networks, the gallery and the plots of theorems are drawn by matplotlib: they need places of nodes in the proportions of
a panel, and panels of several kinds in one figure. The charts of results, on the page and exported, are drawn by Vega
alone (`edgeorbit.report.results`).
"""

import os
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

from edgeorbit._files import atomic_path
from edgeorbit.errors import EdgeorbitError, InvalidParameterError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# What would change from day to day, or with the version of matplotlib, is left out.
_METADATA: dict[str, dict[str, Any]] = {
    ".png": {"Software": None},
    ".svg": {"Date": None, "Creator": "edgeorbit"},
    ".pdf": {"CreationDate": None, "Creator": "edgeorbit", "Producer": None},
}
SUFFIXES = tuple(_METADATA)
RESOLUTION = 130  # dots per inch
_salting = Lock()  # the salt of names in SVG files is a setting of matplotlib as a whole


def new_figure(size: tuple[float, float], **padding: Any) -> "Figure":
    """Return a figure of a size in inches, with room for the text of its axes and padding around them."""
    from matplotlib.figure import Figure

    from edgeorbit.report._stable_layout import StableLayout

    return Figure(figsize=size, layout=StableLayout(**padding))


def check_picture_path(path: str | os.PathLike[str]) -> Path:
    """Return the path; raise an error unless it has the ending of a picture and lies in a directory that is there.

    >>> check_picture_path("orbits.gif")
    Traceback (most recent call last):
    ...
    edgeorbit.errors.InvalidParameterError: orbits.gif: the ending must be one of .png, .svg, .pdf
    """
    checked = Path(path)
    if checked.suffix.lower() not in SUFFIXES:
        raise InvalidParameterError(f"{os.fspath(path)}: the ending must be one of {', '.join(SUFFIXES)}")
    if not checked.parent.is_dir():
        raise EdgeorbitError(f"{os.fspath(path)}: there is no directory {checked.parent}; create the directory first")
    return checked


def save_figure(figure: "Figure", path: str | os.PathLike[str], *, dpi: int | None = None) -> None:
    """Write a figure to a .png, .svg or .pdf file; the same figure gives the same bytes.

    A .png file has `dpi` dots per inch, by default `RESOLUTION`.

    Raises
    ------
    EdgeorbitError
        If the ending is another one, or the file cannot be written.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from edgeorbit.graph.toys import lobster
    >>> from edgeorbit.report import draw_page
    >>> with TemporaryDirectory() as directory:
    ...     save_figure(draw_page(lobster(), "network").figure, Path(directory, "lobster.svg"))
    ...     Path(directory, "lobster.svg").read_text()[:5]
    '<?xml'
    """
    from matplotlib import rc_context

    suffix = check_picture_path(path).suffix.lower()
    with atomic_path(path) as temporary, _salting, rc_context({"svg.hashsalt": "edgeorbit"}):
        figure.savefig(
            temporary, format=suffix[1:], dpi=dpi or RESOLUTION, metadata=_METADATA[suffix], facecolor="white"
        )
