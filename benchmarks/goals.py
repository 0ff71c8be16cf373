"""The goals, and whether the measurements meet them."""

from itertools import pairwise
from typing import Any, NamedTuple

from benchmarks.graphs import DOUBLING, doubling_name
from benchmarks.measure import Measurement
from benchmarks.methods import METHODS

LARGE = ("ppa", "citation2")
PAIRWISE = {"cn": "common neighbours", "aa": "Adamic-Adar", "aggregate": "aggregation over common neighbours"}
# A graph, a kernel over it, its peer, and how many times as long the peer should take.
PAIR_PEERS = [
    ("pubmed", "subgraphs", "pyg-subgraphs", 50),
    ("pubmed", "sketches", "datasketch", 100),
    ("amazon", "sketches", "datasketch", 100),
]
BYTES_PER_NODE, BYTES_PER_EDGE = 64, 16
SMALLEST_FOR_MEMORY = 100_000  # nodes; below, pages and thread stacks are all one sees


class Goal(NamedTuple):
    """A goal, what was measured, and whether it is met (None: not measured)."""

    title: str
    bound: str
    measured: str
    met: bool | None


class Results:
    """The measurements of a run, found by graph, method and threads."""

    def __init__(self, stored: dict[str, Any]) -> None:
        """Take the content of a file of results."""
        self.graphs = {graph["name"]: graph for graph in stored["graphs"]}
        self.startup = stored.get("startup") or {}
        self.found = {
            (m["graph"], m["method"], m["threads"]): Measurement(**m)
            for graph in stored["graphs"]
            for m in graph["measurements"]
        }

    def get(self, graph: str, method: str, threads: int | None = None) -> Measurement | None:
        """Return a measurement; without a number of threads, the one with the most."""
        counts = [t for g, m, t in self.found if (g, m) == (graph, method)]
        if threads is None:
            threads = max(counts, default=0)
        return self.found.get((graph, method, threads))

    def seconds(self, graph: str, method: str, threads: int | None = None) -> float | None:
        """Return the time of a measurement that ended."""
        found = self.get(graph, method, threads)
        return found.seconds if found and found.status == "ok" else None


def judge(results: Results) -> list[Goal]:
    """Return all goals with what was measured."""
    goals = [_gather(results, graph, threads) for graph in LARGE for threads in (1, 2)]
    goals += [_edges_to_ear(results, graph) for graph in LARGE]
    goals += [_doubling(results, name, threads) for name in ("path", "tree", "grid") for threads in (1, 2)]
    goals += [_worklist(results, threads) for threads in (1, 2)]
    goals += [_peer(results, graph, peer) for graph in ("random", "ba") for peer in ("networkx", "wlconv")]
    goals += [
        _memory(results),
        _cora(results),
        _recolour(results),
        _startup(results, "first", 10),
        _startup(results, "later", 1.5),
    ]
    goals += [_pair_peer(results, *pair) for pair in PAIR_PEERS]
    goals += [_pairwise(results, graph, method) for graph in ("ddi", "pubmed", "amazon") for method in PAIRWISE]
    return goals


def _ratio(title: str, bound: float, above: float | None, below: float | None, unit: str = "x") -> Goal:
    if above is None or below is None:
        return Goal(title, f"<= {bound:g} {unit}", "", None)
    return Goal(title, f"<= {bound:g} {unit}", f"{above / below:.2f} {unit}", above <= bound * below)


def _gather(results: Results, graph: str, threads: int) -> Goal:
    ours, gather = (results.seconds(graph, method, threads) for method in ("edgeorbit", "gather"))
    return _ratio(f"{graph}: refinement beside gather, {_threads(threads)}", 1.5, ours, gather)


def _edges_to_ear(results: Results, graph: str) -> Goal:
    ours, scipy = results.seconds(graph, "edges-to-ear"), results.seconds(graph, "scipy-csr")
    return _ratio(f"{graph}: edge array to EAR beside scipy's CSR", 0.25, ours, scipy)


