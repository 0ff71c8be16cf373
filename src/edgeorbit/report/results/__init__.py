"""The page of results: curves against EAR, tables, ablation, time against quality, and pictures, in one HTML file.

`records` makes the numbers that are drawn, `charts` draws them for the page and `figures` for papers, `section` shows
one experiment, and `page` all of them.
"""

from edgeorbit.report.results.figures import save_figures
from edgeorbit.report.results.page import in_reading_order, results_page

__all__ = ["in_reading_order", "results_page", "save_figures"]
