"""One model against all others, on the seeds that both have: who is ahead of it where, and by how much."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from edgeorbit.errors import InvalidParameterError
from edgeorbit.experiments.statistics import LEVEL, Values, deviation, holm, paired_p, smallest_p
from edgeorbit.experiments.tables.markdown_text import escape, table_lines
from edgeorbit.experiments.tables.results import Results
from edgeorbit.experiments.tables.table import make_tables

LEGEND = (
    "Percentage points by which a model is ahead of {model}: the mean difference over the seeds that both have, its "
    "standard deviation, and how many seeds these are. In bold: significant by Wilcoxon's signed-rank test (two-sided, "
    f"level {LEVEL:g} after Holm's correction for all models of the row); five seeds are too few for it. On the right "
    "the model that comes next. Rows without a model on the left are those where {model} is first."
)


class Difference(NamedTuple):
    """How far a model is ahead of another: mean over the seeds that both have, deviation, and whether it is proved."""

    model: str
    points: float
    deviation: float | None
    seeds: int
    proved: bool

    def __str__(self) -> str:
        """Write it down."""
        spread = "" if self.deviation is None else f" ± {self.deviation:.1f}"
        points = round(self.points, 1) or 0.0  # which has no sign
        return f"{self.model} {points:+.1f}{spread} ({self.seeds})"


def differences(found: Mapping[str, Values], model: str) -> list[Difference]:
    """Return how far each other model is ahead of one, the furthest first, of those that share a seed with it.

    Parameters
    ----------
    found
        By model, what it reached by seed.
    model
        The one that the others are compared with.

    Examples
    --------
    >>> seeds = range(7)
    >>> found = {"gcn": {s: 70.0 + s for s in seeds}, "eo-gnn": {s: 90.0 for s in seeds}, "ncn": {0: 90.5}}
    >>> [str(one) for one in differences(found, "eo-gnn")]
    ['ncn +0.5 (1)', 'gcn -17.0 ± 2.2 (7)']
    >>> differences(found, "eo-gnn")[1].proved
    True
    """
    own = found[model]
    both = {
        name: np.array([[values[seed], own[seed]] for seed in values if seed in own]).reshape(-1, 2).T
        for name, values in found.items()
        if name != model
    }
    tested = [name for name, (theirs, _) in both.items() if smallest_p(len(theirs)) <= LEVEL]
    p = dict(zip(tested, holm([paired_p(*both[name]) for name in tested]).tolist(), strict=True))
    compared = [
        Difference(name, float(gaps.mean()), deviation(gaps), len(gaps), p.get(name, 1.0) <= LEVEL)
        for name, (theirs, ours) in both.items()
        if len(gaps := theirs - ours)
    ]
    return sorted(compared, key=lambda one: -one.points)


def against_to_markdown(all_results: Sequence[Results], model: str, command: str) -> str:
    """Return a page that compares one model with all others, in all tables of some experiments.

    Raises
    ------
    InvalidParameterError
        If no experiment has that model.
    """
    parts = [f"# {escape(model)} against all others", "", f"This page is written by `{command}`; do not edit it."]
    parts += ["", LEGEND.format(model=escape(model))]
    known = list(dict.fromkeys(name for results in all_results for name in results.order))
    if model not in known:
        raise InvalidParameterError(f"there are no results of {model!r}; choose from {', '.join(known)}")
    for results in all_results:
        if model not in results.order:
            continue
        parts += ["", f"## {escape(results.title)}"]
        parts += [line for note in results.notes for line in ("", note)]
        for table in make_tables(results):
            body = []
            for graph, found in results.values(table.features, table.negatives, table.metric).items():
                if model in found:
                    own = np.mean(list(found[model].values()))
                    body.append([escape(graph), f"{own:.2f}", *_sides(differences(found, model))])
            if body:
                head = ["graph", escape(model), "ahead of it", "next behind it"]
                parts += ["", f"### {escape(table.title)}", "", *table_lines(head, body, numbers=False)]
    return "\n".join([*parts, ""])


def _sides(compared: Sequence[Difference]) -> tuple[str, str]:
    """Return who is ahead, and the first who is not."""
    ahead = [one for one in compared if one.points > 0]
    behind = compared[len(ahead) : len(ahead) + 1]
    shown = [f"**{escape(str(one))}**" if one.proved else escape(str(one)) for one in (*ahead, *behind)]
    return "; ".join(shown[: len(ahead)]), "".join(shown[len(ahead) :])
