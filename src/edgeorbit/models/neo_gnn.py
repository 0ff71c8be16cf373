"""Neo-GNN: learned overlaps of neighbourhoods beside a GCN."""

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import logsigmoid

from edgeorbit.errors import InvalidParameterError
from edgeorbit.graph.graph import Graph
from edgeorbit.models.base import Preset, Settings, require_positive
from edgeorbit.models.encoders import GCNEncoder
from edgeorbit.models.neural import device
from edgeorbit.models.neural.decoders import MLPDecoder, pair_product
from edgeorbit.models.neural.inputs import Inputs
from edgeorbit.models.neural.model import LinkNetwork, NeuralLinkModel, Objective, by_link
from edgeorbit.models.neural.product import Matrix, multiply
from edgeorbit.models.neural.rows import sum_segments
from edgeorbit.pairwise.overlaps import BYTES_PER_ENTRY, WalkRows, sum_overlaps, walk_rows

ENTRIES_AT_ONCE = 1 << 24  # of rows that are compared, where overlaps are listed


class OverlapScore(nn.Module):
    """Scores pairs by `g(z_u . z_v)`, with `z = S diag(x)` and `S = A + beta A^2 + ...`.

    What a node counts is learned from its row of S alone: `x_w = f_node(sum of f_edge(S_wj) over j)`. Common
    neighbours, resource allocation and Adamic-Adar are such scores.

    Parameters
    ----------
    hops, beta
        The highest power of the adjacency matrix, and the weight of every step beyond the first.
    edge_channels, node_channels, overlap_channels
        Width of the hidden layers of f_edge, f_node and g.
    """

    def __init__(self, hops: int, beta: float, edge_channels: int, node_channels: int, overlap_channels: int) -> None:
        super().__init__()
        self.hops, self.beta = hops, beta
        # A number, its edge_channels hidden ones and their gradients, for every entry.
        self.bytes_per_entry = BYTES_PER_ENTRY + 4 * (2 + 4 * edge_channels)
        self.f_edge, self.f_node, self.g = (_map(width) for width in (edge_channels, node_channels, overlap_channels))

    def forward(self, inputs: Inputs, pairs: Tensor) -> Tensor:
        """Return logits of shape (k,) for node pairs of shape (k, 2)."""
        rows = inputs.derive(self.find_rows)
        weights = self.weigh_nodes(rows).square()
        on_cpu = device.on_cpu(weights)
        overlaps = sum_overlaps(rows, pairs, weights) if on_cpu else sum_listed_overlaps(rows, pairs, weights)
        logits: Tensor = self.g(overlaps[:, None]).squeeze(-1)
        return logits

    def find_rows(self, graph: Graph) -> WalkRows:
        """Return S, of the very graph that messages are passed on."""
        return walk_rows(
            graph,
            hops=self.hops,
            beta=self.beta,
            bytes_per_entry=self.bytes_per_entry,
            threads=torch.get_num_threads(),
        )

    def weigh_nodes(self, rows: WalkRows) -> Tensor:
        """Return what every node counts, shape (num_nodes,)."""
        like = next(self.f_edge.parameters())
        entries: Tensor = self.f_edge(device.place(rows.values, like)[:, None])
        if device.on_cpu(like):
            lengths = torch.from_numpy(rows.indptr).diff()
            sums = torch.segment_reduce(entries, "sum", lengths=lengths, unsafe=True)  # 0 for an empty row
        else:
            nodes = np.repeat(np.arange(len(rows.indptr) - 1), np.diff(rows.indptr))
            sums = sum_segments(entries, *(device.place(array, like) for array in (rows.indptr, nodes)))
        weights: Tensor = self.f_node(sums).squeeze(-1)
        return weights


