"""Where the time of training goes, and message passing beside PyTorch Geometric's and PyTorch's own.

Run from the repository: python -m benchmarks.training [GRAPH...]
"""

import argparse
import resource
import statistics
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch_geometric.nn import GCNConv

from edgeorbit.models.neural.inputs import Inputs
from edgeorbit.models.neural.layers import GCNLayer
from edgeorbit.models.neural.model import LinkNetwork
from edgeorbit.prediction import LinkPredictor

REPEATS = 15
CHANNELS = 256


def median_ms(function: Callable[[], Any]) -> float:
    """Return the median time of a call, after a first one that does not count."""
    function()
    times = []
    for _ in range(REPEATS):
        begun = time.perf_counter()
        function()
        times.append(time.perf_counter() - begun)
    return 1000 * statistics.median(times)


def message_passing(graph: Any) -> dict[str, float]:
    """Measure a GCN layer, forward and backward, on one graph with all three ways to pass messages."""
    inputs = Inputs.of(graph)
    edge_index = torch.from_numpy(graph.edge_index)
    ones = torch.ones(len(graph.indices))
    adjacency = torch.sparse_csr_tensor(
        torch.tensor(graph.indptr), torch.tensor(graph.indices.astype(np.int64)), ones, size=(graph.num_nodes,) * 2
    )
    ours, theirs = GCNLayer(CHANNELS, CHANNELS), GCNConv(CHANNELS, CHANNELS)
    hidden = torch.randn(graph.num_nodes, CHANNELS, requires_grad=True)
    return {
        "ours": median_ms(lambda: ours(hidden, inputs).sum().backward()),
        "PyG, scatter over edges": median_ms(lambda: theirs(hidden, edge_index).sum().backward()),
        "PyG, torch.sparse CSR": median_ms(lambda: theirs(hidden, adjacency).sum().backward()),
    }


def training_run(name: str, epochs: int) -> dict[str, float]:
    """Train a GCN, and measure how much of the time is the network's own forward and backward pass."""
    own = 0.0

    def timed(function: Callable[..., Any]) -> Callable[..., Any]:
        def wrapped(*arguments: Any, **options: Any) -> Any:
            nonlocal own
            begun = time.perf_counter()
            try:
                return function(*arguments, **options)
            finally:
                own += time.perf_counter() - begun

        return wrapped

    predictor = LinkPredictor("gcn", training={"epochs": epochs})
    make_network = predictor.model.make_network  # type: ignore[attr-defined]

    def make_timed(*arguments: Any) -> LinkNetwork:
        network: LinkNetwork = make_network(*arguments)
        network.encode, network.decode = timed(network.encode), timed(network.decode)  # type: ignore[method-assign]
        return network

    predictor.model.make_network = make_timed  # type: ignore[attr-defined]
    backward, optimise = torch.Tensor.backward, torch.optim.Adam.step
    torch.Tensor.backward, torch.optim.Adam.step = timed(backward), timed(optimise)  # type: ignore[method-assign]
    begun = time.perf_counter()
    try:
        predictor.fit(name)
    finally:
        torch.Tensor.backward, torch.optim.Adam.step = backward, optimise  # type: ignore[method-assign]
    whole = time.perf_counter() - begun
    result = predictor.info["training_result"]
    return {"seconds": whole, "epochs": result["history"][-1]["epoch"], "outside": 1 - own / whole}


def main() -> None:
    """Measure and print."""
    warnings.filterwarnings("ignore")
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("graphs", nargs="*", default=["cora"])
    parser.add_argument("--epochs", type=int, default=1000)
    options = parser.parse_args()
    print("| graph | GCN layer, forward and backward | ms | beside ours |\n|---|---|---:|---:|")
    for name in options.graphs:
        from edgeorbit.prediction import prepare_split

        found = message_passing(prepare_split(name).graph)
        for way, value in found.items():
            print(f"| {name} | {way} | {value:.1f} | {value / found['ours']:.1f} x |")
    print("\n| graph | GCN, early stopping included | epochs | outside forward, backward and optimiser | peak memory |")
    print("|---|---:|---:|---:|---:|")
    for name in options.graphs:
        run = training_run(name, options.epochs)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
        shown = f"{run['seconds']:.1f} s | {run['epochs']:.0f} | {100 * run['outside']:.0f} % | {peak:.1f} GiB"
        print(f"| {name} | {shown} |")


if __name__ == "__main__":
    main()
