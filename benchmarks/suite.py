"""What is measured on which graph, and the run through all of it."""

import os
import platform
import tempfile
from collections.abc import Callable, Iterator
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.graphs import DOUBLING, cases, doubling_name
from benchmarks.measure import Measurement, measure, run_child
from benchmarks.methods import METHODS
from edgeorbit._parallel import resolve_threads

MAKING_LIMIT = 600.0
QUICK_SCALE = 0.02
THREADED = {
    "edgeorbit",
    "gather",
    "edges-to-ear",
    "cn",
    "aa",
    "aggregate",
    "walks",
    "subgraphs",
    "sketches",
}  # measured with one thread and with two

REFINING = ["edgeorbit", "gather", "worklist", "dejavu", "numpy", "igraph", "wlconv", "networkx"]
FAST = ["edgeorbit", "gather", "worklist", "dejavu", "numpy", "igraph"]  # of those, what ends at 20 million edges
BUILDING = ["edges-to-ear", "scipy-csr"]
RECOLOURING = ["two-rounds", "recolour"]
PAIRWISE = ["cn", "scipy-cn", "aa", "scipy-aa", "aggregate", "scipy-aggregate"]
WALKS = ["walks", "scipy-walks"]
SKETCHES = ["sketches", "datasketch"]
SUBGRAPHS = ["subgraphs", "pyg-subgraphs"]
SERIES = [doubling_name(name, size) for name in ("path", "tree", "grid") for size in DOUBLING]

FULL = {
    "cora": [*REFINING, "ear", *RECOLOURING],
    "random": REFINING + BUILDING,
    "ba": REFINING + BUILDING,
    "path": REFINING,
    "tree": REFINING,
    "grid": REFINING,
    "grid-shuffled": ["edgeorbit", "gather", "worklist", "dejavu"],
    "amazon": REFINING + BUILDING + RECOLOURING + PAIRWISE + SKETCHES,
    "pubmed": PAIRWISE + WALKS + SUBGRAPHS + SKETCHES,
    "ddi": PAIRWISE,
    "ppa": FAST + BUILDING,
    "citation2": FAST + BUILDING,
    **{name: ["edgeorbit"] for name in SERIES},
}
QUICK = {
    "cora": ["edgeorbit", "ear", *RECOLOURING],
    "random": REFINING,
    "grid": ["edgeorbit", "worklist"],
    "ppa": ["edgeorbit", "gather", *BUILDING],
}


class Plan(NamedTuple):
    """What to measure: methods by graph, the size of the graphs, and for how long a measurement may go on."""

    methods: dict[str, list[str]]
    scale: float
    limit: float
    threads: tuple[int, ...]
    patience: float
    startup: bool

    def runs(self, graph: str) -> list[tuple[str, int]]:
        """Return the methods to measure on a graph, with their numbers of threads."""
        return [
            (method, threads)
            for method in self.methods[graph]
            for threads in (self.threads if method in THREADED else (1,))
        ]


def make_plan(*, quick: bool, only: list[str], limit: float) -> Plan:
    """Return the plan of the whole suite, or of the graphs and methods named in `only`.

    A method that is named is measured beside edgeorbit itself, which it is compared with.
    """
    table = QUICK if quick else FULL
    unknown = [name for name in only if name not in FULL and name not in METHODS and name != "startup"]
    if unknown:
        raise SystemExit(f"--only {unknown[0]}: give one of {', '.join([*FULL, *METHODS, 'startup'])}")
    graphs = [name for name in only if name in FULL] or ([] if only == ["startup"] else list(table))
    wanted = [name for name in only if name in METHODS]
    chosen = {}
    for graph in graphs:
        methods = table.get(graph, FULL[graph])
        if wanted:
            methods = [name for name in methods if name in wanted or name == "edgeorbit"]
        if not wanted or set(methods) & set(wanted):
            chosen[graph] = methods
    # The quick suite starts as few processes as it can: each takes a second or two before it measures anything.
    threads = (1, 2) if not quick and resolve_threads(None) > 1 else (1,)
    startup = "startup" in only or not (only or quick)
    return Plan(chosen, QUICK_SCALE if quick else 1.0, limit, threads, 0.5 if quick else 3.0, startup)


def run_suite(plan: Plan, started: Callable[[str], None], done: Callable[[int], None]) -> Iterator[dict[str, Any]]:
    """Measure graph after graph, and yield what is stored about each: its size and its measurements.

    `started` is told what begins and `done` how many measurements are over.
    """
    titles = {name: case.title for name, case in cases(plan.scale).items()}
    for graph in plan.methods:
        runs = plan.runs(graph)
        with tempfile.TemporaryDirectory(prefix="edgeorbit-") as place:
            folder = Path(place)
            started(f"{graph}: making it")
            made = run_child({"graph": graph, "scale": plan.scale, "folder": place}, MAKING_LIMIT)
            record = {"name": graph, "title": titles[graph], "note": made.get("note", ""), "measurements": []}
            if made["status"] != "ok":
                done(len(runs))
                yield record | {"note": record["note"] or made["status"]}
                continue
            record |= {"num_nodes": made["num_nodes"], "num_edges": made["num_edges"]}
            found: list[Measurement] = []
            for method, threads in runs:
                rounds = next((m.rounds for m in found if m.method == "edgeorbit" and m.rounds), 3)
                started(f"{graph}: {METHODS[method].title}, {threads} thread{'s' * (threads > 1)}")
                options: dict[str, Any] = {"rounds": rounds, "limit": plan.limit, "patience": plan.patience}
                found.append(measure(graph, method, threads, folder=folder, **options))
                done(1)
            yield record | {"measurements": [m.as_json() for m in found]}


def describe_machine() -> dict[str, Any]:
    """Return what the times depend on: the processor, what else it does, and the versions of all that was measured."""
    names = ["numpy", "scipy", "numba", "networkx", "igraph", "torch", "torch_geometric", "dejavu_gi", "datasketch"]
    return {
        "processor": _processor(),
        "cores": resolve_threads(None),
        "load": round(os.getloadavg()[0], 2),
        "system": platform.system(),
        "python": platform.python_version(),
        "versions": {name: found for name in names if (found := _version(name))},
    }


def _processor() -> str:
    information = Path("/proc/cpuinfo")
    if information.exists():
        for line in information.read_text().splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.processor() or os.uname().machine


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return ""