def sum_listed_overlaps(rows: WalkRows, pairs: Tensor, weight: Tensor) -> Tensor:
    """Return what `sum_overlaps` does, on the device of the weights; the common nodes of all pairs are listed for it.

    >>> square = walk_rows(Graph.from_edges([[0, 1], [1, 2], [2, 3], [3, 0]]), hops=1)
    >>> weight = torch.tensor([1.0, 10.0, 100.0, 1000.0])
    >>> sum_listed_overlaps(square, torch.tensor([[0, 2], [0, 1]]), weight).tolist()
    [1010.0, 0.0]
    """
    import scipy.sparse

    num_nodes = len(rows.indptr) - 1
    matrix = scipy.sparse.csr_array((rows.values, rows.indices, rows.indptr), shape=(num_nodes, num_nodes))
    ends = pairs.numpy()
    # Rows of both ends are copied before they are compared, so that pairs are taken some at a time.
    bounds = np.cumsum(np.diff(rows.indptr)[ends].sum(axis=1)) // ENTRIES_AT_ONCE
    parts = np.split(ends, np.flatnonzero(np.diff(bounds)) + 1)
    found = scipy.sparse.vstack([matrix[part[:, 0]].multiply(matrix[part[:, 1]]).tocsr() for part in parts])
    sums: Tensor = multiply(Matrix.from_scipy(found), weight.double()[:, None]).squeeze(1).to(weight.dtype)
    return sums


def _map(width: int) -> nn.Module:
    """Make a network from numbers to numbers, of one hidden layer."""
    return nn.Sequential(nn.Linear(1, width), nn.ReLU(), nn.Linear(width, 1))


@dataclass(frozen=True)
class NeoGNNSettings(Settings):
    """The settings of Neo-GNN."""

    hidden_channels: int = 256  # as Li et al. 2023 chose for every graph
    num_layers: int = 1  # of the GCN; what they chose for Cora and CiteSeer
    decoder_layers: int = 3  # of the network over the product of two embeddings
    dropout: float = 0.1
    layer_norm: bool = False  # the original has none
    hops: int = 2  # the highest power of the adjacency matrix; the original has 2, and 1 on ogbl-ddi
    beta: float = 0.1  # weight of the second power; the original's choice, and the next three as well
    edge_channels: int = 8
    node_channels: int = 128
    overlap_channels: int = 128

    def __post_init__(self) -> None:
        """Refuse values that make no network."""
        require_positive(self, "hidden_channels", "num_layers", "decoder_layers", "hops", "beta")
        require_positive(self, "edge_channels", "node_channels", "overlap_channels")
        if not 0 <= self.dropout < 1:
            raise InvalidParameterError(f"dropout must be at least 0 and below 1, not {self.dropout}")


class Branches(NamedTuple):
    """Logits of the overlap alone, of the GCN alone, and of both together."""

    structure: Tensor
    features: Tensor
    mixed: Tensor


class NeoGNNNetwork(LinkNetwork):
    """A GCN with its decoder, the score of overlaps, and the weights that mix their probabilities."""

    def __init__(self, in_channels: int, settings: NeoGNNSettings) -> None:
        super().__init__()
        width = settings.hidden_channels
        self.encoder = GCNEncoder(in_channels, width, settings.num_layers, settings.dropout, settings.layer_norm)
        self.decoder = MLPDecoder(width, settings.decoder_layers, settings.dropout)
        self.structure = OverlapScore(
            settings.hops, settings.beta, settings.edge_channels, settings.node_channels, settings.overlap_channels
        )
        self.alpha = nn.Parameter(torch.zeros(2))
        self.hops = self.encoder.hops

    def encode(self, inputs: Inputs) -> Tensor:
        """Return the GCN's embedding of every node."""
        embedding: Tensor = self.encoder(inputs)
        return embedding

    def decode(self, embedding: Tensor, inputs: Inputs, pairs: Tensor) -> Tensor:
        """Return logits of shape (k,) for node pairs of shape (k, 2)."""
        return self.score_branches(embedding, inputs, pairs).mixed

    def losses(
        self, embedding: Tensor, inputs: Inputs, positives: Tensor, negatives: Tensor, objective: Objective
    ) -> Tensor:
        """Return for every link the sum of the losses of both halves and of the whole, as in the original."""
        branches = self.score_branches(embedding, inputs, torch.cat([positives, negatives.reshape(-1, 2)]))
        return torch.stack([objective(*by_link(logits, len(positives))) for logits in branches]).sum(dim=0)

    def score_branches(self, embedding: Tensor, inputs: Inputs, pairs: Tensor) -> Branches:
        """Return the logits of each half and of the whole."""
        structure = self.structure(inputs, pairs)
        features = self.decoder(pair_product(embedding, inputs.local(pairs)))
        return Branches(structure, features, mix(structure, features, self.alpha))


