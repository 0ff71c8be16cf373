"""NBFNet, for graphs with one sort of edge."""

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint

from edgeorbit._memory import available_memory, size_in_words
from edgeorbit.errors import InvalidParameterError, LimitExceededError
from edgeorbit.graph.graph import Graph
from edgeorbit.models.base import Preset, Settings, require_positive
from edgeorbit.models.nbfnet.messages import AGGREGATES, BellmanFordLayer, Messages
from edgeorbit.models.neural.inputs import Inputs
from edgeorbit.models.neural.model import LinkNetwork, NeuralLinkModel
from edgeorbit.models.neural.product import Matrix
from edgeorbit.models.neural.rows import gather
from edgeorbit.pairwise.reach import Plan, Step, plan_reach

CHUNK_BYTES = 1 << 28  # what the states of sources that are run together may take; more is no quicker
BYTES_PER_ENTRY = 16  # of a message: two node numbers, forwards and backwards
NUMBERS_PER_CHANNEL = {"pna": 20, "sum": 10}  # that training keeps of a state, with their gradients; measured on Cora


@dataclass(frozen=True)
class NBFNetSettings(Settings):
    """The settings of NBFNet; the defaults are those of the paper for Cora, CiteSeer and PubMed."""

    hidden_channels: int = 32
    num_layers: int = 6  # nodes further apart than this look alike
    aggregate: str = "pna"
    layer_norm: bool = True
    shortcut: bool = True

    def __post_init__(self) -> None:
        """Refuse values that make no network."""
        require_positive(self, "hidden_channels", "num_layers")
        if self.aggregate not in AGGREGATES:
            raise InvalidParameterError(
                f"there is no aggregate {self.aggregate!r}; choose from {', '.join(AGGREGATES)}"
            )

    @property
    def bytes_per_state(self) -> int:
        """About how much memory training takes for a state."""
        return 4 * self.hidden_channels * NUMBERS_PER_CHANNEL[self.aggregate]


