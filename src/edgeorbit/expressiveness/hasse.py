"""The Hasse diagram of models: each above those that it is strictly more expressive than, without detours."""

from collections.abc import Mapping
from dataclasses import dataclass

from edgeorbit.expressiveness.order import Comparison

STAR = "* depends on the numbering of the nodes, so that its place is no property of the graph"


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
    >>> from edgeorbit.expressiveness import compare
    >>> from edgeorbit.graph.toys import prism
    >>> print(hasse_diagram(compare(prism(), ["gcn", "cn", "aa"], draws=2)).text())
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