def mix(first: Tensor, second: Tensor, alpha: Tensor) -> Tensor:
    """Return the logit of a weighted mean of two probabilities, which are given by their logits.

    Probabilities near 0 and 1 stay apart, which those of the mean itself would not.

    >>> mix(torch.tensor([0.0, 99.0]), torch.tensor([0.0, 99.0]), torch.tensor([0.5, 0.2])).tolist()
    [0.0, 99.0]
    """
    shares = alpha.log_softmax(dim=0)
    yes = torch.logaddexp(shares[0] + logsigmoid(first), shares[1] + logsigmoid(second))
    no = torch.logaddexp(shares[0] + logsigmoid(-first), shares[1] + logsigmoid(-second))
    return yes - no


def _tuned(learning_rate: float, weight_decay: float, dropout: float, num_layers: int) -> Preset:
    return Preset(
        {"dropout": dropout, "num_layers": num_layers},
        {
            "batch_size": 1024,
            "learning_rate": learning_rate,
            "weight_decay": weight_decay,
            "evaluate_every": 5,
            "patience": 10,
        },
    )


class NeoGNN(NeuralLinkModel):
    """Neo-GNN: a GCN beside a learned score of how much the neighbourhoods of two nodes overlap.

    The presets are those of Li et al. 2023. Where it differs from the original code:

    - The links of a batch are hidden from both halves. The original hides them from neither, Li et al. from the GCN
      alone; but with `S = A + beta A^2` a link (u, v) puts `S_uv S_vv` into its own overlap, which tells the answer in
      training and nothing like it in use.
    - S is symmetric, as in the paper; the code of Li et al. takes every edge in the one direction that its file has.
    - On ogbl-ddi, which has no features, the original learns an embedding of every node; with `identity` features the
      first layer of the GCN learns that embedding and its own weights as one matrix.
    - Sums over common nodes are taken in double precision, also in training.
    """

    name = "neo-gnn"
    citation = (
        "Yun, Kim, Lee, Kang, Kim: Neo-GNNs: neighborhood overlap-aware graph neural networks for link prediction, "
        "NeurIPS 2021"
    )
    Settings = NeoGNNSettings
    search_space: ClassVar = {
        "decoder_layers": [1, 2, 3],
        "layer_norm": [False, True],
        "hops": [1, 2, 3],
        "beta": [0.01, 0.1, 0.5],
    }
    presets: ClassVar = {
        "cora": _tuned(0.01, 1e-4, 0.3, 1),
        "citeseer": _tuned(0.01, 1e-4, 0.1, 1),
        "pubmed": _tuned(0.001, 1e-7, 0.1, 2),
        "ogbl-ddi": Preset(
            {"dropout": 0.0, "num_layers": 3, "hops": 1},
            {"batch_size": 8192, "learning_rate": 0.01, "evaluate_every": 1, "patience": 20, "metric": "hits@20"},
        ),
    }

    def make_network(self, graph: Graph, in_channels: int) -> LinkNetwork:
        """Make the network."""
        return NeoGNNNetwork(in_channels, self.settings)