class NBFNetNetwork(LinkNetwork):
    """Bellman-Ford iterations from both nodes of a pair, and a network over what they tell the other one."""

    def __init__(self, settings: NBFNetSettings) -> None:
        super().__init__()
        self.settings = settings
        width = settings.hidden_channels
        self.query = nn.Parameter(torch.randn(width))
        self.layers = nn.ModuleList(
            BellmanFordLayer(width, settings.aggregate, settings.layer_norm, settings.shortcut)
            for _ in range(settings.num_layers)
        )
        self.final = nn.Sequential(nn.Linear(2 * width, 2 * width), nn.ReLU(), nn.Linear(2 * width, 1))

    def encode(self, inputs: Inputs) -> Tensor:
        """Return nothing: a node has a state for every source."""
        return torch.empty(inputs.graph.num_nodes, 0)

    def decode(self, embedding: Tensor, inputs: Inputs, pairs: Tensor) -> Tensor:
        """Return logits of shape (k,) for node pairs of shape (k, 2)."""
        there, back = self.reach(inputs, torch.cat([pairs, pairs.flip(1)])).tensor_split(2)
        state = torch.cat([(there + back) / 2, self.query.expand(len(pairs), -1)], dim=1)
        logits: Tensor = self.final(state).squeeze(-1)
        return logits

    def reach(self, inputs: Inputs, pairs: Tensor) -> Tensor:
        """Return the states of second nodes after iterations from the first ones, shape (k, hidden_channels)."""
        plan = plan_reach(inputs.graph, pairs.numpy(), length=self.settings.num_layers, threads=torch.get_num_threads())
        chunks = self.find_chunks(plan)
        surroundings = inputs.derive(find_surroundings)
        begun, *background = self.run_shared(surroundings)
        # Several chunks are run again in the backward pass, so that only one of them is in memory.
        repeated = len(chunks) > 1 and torch.is_grad_enabled()
        parts = [
            checkpoint(self.run_chunk, plan, chunk, surroundings, begun, *background, use_reentrant=False)
            if repeated
            else self.run_chunk(plan, chunk, surroundings, begun, *background)
            for chunk in chunks
        ]
        back = torch.from_numpy(np.argsort(plan.queries.order))
        return torch.cat([begun[:0], *parts])[back]

    def find_chunks(self, plan: Plan) -> list[tuple[int, int]]:
        """Cut the sources into ranges whose states fit into memory.

        Raises
        ------
        LimitExceededError
            If those of one source alone do not fit.
        """
        state = self.settings.bytes_per_state
        needed = state * plan.states.sum(axis=1) + BYTES_PER_ENTRY * plan.entries.sum(axis=1)
        shared = state * plan.graph.num_nodes * (2 + self.settings.num_layers)
        available, most = available_memory(), shared + int(needed.max(initial=0))
        if available is not None and most > available:
            raise LimitExceededError(
                f"nbfnet: {self.settings.num_layers} layers from one node of {plan.graph.name} take about "
                f"{size_in_words(most)} of memory, and {size_in_words(available)} are available; lower num_layers or "
                "hidden_channels"
            )
        return cut(needed, CHUNK_BYTES)

    def run_shared(self, around: "Surroundings") -> list[Tensor]:
        """Return the states that sources share.

        After the first iteration, those of all nodes if they are told and if they are the source, one below the other;
        then the background of all nodes after every iteration.
        """
        first, *others = self.layers
        num_nodes = len(around.share)
        started = torch.stack([torch.zeros_like(self.query), self.query])
        told_and_begun, background = first(started, around.first, self.query).split([2 * num_nodes, num_nodes])
        messages = Messages(around.looped, None, around.share, around.scale, np.zeros(num_nodes, bool))
        states = [told_and_begun, background]
        for layer in others:
            states.append(layer(states[-1], messages, self.query))
        return states

    def run_chunk(
        self, plan: Plan, chunk: tuple[int, int], around: "Surroundings", begun: Tensor, *background: Tensor
    ) -> Tensor:
        """Return the states of the targets of some sources, in the order of the queries."""
        trace = plan.trace(*chunk, threads=torch.get_num_threads())
        states = begun
        for layer, step, elsewhere in zip(self.layers[1:], trace.steps, background[:-1], strict=True):
            states = layer(torch.cat([states, elsewhere]), find_messages(step, around), self.query)
        return gather(torch.cat([states, background[-1]]), trace.found)


class Surroundings(NamedTuple):
    """What iterations need to know of a graph, in which a node hears its neighbours, itself and the boundary.

    Attributes
    ----------
    looped : Matrix
        The adjacency matrix with loops.
    share, scale : float32 arrays
        For every node, the share of a message and its logarithmic scale.
    first : Messages
        Of the first iteration, from two states, 0 and the query, to those of all nodes if told, if they are the source,
        and otherwise. A message of 0 counts in shares; that it is there matters once, for extremes.
    """

    looped: Matrix
    share: npt.NDArray[np.float32]
    scale: npt.NDArray[np.float32]
    first: Messages


def find_surroundings(graph: Graph) -> Surroundings:
    """Return what iterations need to know of a graph."""
    import scipy.sparse

    n = graph.num_nodes
    adjacency = scipy.sparse.csr_array(
        (np.ones(len(graph.indices), np.int8), graph.indices, graph.indptr), shape=(n, n)
    )
    looped = scipy.sparse.csr_array(adjacency + scipy.sparse.eye_array(n, dtype=np.int8))
    messages = graph.degree + 2.0
    matrix = Matrix(looped.indptr.astype(np.int64), looped.indices.astype(np.int32), None, n)
    scale = np.log(messages) / np.log(messages).mean() if n else messages
    share, scale = (1 / messages).astype(np.float32), scale.astype(np.float32)
    zero, query = np.zeros(n, bool), np.ones(n, bool)  # who is sent which
    sent = scipy.sparse.csr_array(
        np.stack([np.concatenate([query, graph.degree > 0, query]), np.concatenate([query, query, zero])], axis=1)
    )
    own = np.repeat(np.array([0, 1, 0], np.int32), n)
    three = (np.tile(share, 3), np.tile(scale, 3), own == 1)
    return Surroundings(matrix, share, scale, Messages(Matrix.from_scipy(sent), own, *three))


