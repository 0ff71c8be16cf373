"""Pair signals: seconds, memory and page faults of each part, beside networkx and products of sparse matrices.

Run from the repository: python -m benchmarks.signals [GRAPH...] [--pairs K] [--threads N] [--update]

A graph is a name that edgeorbit knows, or a file of links. Up to half of the pairs are links, which are hidden; the
others are random. A peer computes fewer pairs, in turns with ours on one thread, and its results must be ours.
"""

import argparse
import json
import resource
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.memory import peak_memory
from benchmarks.report import markdown_table
from benchmarks.training import in_a_process, replaced

RESULTS = Path(__file__).parent / "signals.json"
PEER_PAIRS = 5000
SLOW_PAIRS = 20  # of networkx's PageRank
SMALL = 5000  # nodes up to which networkx is beside us
COLUMNS = ["graph", "part", "signals", "graph alone", "CPU of a pair", "memory", "page faults", "a peer"]


def measure(name: str, part: str, num_pairs: int, threads: int) -> dict[str, Any]:
    """Return what a part takes for the graph and for its pairs, and how its peers compare."""
    import numpy as np

    import edgeorbit as eo
    from edgeorbit.graph.removal import EdgeRemover
    from edgeorbit.signals import SIGNALS, SignalComputer, default_signals

    graph = eo.load(name)
    rng = np.random.default_rng(0)
    links = graph.edges[rng.permutation(graph.num_edges)[: min(num_pairs // 2, graph.num_edges // 10)]].astype(np.int64)
    pairs = np.concatenate([links, rng.integers(0, graph.num_nodes, (num_pairs - len(links), 2))])
    graph = EdgeRemover(graph).without(links)
    names = [each for each in default_signals(graph) if SIGNALS[each].part == part]
    if not names:
        return {"part": part, "signals": 0}
    karate = SignalComputer(eo.load("karate").with_attributes(x=rng.random((34, 4))), names, threads=threads)
    karate.compute([[0, 1]] * 600)  # compiles and loads what is needed
    with peak_memory() as peak:
        faults, begun = resource.getrusage(resource.RUSAGE_SELF).ru_minflt, time.perf_counter()
        computer = SignalComputer(graph, names, threads=threads).prepare()
        prepared, cpu = time.perf_counter(), time.process_time()
        values = computer.compute(pairs)
        seconds, cpu = time.perf_counter() - prepared, time.process_time() - cpu
        faults = resource.getrusage(resource.RUSAGE_SELF).ru_minflt - faults
    return {
        "part": part,
        "signals": len(names),
        "pairs": len(pairs),
        "nodes": graph.num_nodes,
        "links": graph.num_edges,
        "prepare": prepared - begun,
        "seconds": seconds,
        "cpu": cpu,
        "memory": peak.grown - values.values.nbytes,
        "faults": faults,
        "peers": _peers(graph, part, pairs, values),
    }


def _peers(graph: Any, part: str, pairs: Any, values: Any) -> dict[str, float]:
    """Return by peer how many times our time it takes for the same pairs; one of three turns each, the fastest."""
    import numpy as np

    from edgeorbit.signals import SignalComputer

    found = {}
    for (peer, computed), make in PEERS.items():
        if computed != part or (peer == "networkx" and graph.num_nodes > SMALL):
            continue
        number = SLOW_PAIRS if part == "pagerank" else PEER_PAIRS
        chosen = pairs[:: max(1, len(pairs) // number)][:number]
        names, compute = make(graph, chosen)
        ours = partial(SignalComputer(graph, names, threads=1).prepare().compute, chosen)
        times: dict[Any, list[float]] = {ours: [], compute: []}
        results = {}
        for _ in range(3):
            for function, taken in times.items():
                begun = time.perf_counter()
                results[function] = function()
                taken.append(time.perf_counter() - begun)
        if not np.allclose(results[ours], results[compute], rtol=1e-3, atol=1e-6):
            raise AssertionError(f"{peer} computes other {part} than edgeorbit")
        found[peer] = min(times[compute]) / min(times[ours])
    return found


def _scipy_common(graph: Any, pairs: Any) -> tuple[list[str], Callable[[], Any]]:
    import numpy as np

    import edgeorbit as eo

    a = eo.to_scipy(graph).astype(float)
    weighed = a.multiply(1 / np.maximum(graph.degree, 1)).tocsr()

    def compute() -> Any:
        near, far = a[pairs[:, 0]], a[pairs[:, 1]]
        sums = [near.multiply(far).sum(axis=1), weighed[pairs[:, 0]].multiply(far).sum(axis=1)]
        return np.stack(sums, axis=1)

    return ["common_neighbours", "resource_allocation"], compute


def _scipy_walks(graph: Any, pairs: Any) -> tuple[list[str], Callable[[], Any]]:
    import numpy as np
    import scipy.sparse

    import edgeorbit as eo

    scale = scipy.sparse.diags_array(np.maximum(graph.degree, 1) ** -0.5)
    p = (scale @ eo.to_scipy(graph).astype(float) @ scale).tocsr()

    def compute() -> Any:
        one, other = p[pairs[:, 0]], p[pairs[:, 1]]
        two, two_others = one @ p, other @ p
        lengths = [one.multiply(other), two.multiply(other), two.multiply(two_others)]
        return np.stack([each.sum(axis=1) for each in lengths], axis=1)

    return ["walks_2", "walks_3", "walks_4"], compute


def _networkx_common(graph: Any, pairs: Any) -> tuple[list[str], Callable[[], Any]]:
    import networkx as nx
    import numpy as np

    import edgeorbit as eo

    network, listed = eo.to_networkx(graph), pairs.tolist()

    def compute() -> Any:
        shares = (nx.jaccard_coefficient, nx.resource_allocation_index)
        return np.array([[value for _, _, value in share(network, listed)] for share in shares]).T

    return ["jaccard", "resource_allocation"], compute


def _networkx_distance(graph: Any, pairs: Any) -> tuple[list[str], Callable[[], Any]]:
    import networkx as nx
    import numpy as np

    import edgeorbit as eo

    network = eo.to_networkx(graph)

    def length(u: int, v: int) -> int:
        try:
            return min(7, len(nx.bidirectional_shortest_path(network, u, v)) - 1)
        except nx.NetworkXNoPath:
            return 7

    return ["distance"], lambda: np.array([[length(u, v)] for u, v in pairs.tolist()])


def _networkx_pagerank(graph: Any, pairs: Any) -> tuple[list[str], Callable[[], Any]]:
    import networkx as nx
    import numpy as np

    import edgeorbit as eo

    network = eo.to_networkx(graph)

    def one(u: int, v: int) -> float:
        return float(nx.pagerank(network, alpha=0.85, personalization={u: 1}, tol=1e-9)[v])

    return ["pagerank_sum"], lambda: np.array([[one(u, v) + one(v, u)] for u, v in pairs.tolist()])


PEERS: dict[tuple[str, str], Callable[[Any, Any], tuple[list[str], Callable[[], Any]]]] = {
    ("scipy", "common-neighbours"): _scipy_common,
    ("scipy", "walks"): _scipy_walks,
    ("networkx", "common-neighbours"): _networkx_common,
    ("networkx", "distance"): _networkx_distance,
    ("networkx", "pagerank"): _networkx_pagerank,
}


def rows_of(stored: list[dict[str, Any]]) -> list[list[str]]:
    """Return the rows of the table."""
    rows = []
    for one in stored:
        peers = ", ".join(f"{peer} {times:,.1f} x" for peer, times in one["peers"].items())
        cost = f"{1e6 * one['cpu'] / one['pairs']:,.2f} µs"
        memory = f"{max(0, one['memory']) / 2**20:,.0f} MiB"
        signals = [one["graph"], one["part"], str(one["signals"]), f"{one['prepare']:.2f} s"]
        rows.append([*signals, cost, memory, f"{one['faults']:,}", peers])
    return rows


def markdown() -> list[str]:
    """Return the stored measurements as lines of a table."""
    stored = json.loads(RESULTS.read_text()) if RESULTS.exists() else []
    return markdown_table(COLUMNS, rows_of(stored), right=range(2, len(COLUMNS) - 1))


def main() -> None:
    """Measure, print, and store if asked to."""
    from edgeorbit.signals import SIGNALS

    parser = argparse.ArgumentParser(prog="python -m benchmarks.signals", description=__doc__.splitlines()[0])  # type: ignore[union-attr]
    parser.add_argument("graphs", nargs="*", default=["cora", "pubmed"])
    parser.add_argument("--pairs", type=int, default=20_000, help="how many, half of them hidden links")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--update", action="store_true", help="put what is measured into the stored results")
    options = parser.parse_args()
    found = []
    for graph in options.graphs:
        label = Path(graph).name.split(".")[0]
        for part in dict.fromkeys(each.part for each in SIGNALS.values()):
            one = in_a_process(measure, graph, part, options.pairs, options.threads)
            if one["signals"]:
                found.append({"graph": label, "model": part, **one})
                print(*rows_of(found[-1:])[0], sep=" | ", flush=True)
    if options.update:
        old = json.loads(RESULTS.read_text()) if RESULTS.exists() else []
        RESULTS.write_text(json.dumps(replaced(old, found), indent=1) + "\n")


if __name__ == "__main__":
    main()
