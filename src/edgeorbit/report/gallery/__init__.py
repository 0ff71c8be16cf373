"""The paper's gallery: lattices, trees, the lobster, the prism and the cycle, every EAR measured anew.

`families` says what it shows, `coordinates` where nodes are, `panels` draws a panel and `figures` puts panels together.
"""

from edgeorbit.report.gallery.families import FAMILIES
from edgeorbit.report.gallery.figures import Gallery, draw_family, draw_gallery
from edgeorbit.report.gallery.panels import PanelResult

__all__ = ["FAMILIES", "Gallery", "PanelResult", "draw_family", "draw_gallery"]
