"""The table of an experiment that measures graphs: a line for every statistic, a column for every graph."""

from edgeorbit.experiments.tables.results import Results
from edgeorbit.measures.summary import SUMMARY_LABELS, show_number


def statistics_table(results: Results) -> tuple[list[str], list[list[str]]]:
    """Return the head and the lines; below a statistic stands what others say of it.

    >>> rows = [{"data": "C8", "num_nodes": 8, "ear": 1.0}]
    >>> statistics_table(Results("", rows, (), stated={"C8": {"ear": 0.9}}))
    (['', 'C8'], [['Nodes', '8'], ['EAR', '1.0000'], ['EAR, as published', '0.9000']])
    """
    graphs = {row["data"]: row for row in results.rows if not row.get("failed")}
    lines = []
    for name, label in SUMMARY_LABELS.items():
        if any(row.get(name) is not None for row in graphs.values()):
            lines.append([label, *(show_number(row.get(name)) for row in graphs.values())])
        stated = [results.stated.get(graph, {}).get(name) for graph in graphs]
        if any(value is not None for value in stated):
            lines.append([f"{label}, as published", *("" if value is None else show_number(value) for value in stated)])
    return ["", *graphs], lines
