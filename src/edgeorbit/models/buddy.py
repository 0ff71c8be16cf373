"""BUDDY: sketches of neighbourhoods beside the product of propagated features."""

from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor, nn

from edgeorbit.errors import InvalidParameterError
from edgeorbit.graph.graph import Graph
from edgeorbit.models.base import Preset, Settings, require_positive
from edgeorbit.models.encoders import average, narrow_first
from edgeorbit.models.neural.decoders import pair_product
from edgeorbit.models.neural.device import place
from edgeorbit.models.neural.dropout import Dropout, dropout
from edgeorbit.models.neural.inputs import FeatureLinear, Inputs
from edgeorbit.models.neural.model import LinkNetwork, NeuralLinkModel
from edgeorbit.pairwise.sketches import (
    NeighbourhoodSketches,
    check_sketch,
    num_structure_features,
    require_sketch_memory,
    sketch_memory,
    structure_counts,
    structure_features,
)


class Propagated(nn.Module):
    """`A_hat X W + b`, with GCN's average `A_hat`: BUDDY without SIGN.

    Parameters
    ----------
    in_channels, out_channels
        Width of the features and of the embedding.
    """

    def __init__(self, in_channels: int, out_channels: int) -> None:
        super().__init__()
        self.map = FeatureLinear(in_channels, out_channels, bias=False)
        self.bias = nn.Parameter(torch.zeros(out_channels))

    def forward(self, inputs: Inputs) -> Tensor:
        """Return embeddings of shape (num_nodes, out_channels)."""
        if narrow_first(inputs.x, len(self.bias)):
            out: Tensor = self.map(average(inputs, inputs.x))  # type: ignore[arg-type]
        else:
            out = average(inputs, self.map(inputs.x))
        return out + self.bias


class SIGN(nn.Module):
    """Embeddings from `E, A_hat E, ..., A_hat^k E` with `E = X W`, each through layers of its own, then joined.

    With identity features E is a learned embedding of every node, as the original has it on graphs without features.
    Other features the original propagates as they are, with a W for every power; here all powers share one, so that
    what is propagated is never wider than the embedding.

    Parameters
    ----------
    in_channels, out_channels
        Width of the features and of the embedding.
    steps
        The largest power k.
    rate
        Share of values that are dropped in training.
    """

    def __init__(self, in_channels: int, out_channels: int, steps: int, rate: float) -> None:
        super().__init__()
        self.map = FeatureLinear(in_channels, out_channels, bias=False)
        nn.init.xavier_uniform_(self.map.weight)  # the original's choice for the embedding of nodes
        self.layers = nn.ModuleList(nn.Linear(out_channels, out_channels) for _ in range(steps + 1))
        self.norms = nn.ModuleList(nn.BatchNorm1d(out_channels) for _ in range(steps + 1))
        self.final = nn.Linear((steps + 1) * out_channels, out_channels)
        self.rate = rate

    def forward(self, inputs: Inputs) -> Tensor:
        """Return embeddings of shape (num_nodes, out_channels)."""
        x = self.map(inputs.x)
        found = []
        for power, (layer, norm) in enumerate(zip(self.layers, self.norms, strict=True)):
            if power > 0:
                x = average(inputs, x)
            found.append(dropout(torch.relu(norm(layer(x))), self.rate, self.training))
        out: Tensor = self.final(torch.cat(found, dim=1))
        return out


@dataclass(frozen=True)
class BuddySettings(Settings):
    """The settings of BUDDY; where there is no other reason, the defaults of its authors."""

    hidden_channels: int = 256  # Li et al. 2023 on every graph, and the authors on ogbl-ddi
    hops: int = 2
    minhash: int = 128  # hashes of a MinHash sketch
    hll_p: int = 8  # a HyperLogLog sketch has 2^8 registers
    zero_one: bool = False  # with it, training links give themselves away
    sign_k: int = 0  # one step of propagation is best on most graphs
    label_dropout: float = 0.5  # of the structure features
    feature_dropout: float = 0.5  # of the product of the two nodes
    sign_dropout: float = 0.5  # of the powers of SIGN

    def __post_init__(self) -> None:
        """Refuse values that make no network."""
        require_positive(self, "hidden_channels")
        check_sketch(self.hops, self.minhash, self.hll_p)
        if self.sign_k < 0:
            raise InvalidParameterError(f"sign_k must be 0 or more, not {self.sign_k}")
        for name in ("label_dropout", "feature_dropout", "sign_dropout"):
            if not 0 <= getattr(self, name) < 1:
                raise InvalidParameterError(f"{name} must be at least 0 and below 1, not {getattr(self, name)}")


