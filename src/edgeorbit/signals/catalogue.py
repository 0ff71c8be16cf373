"""The signals by name: what each is, its formula, what it costs, and which of them a graph gets by default."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from edgeorbit._text import shown
from edgeorbit.errors import InvalidParameterError
from edgeorbit.graph.graph import Graph

GROUPS = (
    "common-neighbours",
    "walks",
    "pagerank",
    "distance",
    "components",
    "degrees",
    "orbits",
    "structure",
    "features",
)
ROUNDS = ("1", "2", "3", "stable")  # after which orbits are looked at
LENGTHS = range(2, 7)  # of walks
MEETING_LENGTHS = (3, 4)  # of walks that are sorted by the node that they meet at
BINS = ("1", "2 to 7", "8 to 63", "64 or more")  # sizes of the orbit of a meeting node
BIN_STARTS = (2, 8, 64)
COMPONENTS = 4  # principal components of node features
SMALL = 10_000  # nodes up to which PageRank is solved, not pushed
WORK_PER_PAIR = 20_000  # neighbours visited; above it longer walks are left out by default


@dataclass(frozen=True, slots=True)
class Signal:
    """A number that belongs to a node pair.

    Attributes
    ----------
    name : str
        What it is called in code and in columns of frames.
    group : str
        One of `GROUPS`; a group may be asked for by its name.
    part : str
        What it is computed with: signals of one part share their work, and time is taken by part.
    formula : str
        What it is, for the pair {u, v}.
    cheap : bool
        Whether a pair takes no more work than a look at the neighbours of its two nodes.
    """

    name: str
    group: str
    part: str
    formula: str
    cheap: bool = True


def _catalogue() -> Iterator[Signal]:
    for name, formula in (
        ("common_neighbours", "|N(u) ∩ N(v)|"),
        ("adamic_adar", "Σ 1 / log d(w) over the common neighbours w"),
        ("resource_allocation", "Σ 1 / d(w) over the common neighbours w"),
        ("jaccard", "|N(u) ∩ N(v)| / |N(u) ∪ N(v)|, 0 if both are isolated"),
    ):
        yield Signal(name, "common-neighbours", "common-neighbours", formula)
    for length in LENGTHS:
        yield Signal(f"walks_{length}", "walks", "walks", f"((D^-1/2 A D^-1/2)^{length})_uv", cheap=length == 2)
    for name, ends in (("min", "min(π_u(v), π_v(u))"), ("max", "max(π_u(v), π_v(u))"), ("sum", "π_u(v) + π_v(u)")):
        formula = f"{ends}, with π_u(v) the probability that a walk from u that ends at each step with α ends at v"
        yield Signal(f"pagerank_{name}", "pagerank", "pagerank", formula, cheap=False)
    formula = "length of a shortest path, the bound + 1 if it is longer than the bound or there is none"
    yield Signal("distance", "distance", "distance", formula, cheap=False)
    yield Signal("same_component", "components", "components", "1 if a path joins u and v, else 0")
    for which in ("min", "max"):
        formula = f"log of the number of nodes in the component of u or v, the {_WHICH[which]}"
        yield Signal(f"component_size_{which}", "components", "components", formula)
    for which in ("min", "max"):
        yield Signal(f"degree_{which}", "degrees", "degrees", f"{which}(d(u), d(v))")
    yield Signal("preferential_attachment", "degrees", "degrees", "d(u) d(v)")
    yield from _orbit_signals()
    for which in ("min", "max"):
        yield Signal(f"core_{which}", "structure", "structure", f"{which} of the core numbers of u and v")
    for which in ("min", "max"):
        yield Signal(
            f"clustering_{which}", "structure", "structure", f"{which} of the local clustering coefficients of u and v"
        )
    for prefix, part, what in (
        ("feature", "features", "x"),
        ("neighbour_feature", "neighbour-features", "m"),
    ):
        where = "" if what == "x" else ", m_w the mean of x over the neighbours of w"
        yield Signal(f"{prefix}_cosine", "features", part, f"cos({what}_u, {what}_v), 0 if one of them is 0{where}")
        yield Signal(f"{prefix}_distance", "features", part, f"|{what}_u - {what}_v|{where}")
        for i in range(1, COMPONENTS + 1):
            formula = f"p_u p_v, with p_w the part of {what}_w along principal component {i} of x{where}"
            yield Signal(f"{prefix}_product_{i}", "features", part, formula)


def _orbit_signals() -> Iterator[Signal]:
    for r in ROUNDS:
        when = "when stable" if r == "stable" else f"after {r} round{'s' if r != '1' else ''}"
        for which in ("min", "max"):
            formula = f"log |O| of the {_WHICH[which]} of the orbits of u and v {when}"
            yield Signal(f"orbit_size_{which}_{r}", "orbits", "orbits", formula)
        yield Signal(f"orbit_links_{r}", "orbits", "orbits", f"log(1 + links in the orbit of {{u, v}} {when})")
        before = "degrees of the same power of two, d + 1 from 2^i" if r == "1" else "the rounds before"
        formula = f"(links + κ ρ') / (pairs + κ) of the orbit of {{u, v}} {when}; ρ' is that of {before}"
        yield Signal(f"orbit_density_{r}", "orbits", "orbits", formula)
    for r in ROUNDS:
        when = "when stable" if r == "stable" else f"after {r} round{'s' if r != '1' else ''}"
        for i, sizes in enumerate(BINS):
            formula = f"common neighbours in orbits of {sizes} nodes {when}"
            yield Signal(f"common_neighbours_{r}_bin_{i}", "orbits", "orbit-common-neighbours", formula)
    for length in MEETING_LENGTHS:
        half = length // 2
        for r in ROUNDS:
            when = "when stable" if r == "stable" else f"after {r} round{'s' if r != '1' else ''}"
            for i, sizes in enumerate(BINS):
                formula = (
                    f"walks_{length} by meeting node: the part of Σ_w (P^{length - half})_uw (P^{half})_wv, "
                    f"P = D^-1/2 A D^-1/2, with w in orbits of {sizes} nodes {when}, averaged over both directions"
                )
                yield Signal(f"walks_{length}_{r}_bin_{i}", "orbits", "orbit-walks", formula, cheap=False)


_WHICH = {"min": "smaller", "max": "larger"}
SIGNALS: dict[str, Signal] = {signal.name: signal for signal in _catalogue()}


def default_signals(graph: Graph) -> tuple[str, ...]:
    """Return the names of the signals that a graph gets if none are asked for.

    Left out are walks whose weight takes more than `WORK_PER_PAIR` visits of neighbours for a pair, and signals of
    features if the graph has none. Signals of graphs that are to be compared, of folds for instance, must be asked for
    by name: compute the names once, from the whole graph.

    >>> path = Graph.from_edges([[0, 1], [1, 2]])
    >>> len(default_signals(path)), "feature_cosine" in default_signals(path)
    (87, False)
    """
    from edgeorbit.pairwise.walks import walking_work

    longest = max(
        (length for length in LENGTHS if walking_work(graph, 1, length) <= WORK_PER_PAIR), default=LENGTHS[0] - 1
    )
    columns = graph.x.shape[1] if graph.x is not None and graph.x.ndim == 2 and graph.x.dtype.kind in "biuf" else 0
    left_out = {f"walks_{length}" for length in LENGTHS if length > longest}
    left_out |= {f"{prefix}_product_{i}" for prefix in PREFIXES for i in range(columns + 1, COMPONENTS + 1)}
    return tuple(
        name
        for name, signal in SIGNALS.items()
        if name not in left_out
        and (signal.group != "features" or columns > 0)
        and (signal.part != "orbit-walks" or int(name.split("_")[1]) <= longest)
    )


PREFIXES = ("feature", "neighbour_feature")


def resolve_signals(graph: Graph, names: str | Iterable[str] | None) -> tuple[str, ...]:
    """Return names of signals, with groups replaced by their signals that this graph gets by default.

    >>> resolve_signals(Graph.empty(2), ["degrees", "distance"])
    ('degree_min', 'degree_max', 'preferential_attachment', 'distance')
    """
    default = default_signals(graph)
    if names is None:
        return default
    resolved: dict[str, None] = {}
    for name in [names] if isinstance(names, str) else names:
        if name in GROUPS:
            of_group = [each for each in default if SIGNALS[each].group == name]
            if not of_group:
                raise InvalidParameterError(
                    f"{graph.name} has no features that are numbers; leave the signals of features out"
                )
            resolved |= dict.fromkeys(of_group)
        elif name in SIGNALS:
            resolved[name] = None
        else:
            import difflib

            near = difflib.get_close_matches(str(name), [*SIGNALS, *GROUPS], n=3)
            hint = f"did you mean {' or '.join(near)}?" if near else f"choose from the groups {', '.join(GROUPS)}"
            raise InvalidParameterError(f"there is no signal {shown(repr(name))}; {hint}")
    return tuple(resolved)
