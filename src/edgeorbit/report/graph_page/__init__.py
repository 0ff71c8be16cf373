"""The report of one graph: what can be told apart in it, its hardest links, and which model to try, as a web page."""

from edgeorbit.report.graph_page.page import graph_page

__all__ = ["graph_page"]