def find_messages(step: Step, around: Surroundings) -> Messages:
    """Return the messages of a step of a trace."""
    shape, turned = (len(step.nodes), step.num_columns), None
    if torch.is_grad_enabled():
        import scipy.sparse

        ones = np.ones(len(step.reads), np.int8)
        columns = scipy.sparse.csr_array((ones, step.reads, step.indptr), shape=shape).tocsc()
        turned = Matrix(columns.indptr.astype(np.int64), columns.indices.astype(np.int32), None, shape[0])
    # Without gradients the transpose is never asked for.
    matrix = Matrix(step.indptr, step.reads, None, shape[1], turned)
    is_source = np.zeros(shape[0], bool)
    is_source[step.at_source] = True
    return Messages(matrix, step.own, around.share[step.nodes], around.scale[step.nodes], is_source)


def cut(needed: npt.NDArray[np.int64], most: int) -> list[tuple[int, int]]:
    """Cut into ranges whose sum is at most `most`, or that are single.

    >>> cut(np.array([2, 2, 9, 1]), 5)
    [(0, 2), (2, 3), (3, 4)]
    """
    ranges: list[tuple[int, int]] = []
    low, total = 0, 0
    for i, one in enumerate(needed.tolist()):
        if i > low and total + one > most:
            ranges.append((low, i))
            low, total = i, 0
        total += one
    return [*ranges, (low, len(needed))] if len(needed) else ranges


class NBFNet(NeuralLinkModel):
    """NBFNet: messages from either node of a pair along all paths, and a network over what reaches the other.

    A pair has one state for each direction, and the network sees their mean, as in the paper. Features are not used.
    The links of a batch are hidden from the graph, as in the original. It differs from it in this:

    - Only the states that a score depends on are computed, and those that are the same for all sources are computed
      once, those after the first iteration among them; the scores are the same. With the settings of the paper this
      leaves less than 1 % of all states on Cora, CiteSeer and PubMed. With two layers, a pair of ogbl-ddi takes one
      state of each of its nodes.
    - Negatives are drawn for links, not by replacing the second node.

    Negatives may have isolated nodes here, as in both papers: where they may not, a node whose only link is hidden can
    only be one of a link, which this model learns quickly (on CiteSeer of Li et al. test MRR drops from 0.37 to 0.15).

    Learning rates and patience are those of Li et al. 2023. A larger batch shares the states without a source, which
    matters on large graphs: theirs has 8 links on PubMed, that of the paper 16, and ours 64.
    """

    name = "nbfnet"
    runs_on_gpu = False  # the statistics of messages are found by kernels for the CPU
    citation = (
        "Zhu, Zhang, Xhonneux, Tang: Neural Bellman-Ford networks: a general graph neural network framework for link "
        "prediction, NeurIPS 2021"
    )
    Settings = NBFNetSettings
    search_space: ClassVar = {
        "hidden_channels": [16, 32, 64],  # a node has a state of this width for every source
        "num_layers": [2, 4, 6],  # how far a source reaches, not how deep an encoder is
        "aggregate": ["pna", "sum"],
        "layer_norm": [True, False],
        "shortcut": [True, False],
    }
    presets: ClassVar = {
        "*": Preset(
            training={
                "batch_size": 64,
                "learning_rate": 0.005,
                "evaluate_every": 1,
                "patience": 20,
                "exclude_isolated": False,
            }
        ),
        "cora": Preset(training={"learning_rate": 0.01}),
        "citeseer": Preset(training={"learning_rate": 0.001}),
        "pubmed": Preset(training={"learning_rate": 0.001}),
        # Ours: every further layer takes 500 times as long, which is how many neighbours a node has.
        "ogbl-ddi": Preset({"num_layers": 2}, {"batch_size": 1024, "links_per_epoch": 1 << 16, "evaluate_every": 5}),
    }

    def make_network(self, graph: Graph, in_channels: int) -> LinkNetwork:
        """Make the network; it does not look at features."""
        return NBFNetNetwork(self.settings)
