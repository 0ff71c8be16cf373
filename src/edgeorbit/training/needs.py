"""How much memory training on a graph will take, before it begins, and which setting makes it fit.

An estimate from counts: nodes, links, channels, layers and links of a step. `benchmarks/large_graphs.py` measures the
peaks of real runs.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

from edgeorbit._memory import available_memory, size_in_words
from edgeorbit.data.features import num_channels
from edgeorbit.errors import InvalidParameterError, LimitExceededError
from edgeorbit.graph.graph import Graph
from edgeorbit.models.neural.inputs import SPARSE_BELOW
from edgeorbit.models.neural.model import NeuralLinkModel
from edgeorbit.training.step import PAIRS_AT_ONCE

LARGE_GRAPH = 1_000_000  # links from which a run says what it will need
PROGRAM = 450 << 20  # Python, PyTorch and compiled kernels
BYTES_PER_LINK = 120  # the graph, its copy without the links of a batch, positives, and where non-edges are
BYTES_PER_NODE = 100
COPIES = 7  # of weights: themselves, gradients, two moments, the best so far, and a copy that scores, in double
PER_LAYER = 4  # tensors as large as the rows of a layer that a step holds: output, norm, dropout, a gradient
PER_PIECE = 10  # tensors as large as the products of the pairs that are decoded together
FEWEST_LINKS = 64  # of a step, and channels: smaller ones are not proposed
FEWEST_CHANNELS = 16


class Needs(NamedTuple):
    """Estimated bytes.

    Attributes
    ----------
    graph
        The program, the graph in all its forms, and features.
    weights
        The weights in all copies.
    step
        What a step of training adds.
    scoring
        What an evaluation adds: the embedding of every node in double precision.
    """

    graph: int
    weights: int
    step: int
    scoring: int

    @property
    def total(self) -> int:
        """The peak: a step and an evaluation do not coincide."""
        return self.graph + self.weights + max(self.step, self.scoring)


def estimate_needs(model: NeuralLinkModel, graph: Graph, batch_size: int) -> Needs:
    """Return what training of a model on a graph needs.

    Parameters
    ----------
    model
        The model, with its settings; those without a width are taken for 64 channels, without layers for one.
    graph
        The training graph with features.
    batch_size
        Links of a step; as many negatives come with them.

    Examples
    --------
    >>> import numpy as np
    >>> from edgeorbit.models import make_model
    >>> graph = Graph.from_edges([[0, 1], [1, 2]]).with_attributes(x=np.ones((3, 1), np.float32))
    >>> estimate_needs(make_model("gcn"), graph, 2).weights >> 20
    7
    """
    n, channels = graph.num_nodes, num_channels(graph)
    width, layers = (max(1, getattr(model.settings, *given)) for given in (("hidden_channels", 64), ("num_layers", 1)))
    x: Any = graph.x
    entries = x.nnz if hasattr(x, "nnz") else x.size
    sparse = entries < SPARSE_BELOW * n * channels
    features = 24 * entries if sparse else 12 * n * channels  # dense ones in double, too
    inputs = channels if not model.transductive else channels + n
    # Ends of links and of negatives, and as many common neighbours; each layer looks one step further.
    read = min(n, 4 * batch_size)
    around = min(n, read * (1 + 2 * graph.num_edges // max(1, n)))
    rows = read + (layers - 1) * around + (around if sparse else 0)
    pieces = min(PAIRS_AT_ONCE, 2 * batch_size) * width * 4 * PER_PIECE
    embedded = n * width * 8 * (1 if layers == 1 else 4)
    return Needs(
        graph=PROGRAM + BYTES_PER_LINK * graph.num_edges + BYTES_PER_NODE * n + features + model.prepared_memory(graph),
        weights=4 * COPIES * (inputs * width + (layers + 3) * width * width),
        step=rows * width * 4 * PER_LAYER + pieces + 96 * batch_size,
        scoring=embedded,
    )


def check_needs(model: NeuralLinkModel, graph: Graph, batch_size: int) -> Needs:
    """Return what training needs.

    Raises
    ------
    LimitExceededError
        If that is more than there is, with a setting that makes it fit.
    """
    needs, available = estimate_needs(model, graph, batch_size), available_memory()
    # What is held already, such as the graph and the program, is no longer available.
    if available is None or needs.total - PROGRAM <= available:
        return needs
    raise LimitExceededError(
        f"{model.name} on {graph.name} ({graph.num_nodes:,} nodes, {graph.num_edges:,} training edges) needs about "
        f"{size_in_words(needs.total)} of memory and {size_in_words(available)} are available; "
        f"{_way_out(model, graph, batch_size, available)}"
    )


def _way_out(model: NeuralLinkModel, graph: Graph, batch_size: int, available: int) -> str:
    for words, changed, size in _cheaper(model, batch_size):
        if estimate_needs(changed, graph, size).total - PROGRAM <= available:
            return f"set {words}, which fits"
    if num_channels(graph) >= graph.num_nodes:
        return "take degree features instead of an embedding of every node, or a larger machine"
    return "take a part of the graph, or a larger machine"


def _cheaper(model: NeuralLinkModel, batch_size: int) -> Iterator[tuple[str, NeuralLinkModel, int]]:
    """Yield settings that take less, the mildest first: fewer links in a step, fewer channels, one layer, all of it."""
    size = batch_size // 2
    while size >= FEWEST_LINKS:
        yield f"batch_size={size}", model, size
        size //= 2
    given = {name: getattr(model.settings, name) for name in model.settings.__dataclass_fields__}
    for layers in ({}, {"num_layers": 1}):
        width = given.get("hidden_channels", 0) // 2
        if layers and given.get("num_layers", 1) == 1:
            return
        while width >= FEWEST_CHANNELS:
            changed = {"hidden_channels": width} | layers
            words = " and ".join(f"{name}={value}" for name, value in changed.items())
            try:
                smaller = type(model)(**given | changed)
            except InvalidParameterError:  # such as heads that do not divide the width
                break
            yield words, smaller, batch_size
            least = max(FEWEST_LINKS, batch_size // 16)
            yield f"{words} and batch_size={least}", smaller, least
            width //= 2


def needs_in_words(model: NeuralLinkModel, graph: Graph, batch_size: int, links_per_epoch: int, needs: Needs) -> str:
    """Return what a run on a large graph will be, in one line."""
    steps = -(-links_per_epoch // batch_size)
    return (
        f"{model.name}: {graph.num_nodes:,} nodes, {graph.num_edges:,} training edges; {steps} steps of "
        f"{batch_size:,} edges in an epoch; about {size_in_words(needs.total)} of memory"
    )
