"""Pictures: networks coloured by orbit, EAR by round, orbit sizes, pages of them, scores of links and
their look-alikes, and the paper's gallery.

Every function draws into matplotlib axes or a figure that it is given or returns; matplotlib is imported when the first
picture is drawn.
"""

from edgeorbit.report.curves import plot_ear_by_round, plot_orbit_sizes
from edgeorbit.report.drawing import ColouredGraph, Drawing, colour_graph
from edgeorbit.report.gallery import draw_family, draw_gallery
from edgeorbit.report.layout import place_nodes
from edgeorbit.report.model_pictures import JudgedLinks, draw_hasse, draw_scores
from edgeorbit.report.network import draw_orbits
from edgeorbit.report.page import Page, draw_page
from edgeorbit.report.sample import Sample, sample_nodes
from edgeorbit.report.saving import save_figure

__all__ = [
    "ColouredGraph",
    "Drawing",
    "JudgedLinks",
    "Page",
    "Sample",
    "colour_graph",
    "draw_family",
    "draw_gallery",
    "draw_hasse",
    "draw_orbits",
    "draw_page",
    "draw_scores",
    "place_nodes",
    "plot_ear_by_round",
    "plot_orbit_sizes",
    "sample_nodes",
    "save_figure",
]
