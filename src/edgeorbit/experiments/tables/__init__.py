"""The tables of an experiment: mean and standard deviation over seeds, models by graphs, the best ones marked.

`results` combines rows with what the experiment file says, `table` makes tables of them, `special` those of another
shape. `markdown` and `export` (LaTeX and CSV) write them; `markdown` also compares one model with all others.
"""

from edgeorbit.experiments.tables.export import to_csv, to_latex
from edgeorbit.experiments.tables.markdown import against_to_markdown, results_to_markdown, to_markdown
from edgeorbit.experiments.tables.results import Results, gather_results, is_run, read_results, read_runs
from edgeorbit.experiments.tables.table import Table, TableCell, make_tables

__all__ = [
    "Results",
    "Table",
    "TableCell",
    "against_to_markdown",
    "gather_results",
    "is_run",
    "make_tables",
    "read_results",
    "read_runs",
    "results_to_markdown",
    "to_csv",
    "to_latex",
    "to_markdown",
]
