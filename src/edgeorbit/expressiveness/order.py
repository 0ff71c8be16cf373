"""The order between models: who tells apart all that another does, and who more; and its Hasse diagram."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from typing import Any, Literal

import numpy.typing as npt

from edgeorbit.data.sources import load
from edgeorbit.errors import InvalidParameterError
from edgeorbit.expressiveness.judging import EdgePair, Judge, count_pairs, edges_by_orbit, meet
from edgeorbit.expressiveness.partition import ScorePartition, judge_scorer
from edgeorbit.expressiveness.scorers import AnyScorer, resolve_scorer
from edgeorbit.graph.graph import Graph

Relation = Literal["equal", "more", "less", "incomparable"]
STAR = "* depends on the numbering of the nodes, so that its place is no property of the graph"


@dataclass(frozen=True)
class Order:
    """How two models stand to each other.

    Attributes
    ----------
    first, second : str
        Their names.
    only_first, only_second : int
        Numbers of pairs of edges that one of them tells apart and the other does not.
    example_first, example_second : EdgePair or None
        Such a pair for each, with the scores of the one that tells it apart.
    """

    first: str
    second: str
    only_first: int
    only_second: int
    example_first: EdgePair | None
    example_second: EdgePair | None

    @property
    def relation(self) -> Relation:
        """What the first model is to the second: equally, strictly more or less expressive, or incomparable."""
        if self.only_first and self.only_second:
            return "incomparable"
        if self.only_first:
            return "more"
        return "less" if self.only_second else "equal"

    @property
    def at_least(self) -> bool:
        """Whether the first model tells apart every pair that the second does."""
        return self.only_second == 0

    def turned(self) -> "Order":
        """Return the same with the two models in the other order."""
        return Order(
            *(self.second, self.first, self.only_second, self.only_first, self.example_second, self.example_first)
        )

    def sentences(self) -> list[str]:
        """Say how they stand to each other, with an example of each difference."""
        one = self.turned() if self.relation == "less" else self
        match one.relation:
            case "equal":
                return [f"{one.first} and {one.second} tell the same pairs apart."]
            case "more":
                return [
                    f"{one.first} is strictly more expressive than {one.second}: {_pairs(one.only_first)} more, "
                    f"such as {one.example_first}."
                ]
        return [
            f"{one.first} and {one.second} are incomparable.",
            f"Only {one.first} tells {_pairs(one.only_first)} apart, such as {one.example_first}.",
            f"Only {one.second} tells {_pairs(one.only_second)} apart, such as {one.example_second}.",
        ]

    def as_dict(self) -> dict[str, Any]:
        """Return what JSON can hold."""
        return asdict(self) | {"relation": self.relation}


def _pairs(number: int) -> str:
    return f"{number:,} pair" + ("" if number == 1 else "s")


@dataclass(frozen=True, eq=False)
class Comparison:
    """Several models on one graph.

    Attributes
    ----------
    graph : Graph
        The graph.
    partitions : mapping
        By name, what each model tells apart.
    orders : list
        How any two of them stand to each other.
    """

    graph: Graph
    partitions: Mapping[str, ScorePartition]
    orders: list[Order]

    def order(self, first: str, second: str) -> Order:
        """Return how a model stands to another.

        Raises
        ------
        InvalidParameterError
            If they are not two of the models that were compared.
        """
        for one in self.orders:
            if (one.first, one.second) == (first, second):
                return one
            if (one.first, one.second) == (second, first):
                return one.turned()
        raise InvalidParameterError(
            f"{first!r} and {second!r} were not compared; choose two of {', '.join(self.partitions)}"
        )

    @property
    def remarks(self) -> list[str]:
        """What to know of the results, each sentence once."""
        return list(dict.fromkeys(remark for one in self.partitions.values() for remark in one.remarks))

    def as_dict(self) -> dict[str, Any]:
        """Return what JSON can hold."""
        return {
            "graph": self.graph.name,
            "models": [one.as_dict() for one in self.partitions.values()],
            "orders": [one.as_dict() for one in self.orders],
            "remarks": self.remarks,
        }


def compare_expressiveness(
    graph: Any,
    models: Sequence[AnyScorer] | Mapping[str, AnyScorer],
    *,
    rounds: int | None = None,
    initial: str | npt.ArrayLike | None = None,
    edges: npt.ArrayLike | None = None,
    features: str = "constant",
    draws: int = 8,
    noise_draws: int | None = None,
    seed: int = 0,
    tolerance: float | None = None,
    relabelling: bool = True,
    threads: int | None = None,
    progress: Callable[[int, int, str], None] | None = None,
) -> Comparison:
    """Compare which edges of an edge orbit models distinguish; `edgeorbit.expressiveness(graph, models)` does the same.

    Parameters
    ----------
    graph
        Whatever `edgeorbit.load` takes: a graph, the name of a data set, a path, a PyG `Data`, ...
    models
        Scorers as for `score_partition`, such as a class or instance of `torch.nn.Module` or the name of a model; or a
        mapping from names to them.
    rounds, initial, edges, features, draws, noise_draws, seed, tolerance, relabelling, threads
        As for `score_partition`.
    progress
        Called with how much is done, how much there is to do, and what is being done.

    Raises
    ------
    InvalidParameterError
        If two models have the same name, or as for `score_partition`.

    Examples
    --------
    >>> from edgeorbit.graph.toys import prism
    >>> found = compare_expressiveness(prism(), ["gcn", "cn"], draws=2)
    >>> found.order("cn", "gcn").relation, found.order("cn", "gcn").only_first
    ('more', 18)
    """
    named = list(models.items()) if isinstance(models, Mapping) else [(None, one) for one in models]
    resolved = [resolve_scorer(scorer, name) for name, scorer in named]
    names = [scorer.name for scorer in resolved]
    if not names:
        raise InvalidParameterError("there is no model to judge; name at least one")
    for name in names:
        if names.count(name) > 1:
            raise InvalidParameterError(f"{name} stands twice among the models; give a mapping with a name for each")
    graph = load(graph)
    orbited = edges_by_orbit(graph, rounds, initial, edges, threads)
    partitions = {}
    for number, scorer in enumerate(resolved):
        step = None if progress is None else _part_of(progress, number, len(resolved), scorer.name)
        judge = Judge(draws, noise_draws, seed, tolerance, relabelling, features, step)
        partitions[scorer.name] = judge_scorer(judge, graph, orbited, scorer)
    return Comparison(graph, partitions, [_order(one, two) for one, two in combinations(partitions.values(), 2)])


def _part_of(progress: Callable[[int, int, str], None], number: int, models: int, name: str) -> Callable[..., None]:
    def step(done: int, total: int) -> None:
        progress(number * total + done, models * total, f"judging {name}")

    return step


def _order(first: ScorePartition, second: ScorePartition) -> Order:
    both = meet(first.classes, second.classes)
    together = count_pairs(both)
    # A pair that only the first tells apart shares its class of the second, and not of both.
    return Order(
        first.scorer,
        second.scorer,
        second.num_together - together,
        first.num_together - together,
        first.example_between(second.classes, both),
        second.example_between(first.classes, both),
    )


@dataclass(frozen=True)
class HasseDiagram:
    """Models by what they tell apart.

    Attributes
    ----------
    groups : list of tuples of str
        Models that tell the same pairs apart, the most expressive groups first.
    levels : list of int
        For every group, how many groups stand below it at most, one under the other.
    covers : list of pairs of int
        Which group stands directly above which.
    labels : list of str
        What is written beside each group.
    numbered : set of str
        Models whose scores depend on the numbering of the nodes: their place is no property of the graph.
    graph : str
        The name of the graph.
    """

    groups: list[tuple[str, ...]]
    levels: list[int]
    covers: list[tuple[int, int]]
    labels: list[str]
    numbered: frozenset[str]
    graph: str

    def shown(self, group: tuple[str, ...]) -> list[str]:
        """Return the names of a group; a star marks those that depend on the numbering of the nodes."""
        return [f"{name}*" if name in self.numbered else name for name in group]

    def text(self) -> str:
        """Return the diagram as lines, the most expressive first; `>` names those directly below."""
        names = [" = ".join(self.shown(group)) for group in self.groups]
        wide, wider = max(map(len, names)), max(map(len, self.labels))
        lines = []
        for number, name in enumerate(names):
            below = ", ".join(names[lower] for upper, lower in self.covers if upper == number)
            line = f"{self.levels[number]}  {name:<{wide}}  {self.labels[number]:<{wider}}"
            lines.append((line + (f"  > {below}" if below else "")).rstrip())
        if self.numbered:
            lines.append(STAR)
        return "\n".join(lines)


def hasse_diagram(comparison: Comparison) -> HasseDiagram:
    """Arrange compared models.

    Examples
    --------
    >>> from edgeorbit.expressiveness import compare_expressiveness
    >>> from edgeorbit.graph.toys import prism
    >>> print(hasse_diagram(compare_expressiveness(prism(), ["gcn", "cn", "aa"], draws=2)).text())
    1  cn = aa  50.0 % of pairs  > gcn
    0  gcn      0.0 % of pairs
    """
    groups: list[list[str]] = []
    for name in comparison.partitions:
        same = [group for group in groups if comparison.order(group[0], name).relation == "equal"]
        if same:
            same[0].append(name)
        else:
            groups.append([name])
    below = {
        group[0]: {
            other[0]
            for other in groups
            if other is not group and comparison.order(group[0], other[0]).relation == "more"
        }
        for group in groups
    }
    level = {name: _height(name, below) for name in below}
    discriminated = {name: one.num_discriminated for name, one in comparison.partitions.items()}
    groups.sort(key=lambda group: (-level[group[0]], -discriminated[group[0]]))
    place = {group[0]: number for number, group in enumerate(groups)}
    covers = [
        (place[upper], place[lower])
        for upper in place
        for lower in sorted(below[upper], key=place.__getitem__)
        if not any(lower in below[between] for between in below[upper])
    ]
    return HasseDiagram(
        [tuple(group) for group in groups],
        [level[name] for name in place],
        covers,
        [f"{100 * comparison.partitions[name].share_discriminated:.1f} % of pairs" for name in place],
        frozenset(name for name, one in comparison.partitions.items() if one.depends_on_numbering),
        comparison.graph.name,
    )


def _height(name: str, below: Mapping[str, set[str]]) -> int:
    # What is below is below for all above, so the longest chain goes through strictly smaller sets.
    return 1 + max(_height(other, below) for other in below[name]) if below[name] else 0