def _doubling(results: Results, name: str, threads: int) -> Goal:
    seconds = [results.seconds(doubling_name(name, size), "edgeorbit", threads) for size in DOUBLING]
    steps = [after / before for before, after in pairwise(seconds) if before and after]
    title = f"{name}: time when n doubles, {_threads(threads)}; the last step, from 10^6 nodes, counts"
    if len(steps) < len(DOUBLING) - 1:
        return Goal(title, "< 2.6 x", "", None)
    return Goal(title, "< 2.6 x", ", ".join(f"{step:.2f}" for step in steps) + " x", steps[-1] < 2.6)


def _worklist(results: Results, threads: int) -> Goal:
    ours, theirs = results.seconds("grid", "edgeorbit", threads), results.seconds("grid", "worklist", 1)
    return _ratio(f"grid: refinement beside the exact worklist, {_threads(threads)}", 1, ours, theirs)


def _threads(count: int) -> str:
    return f"{count} thread{'s' * (count > 1)}"


def _peer(results: Results, graph: str, peer: str) -> Goal:
    title = f"{graph}: {peer} beside refinement, 1 thread, conversion left out"
    return _at_least(title, 100, results.seconds(graph, "edgeorbit", 1), results.get(graph, peer, 1))


def _at_least(title: str, factor: int, ours: float | None, theirs: Measurement | None) -> Goal:
    bound = f"> {factor} x"
    if ours is None or theirs is None or theirs.at_least is None:
        return Goal(title, bound, "", None)
    ratio = theirs.at_least / ours
    # A peer that was stopped is only known to be slower than the limit, which can meet the goal and cannot miss it.
    met = True if ratio > factor else None if theirs.status == "time" else False
    return Goal(title, bound, f"{'> ' if theirs.status == 'time' else ''}{ratio:,.0f} x", met)


def _pair_peer(results: Results, graph: str, method: str, peer: str, factor: int) -> Goal:
    title = f"{graph}: {METHODS[peer].title} beside {METHODS[method].title}, 1 thread, conversion left out"
    return _at_least(title, factor, results.seconds(graph, method, 1), results.get(graph, peer, 1))


def _memory(results: Results) -> Goal:
    title = "peak memory of refinement beside the CSR arrays, all large graphs"
    bound = f"< {BYTES_PER_NODE} bytes per node + {BYTES_PER_EDGE} per edge"
    shares: dict[str, float] = {}
    for (graph, method, _), found in results.found.items():
        size = results.graphs[graph]
        if method == "edgeorbit" and found.memory is not None and size["num_nodes"] >= SMALLEST_FOR_MEMORY:
            allowed = BYTES_PER_NODE * size["num_nodes"] + BYTES_PER_EDGE * size["num_edges"]
            shares[graph] = max(found.memory / allowed, shares.get(graph, 0))
    if not shares:
        return Goal(title, bound, "", None)
    worst = max(shares, key=lambda graph: shares[graph])
    return Goal(title, bound, f"at most {shares[worst]:.0%} of that ({worst})", shares[worst] < 1)


def _cora(results: Results) -> Goal:
    return _at_most("cora: ear(graph), warm", 5, _times(1000, results.seconds("cora", "ear")), "ms")


def _recolour(results: Results) -> Goal:
    seconds = results.seconds("cora", "recolour")
    return _at_most("cora: recolouring without 300 edges, 2 rounds", 1, _times(1000, seconds), "ms")


def _pairwise(results: Results, graph: str, method: str) -> Goal:
    ours, scipy = (results.seconds(graph, name, 1) for name in (method, f"scipy-{method}"))
    return _ratio(f"{graph}: {PAIRWISE[method]} beside scipy's product, 1 thread", 1.5, ours, scipy)


def _startup(results: Results, which: str, bound: float) -> Goal:
    title = {"first": "edgeorbit ear cora, nothing compiled yet", "later": "edgeorbit ear cora, later"}[which]
    goal = _at_most(title, bound, results.startup.get(which), "s")
    return goal._replace(measured=goal.measured or results.startup.get("note", ""))


def _at_most(title: str, bound: float, value: float | None, unit: str) -> Goal:
    if value is None:
        return Goal(title, f"< {bound:g} {unit}", "", None)
    return Goal(title, f"< {bound:g} {unit}", f"{value:.2f} {unit}", value < bound)


def _times(factor: float, value: float | None) -> float | None:
    return None if value is None else factor * value
