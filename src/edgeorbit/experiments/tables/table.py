"""A table: models by graphs for one metric, one kind of negatives and one kind of features, with marks and ranks."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from edgeorbit.experiments.statistics import LEVEL, Comparison, Ranking, compare_with_best, deviation, rank_models
from edgeorbit.experiments.tables.results import Results

NEGATIVES = {"random": "random negatives", "heart": "HeaRT's negatives", "orbit": "orbit negatives"}
METRICS = {"auc": "AUC", "mrr": "MRR", "hits@20": "Hits@20", "precision@100": "Precision@100"}
FACTS = {
    "train_ear": "EAR of the training graph",
    "colour_ear": "EAR after the rounds of orbit negatives",
    "covered": "positives with orbit negatives",
    "bound_common_neighbours": "bound: common neighbours",
    "bound_walks": "bound: walks",
    "bound_components": "bound: components",
    "bound_walks_and_components": "bound: walks and components",
    "bound_any_model": "bound: any model without features",
}

Mark = Literal["best", "ahead", "not worse", "worse", "near", ""]
PREFIXES = {"near": "≈ ", "ahead": "↑ "}  # marks that stand before the number


@dataclass(frozen=True)
class TableCell:
    """A model on a graph, in per cent.

    Attributes
    ----------
    mean, deviation : float
        Over seeds; no deviation of one seed.
    number : int
        How many seeds.
    mark : str
        `"best"`; `"ahead"` of a model with fewer seeds that is ahead of the best on those that both have; `"not worse"`
        and `"worse"` by the test; `"near"` if there is no test and the mean over the seeds that both have is within one
        deviation of the best, its own or the best one's; else empty.
    p : float or None
        Corrected p of the test against the best.
    pairs : int
        How many seeds it shares with the best.
    published : sequence of float
        What others reached: mean and deviation, mean, or nothing.
    """

    mean: float
    deviation: float | None
    number: int
    mark: Mark = ""
    p: float | None = None
    pairs: int = 0
    published: Sequence[float] = ()

    @property
    def above_published(self) -> float | None:
        """How many percentage points ours is above what was published."""
        return self.mean - self.published[0] if self.published else None


@dataclass(frozen=True)
class Column:
    """A graph: the most seeds that a model has on it, on how many splits, and the comparison of its models."""

    graph: str
    seeds: int
    splits: int
    comparison: Comparison
    has_published: bool = False

    @property
    def conclusive(self) -> bool:
        """Whether the seeds suffice for any model to be found worse."""
        return bool(self.comparison.p) and self.comparison.reachable <= LEVEL


@dataclass(frozen=True)
class Table:
    """Models by graphs; `cells` by model and graph, without those that were not run."""

    metric: str
    negatives: str
    features: str
    models: tuple[str, ...]
    columns: tuple[Column, ...]
    cells: Mapping[tuple[str, str], TableCell] = field(repr=False)
    ranking: Ranking | None = None

    @property
    def title(self) -> str:
        """What it shows."""
        negatives = NEGATIVES.get(self.negatives, f"{self.negatives} negatives")
        return f"{metric_title(self.metric)}, {negatives}, {self.features} features"

    @property
    def notes(self) -> list[str]:
        """What has to be known to read the marks: seeds that are too few, one split for all, the ranks."""
        said = []
        few = [column for column in self.columns if not column.conclusive and column.comparison.pairs]
        if few:
            alike: dict[tuple[int, float], list[str]] = {}
            for column in few:
                place = column.comparison.most_pairs, column.comparison.reachable
                alike.setdefault(place, []).append(column.graph)
            parts = [
                f"{'; '.join(graphs)} ({pairs} in common with the best, smallest p {reachable:.2g})"
                for (pairs, reachable), graphs in alike.items()
            ]
            said.append(f"Seeds are too few for a test at the level of {LEVEL:g}: {'; '.join(parts)}.")
        fixed = [column.graph for column in self.columns if column.splits == 1 and column.seeds > 1]
        if fixed:
            said.append(f"All seeds share one split, and differ in weights and draws alone: {', '.join(fixed)}.")
        if self.ranking is not None:
            friedman = (
                "" if self.ranking.p is None else f"; Friedman's test that all are alike: p = {self.ranking.p:.2g}"
            )
            fewest, most = min(self.ranking.seeds.values()), max(self.ranking.seeds.values())
            number = f"{most} seed{'s' if most > 1 else ''}" if fewest == most else f"{fewest} to {most} seeds"
            said.append(
                f"Rank: mean over {', '.join(self.ranking.seeds)} of the {len(self.ranking.ranks)} models that have "
                f"all of them, with at least half of the seeds; by means over the {number} of a graph that all of "
                f"these models have{friedman}."
            )
        return said


def metric_title(metric: str) -> str:
    """Return what a metric is called.

    >>> metric_title("auc"), metric_title("hits@50")
    ('AUC', 'Hits@50')
    """
    return METRICS.get(metric, metric.upper() if metric in {"ap"} else metric.capitalize())


def make_tables(results: Results) -> list[Table]:
    """Return all tables of an experiment: features by negatives by metrics, those that have something to show."""
    published = [metric for by_metric in results.published.values() for metric in by_metric]
    metrics = list(dict.fromkeys([*METRICS, *published]))
    kinds = sorted(results.names("negatives"), key=lambda kind: [*NEGATIVES, kind].index(kind))
    tables = []
    for features in results.names("features"):
        for kind in kinds:
            made = (_make_table(results, features, kind, metric) for metric in metrics)
            tables += [table for table in made if table is not None]
    return tables


def graph_facts(results: Results) -> tuple[dict[str, str], dict[str, dict[str, float]]]:
    """Return which facts are known, with their titles, and by graph and fact its mean over seeds.

    Facts are EAR, coverage and bounds; EAR after some rounds only of graphs whose orbit negatives have that many.
    """
    rounds = _orbit_rounds(results)
    found: dict[str, dict[str, dict[Any, float]]] = {}
    for row in results.rows:
        for name in FACTS:
            if row.get(name) is not None and (name != "colour_ear" or row["data"] in rounds):
                found.setdefault(row["data"], {}).setdefault(name, {})[row["seed"]] = row[name]
    means = {
        graph: {name: float(np.mean(list(values.values()))) for name, values in facts.items()}
        for graph, facts in found.items()
    }
    titles = {name: title for name, title in FACTS.items() if any(name in facts for facts in means.values())}
    numbers = set(rounds.values())
    if "colour_ear" in titles and len(numbers) == 1 and None not in numbers:
        titles["colour_ear"] = f"EAR@{numbers.pop()}"
    return titles, means


def _orbit_rounds(results: Results) -> dict[str, int | None]:
    """Return the rounds of graphs with orbit negatives of some rounds; None of each if the file is not there."""
    graphs = dict.fromkeys(row["data"] for row in results.rows if row.get("negatives") == "orbit")
    if not results.cells:
        return graphs
    planned = results.orbit_rounds
    return {graph: rounds for graph in graphs if (rounds := planned.get(graph)) is not None}


def _make_table(results: Results, features: str, kind: str, metric: str) -> Table | None:
    found = results.values(features, kind, metric)
    if not found:
        return None
    order = [name for name in results.order if any(name in models for models in found.values())]
    cells: dict[tuple[str, str], TableCell] = {}
    columns = []
    for graph, reached in found.items():
        published = results.published_for(graph, features, metric, kind)
        models = {name: reached[name] for name in order if name in reached}
        column = Column(
            graph,
            max(map(len, models.values())),
            len({split for values in models.values() for _, split in values if split}),
            compare_with_best(models),
            any(name in published for name in models),
        )
        columns.append(column)
        cells |= {(name, graph): cell for name, cell in _column_cells(column, models, published).items()}
    # Models with few seeds would leave few to compare the others by.
    enough = {
        name: {
            column.graph: found[column.graph][name]
            for column in columns
            if 2 * len(found[column.graph].get(name, ())) >= column.seeds
        }
        for name in order
    }
    return Table(metric, kind, features, tuple(order), tuple(columns), cells, rank_models(enough))


def _column_cells(
    column: Column,
    models: Mapping[str, Mapping[tuple[int, str], float]],
    published: Mapping[str, Sequence[float]],
) -> dict[str, TableCell]:
    compared = column.comparison
    means = {name: float(np.mean(list(values.values()))) for name, values in models.items()}
    deviations = {name: deviation(list(values.values())) for name, values in models.items()}
    best = compared.best

    def mark(name: str) -> Mark:
        if name == best or name in compared.equal:
            return "best" if compared.pairs else ""  # a model alone is no best
        if name in compared.ahead:
            return "ahead"
        if column.conclusive and name in compared.p:
            return "worse" if name in compared.worse else "not worse"
        near = compared.behind.get(name, math.inf) <= max(deviations[name] or 0.0, deviations[best] or 0.0)
        return "near" if near else ""

    return {
        name: TableCell(
            means[name],
            deviations[name],
            len(models[name]),
            mark(name),
            compared.p.get(name),
            compared.pairs.get(name, len(models[name])),
            tuple(published.get(name, ())),
        )
        for name in models
    }