class BuddyNetwork(LinkNetwork):
    """A layer over structure features, a layer over the product of propagated features, and one over both.

    The whole training graph is sketched once; its links are not hidden.
    """

    hides_targets = False

    def __init__(self, in_channels: int, settings: BuddySettings) -> None:
        super().__init__()
        self.settings = settings
        width, hops = settings.hidden_channels, settings.hops
        self.nodes: nn.Module
        # Batch norms of SIGN go over all nodes, so that none can be left out.
        self.hops = None if settings.sign_k > 0 else 1
        if settings.sign_k > 0:
            self.nodes = SIGN(in_channels, width, settings.sign_k, settings.sign_dropout)
        else:
            self.nodes = Propagated(in_channels, width)
        seen, labels = num_structure_features(hops, zero_one=settings.zero_one), hops * (hops + 2)
        self.structure = _layer(seen, labels, settings.label_dropout)
        self.product = _layer(width, width, settings.feature_dropout)
        self.final = nn.Linear(labels + width, 1)

    def encode(self, inputs: Inputs) -> Tensor:
        """Return an embedding of every node."""
        embedding: Tensor = self.nodes(inputs)
        return embedding

    def decode(self, embedding: Tensor, inputs: Inputs, pairs: Tensor) -> Tensor:
        """Return logits of shape (k,) for node pairs of shape (k, 2)."""
        structure = self.structure(self.find_structure(inputs, pairs))
        product = self.product(pair_product(embedding, inputs.local(pairs)))
        logits: Tensor = self.final(torch.cat([structure, product], dim=1)).squeeze(-1)
        return logits

    def find_structure(self, inputs: Inputs, pairs: Tensor) -> Tensor:
        """Return the structure features of pairs.

        They take a microsecond a pair, far less than the layers over them, so that none are kept between epochs.
        """
        sketches = inputs.derive(self._sketch)
        counts = structure_counts(sketches, pairs.numpy(), threads=torch.get_num_threads())
        return place(structure_features(counts, zero_one=self.settings.zero_one), self.final.weight)

    def _sketch(self, graph: Graph) -> NeighbourhoodSketches:
        settings = self.settings
        return NeighbourhoodSketches(
            graph,
            hops=settings.hops,
            minhash=settings.minhash,
            hll_p=settings.hll_p,
            threads=torch.get_num_threads(),
        )


def _layer(in_channels: int, out_channels: int, rate: float) -> nn.Module:
    return nn.Sequential(nn.Linear(in_channels, out_channels), nn.BatchNorm1d(out_channels), nn.ReLU(), Dropout(rate))


class BUDDY(NeuralLinkModel):
    """BUDDY: sketches tell how many nodes lie at which distances from a pair, beside the product of its features.

    Sketches and features come from the whole training graph, once, as in the original: the links of a batch are not
    hidden. The counts of nodes near to one end and far from the other, which are zero for every training link, are left
    out, as in the original; `zero_one` brings them back. Training links still stand out, in the original too: each of
    their ends is a neighbour of the other, so that both are among the nodes next to both.

    It differs from the original in that

    - a score does not depend on the order of a pair: of two counts that trade places with the nodes, it sees the sum
      and the absolute difference;
    - with three hops it leaves out the counts (0, 1) and (0, 2); the original means to, but its code clears (1, 3)
      and (0, 2), and with two hops takes (1, 1) off (2, 0) twice;
    - sizes of sets follow by Ertl's estimator and not by HyperLogLog++, for as small an error without tables;
    - features are mapped before they are propagated: the same without SIGN; with SIGN all powers share a map, as those
      of an embedding do in the original, whose code propagates features once however large `sign_k` is;
    - batch norms of SIGN go over all nodes, not over the ends of the pairs of a batch;
    - negatives are new in every epoch, one to a positive (six on ogbl-ddi in the original).
    """

    name = "buddy"
    trains_in_parallel = False  # batch normalization over the pairs of a step
    citation = (
        "Chamberlain, Shirobokov, Rossi, Frasca, Markovich, Hammerla, Bronstein, Hansmire: Graph neural networks for "
        "link prediction with subgraph sketching, ICLR 2023"
    )
    Settings = BuddySettings
    search_space: ClassVar = {
        "hops": [1, 2, 3],
        "sign_k": [0, 1, 2, 3],
        "label_dropout": [0.1, 0.3, 0.5],
        "feature_dropout": [0.1, 0.3, 0.5],
    }
    # Those of Li et al. 2023 for the Planetoid graphs, and of the authors for ogbl-ddi. A batch of theirs counts
    # negatives too: of 1024 pairs half are positives, of the 131,072 on ogbl-ddi a seventh.
    presets: ClassVar = {
        "cora": Preset(
            {"label_dropout": 0.1, "feature_dropout": 0.1},
            {"learning_rate": 0.01, "weight_decay": 1e-4, "batch_size": 512},
        ),
        "citeseer": Preset({"label_dropout": 0.3, "feature_dropout": 0.3}, {"learning_rate": 0.001, "batch_size": 512}),
        "pubmed": Preset(
            {"hops": 3, "label_dropout": 0.5, "feature_dropout": 0.1},
            {"learning_rate": 0.001, "weight_decay": 1e-4, "batch_size": 512},
        ),
        "ogbl-ddi": Preset(
            {"sign_k": 2, "label_dropout": 0.25},
            {"learning_rate": 0.0015, "batch_size": 18_724, "epochs": 150, "evaluate_every": 1, "metric": "hits@20"},
        ),
    }

    def check(self, graph: Graph) -> None:
        """Refuse a graph whose sketches do not fit into memory."""
        require_sketch_memory(graph, self.settings.hops, self.settings.minhash, self.settings.hll_p)

    def prepared_memory(self, graph: Graph) -> int:
        """Return how many bytes sketches take."""
        return sketch_memory(graph.num_nodes, self.settings.hops, self.settings.minhash, self.settings.hll_p)

    def make_network(self, graph: Graph, in_channels: int) -> LinkNetwork:
        """Make the network."""
        return BuddyNetwork(in_channels, self.settings)
