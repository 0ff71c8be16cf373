"""SEAL: a DGCNN over the labelled subgraph around each node pair."""

from dataclasses import dataclass
from typing import ClassVar, cast

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.utils.checkpoint import checkpoint

from edgeorbit.data.features import num_channels
from edgeorbit.errors import InvalidParameterError
from edgeorbit.graph.graph import Graph
from edgeorbit.models.base import Preset, Settings, require_positive
from edgeorbit.models.neural.dropout import Dropout
from edgeorbit.models.neural.inputs import Inputs
from edgeorbit.models.neural.model import LinkNetwork, NeuralLinkModel
from edgeorbit.models.neural.product import multiply
from edgeorbit.models.neural.rows import gather
from edgeorbit.models.seal.messages import WIDE, Plan, plan_messages, project_features, sort_pool
from edgeorbit.models.seal.subgraphs import (
    CHUNK_BYTES,
    STEP_BYTES,
    Footprint,
    StoredSubgraphs,
    SubgraphSizes,
    pairs_at_once,
    require_memory,
    sample_sizes,
)
from edgeorbit.pairwise.enclosing_subgraphs import Subgraphs

FIRST_CHANNELS, SECOND_CHANNELS, WINDOW, DENSE = 16, 32, 5, 128  # of the DGCNN paper, as SEAL has them
# The comparison of Li et al. 2023 in its existing setting; its batches of 1024 subgraphs are 512 links and 512 others.
_LI = Preset(
    {"hops": 3, "hidden_channels": 256},
    {"batch_size": 512, "learning_rate": 0.01, "evaluate_every": 1, "patience": 20},
)


@dataclass(frozen=True)
class SEALSettings(Settings):
    """The settings of SEAL; the defaults are those of its authors."""

    hops: int = 1  # how far subgraphs reach; 3 on the Planetoid graphs
    max_nodes_per_hop: int = 0  # a random sample of so many at each distance; 0: all
    hidden_channels: int = 32
    num_layers: int = 3  # and one more of a single channel, by which nodes are sorted
    use_features: bool = True  # beside the labels
    sort_share: float = 0.6  # of subgraphs that sort pooling keeps all nodes of
    num_labels: int = 1000  # rows of the table; farther nodes share the last one
    dropout: float = 0.5  # of the perceptron
    cache: str = ""  # a directory for the subgraphs of pairs that are scored; none: extracted each time

    def __post_init__(self) -> None:
        """Refuse values that make no network."""
        require_positive(self, "hops", "hidden_channels", "num_layers", "sort_share")
        if self.max_nodes_per_hop < 0:
            raise InvalidParameterError(
                f"max_nodes_per_hop must be 0, for all nodes, or more, not {self.max_nodes_per_hop}"
            )
        if self.sort_share > 1:
            raise InvalidParameterError(f"sort_share must be at most 1, not {self.sort_share}")
        if self.num_labels < 2:
            raise InvalidParameterError(f"num_labels must be at least 2, not {self.num_labels}")
        if not 0 <= self.dropout < 1:
            raise InvalidParameterError(f"dropout must be at least 0 and below 1, not {self.dropout}")

    @property
    def max_nodes(self) -> int | None:
        """The bound of nodes per hop, if there is one."""
        return self.max_nodes_per_hop or None


class SEALNetwork(LinkNetwork):
    """Graph convolutions, sort pooling, one-dimensional convolutions and a perceptron.

    The first convolution over the sorted nodes has the width of a node, so it is a linear map of each. It is applied
    before the nodes are sorted, layer by layer: then 16 channels are pooled, and the outputs of all layers are never
    written side by side.

    Parameters
    ----------
    in_channels
        Width of the features.
    k
        How many nodes of each subgraph are pooled.
    settings
        See `SEALSettings`.
    """

    hides_targets = False  # the link of each pair is taken out of its own subgraph, and of no other, as in the paper

    def __init__(self, in_channels: int, k: int, settings: SEALSettings) -> None:
        super().__init__()
        self.settings, self.k = settings, k
        width, layers = settings.hidden_channels, settings.num_layers
        self.labels = nn.Embedding(settings.num_labels, width)
        seen = width + (in_channels if settings.use_features else 0)
        # The last layer has one channel: the key that nodes are sorted by.
        self.layers = nn.ModuleList(
            nn.Linear(into, out) for into, out in zip([seen, *[width] * layers], [*[width] * layers, 1], strict=True)
        )
        for layer in self._layers():  # the start of PyG's GCNConv
            nn.init.xavier_uniform_(layer.weight)
            nn.init.zeros_(layer.bias)
        self.first = nn.Linear(width * layers + 1, FIRST_CHANNELS)
        self.second = nn.Conv1d(FIRST_CHANNELS, SECOND_CHANNELS, WINDOW)
        self.dense = nn.Sequential(
            nn.Linear((k // 2 - WINDOW + 1) * SECOND_CHANNELS, DENSE),
            nn.ReLU(),
            Dropout(settings.dropout),
            nn.Linear(DENSE, 1),
        )

    def encode(self, inputs: Inputs) -> Tensor:
        """Return nothing of each node: pairs are looked at one by one. What cannot fit into memory is refused here."""
        inputs.derive(self.measure)
        return torch.empty(inputs.graph.num_nodes, 0)

    def decode(self, embedding: Tensor, inputs: Inputs, pairs: Tensor) -> Tensor:
        """Return logits of shape (k,) for node pairs of shape (k, 2); so many at a time as fit into memory."""
        training = torch.is_grad_enabled()
        footprint, target = self.footprint(training), STEP_BYTES if training else CHUNK_BYTES
        parts = pairs.sort(dim=1).values.split(pairs_at_once(footprint.mean(inputs.derive(self.measure)), target))
        if not training or len(parts) == 1:
            found = [self._score(inputs, part) for part in parts]
        else:
            # What lies between the two passes is not kept but computed again: time for memory.
            found = [checkpoint(self._score, inputs, part, use_reentrant=False) for part in parts]
        return torch.cat(found) if found else pairs.new_empty(0, dtype=torch.float32)

    def footprint(self, training: bool) -> Footprint:
        """Return what a pair takes of memory."""
        width, num_layers = self.settings.hidden_channels, self.settings.num_layers
        return Footprint.of(width, num_layers, self.k, training=training, folded=width >= WIDE)

    def measure(self, graph: Graph) -> SubgraphSizes:
        """Return the sizes of subgraphs of a graph, unless they are too large."""
        settings = self.settings
        sizes = sample_sizes(graph, settings.hops, settings.max_nodes, torch.get_num_threads())
        require_memory(graph, sizes, self.footprint(training=True), settings.hops)
        return sizes

    def source(self, graph: Graph) -> StoredSubgraphs:
        """Return what finds the subgraphs of a graph."""
        settings = self.settings
        return StoredSubgraphs(graph, settings.cache, hops=settings.hops, max_nodes_per_hop=settings.max_nodes)

    def _score(self, inputs: Inputs, pairs: Tensor) -> Tensor:
        # Only pairs that are scored come again: those of training are drawn anew for every epoch.
        keep = not torch.is_grad_enabled()
        found = inputs.derive(self.source).find(pairs.numpy(), keep=keep, threads=torch.get_num_threads())
        return self.score_subgraphs(inputs, found)

    def score_subgraphs(self, inputs: Inputs, subgraphs: Subgraphs) -> Tensor:
        """Return a logit for every subgraph."""
        settings, rows = self.settings, None
        plan = plan_messages(
            subgraphs,
            settings.num_labels,
            settings.num_layers + 1,
            wide=settings.hidden_channels >= WIDE,
            features=settings.use_features,
        )
        weights = self.first.weight.split([*[settings.hidden_channels] * settings.num_layers, 1], dim=1)
        mapped, hidden = self._begin(inputs, plan), torch.empty(0)
        for number, (layer, weight) in enumerate(zip(self._layers(), weights, strict=True)):
            if number:
                mapped = hidden @ layer.weight.T
            hidden = torch.tanh(multiply(plan.steps[number], mapped).add_(layer.bias))
            part, parent = hidden @ weight.T, plan.parents[number]
            rows = part if rows is None else part + (rows if parent is None else gather(rows, parent))
        assert rows is not None
        pooled = sort_pool(subgraphs.offsets, hidden[:, 0], rows, self.k) + self.first.bias
        sequence = functional.max_pool1d(torch.relu(pooled).transpose(1, 2), 2)
        logits: Tensor = self.dense(torch.relu(self.second(sequence)).flatten(1)).squeeze(1)
        return logits

    def _layers(self) -> list[nn.Linear]:
        return cast("list[nn.Linear]", list(self.layers))

    def _begin(self, inputs: Inputs, plan: Plan) -> Tensor:
        """Return the product of the first layer's weights with the labels and features that rows begin with."""
        width, weight = self.settings.hidden_channels, self._layers()[0].weight
        table = self.labels.weight[: int(plan.labels.max(initial=0)) + 1]
        begun = gather(table @ weight[:, :width].T, plan.labels)
        if self.settings.use_features:
            begun = begun + project_features(inputs.x, weight[:, width:], plan.nodes)
        return begun


class SEAL(NeuralLinkModel):
    """SEAL: a DGCNN over the labelled subgraph around each pair, which tells paths, cycles and common neighbours.

    The link of a pair is taken out of its own subgraph; other links of the same batch stay in it, as in the original.

    Where this differs from the authors' code: negatives are drawn anew in every epoch and not once; every edge is
    trained on once in an epoch and not in both directions; gradients are clipped, as for all models; the pairs are put
    in order, so that both directions score the same; nodes that sort pooling finds equal are ordered by what is pooled
    of them and not by their number; labels from `num_labels` on share one embedding and are no error; and the samples
    of `max_nodes_per_hop` belong to the pair, so that a subgraph is the same in every epoch. The percentile of sort
    pooling is that of 500 edges and 500 random pairs. Of large graphs the authors take a share of the nodes per hop and
    of the links to train on; here `max_nodes_per_hop` bounds the former, and `links_per_epoch` of training the latter,
    with other links in each epoch.
    """

    name = "seal"
    runs_on_gpu = False  # subgraphs are joined, sorted and pooled by kernels for the CPU
    citation = (
        "Zhang, Chen: Link prediction based on graph neural networks, NeurIPS 2018; Zhang, Li, Xia, Wang, Jin: "
        "Labeling trick: a theory of using graph neural networks for multi-node representation learning, NeurIPS 2021"
    )
    Settings = SEALSettings
    search_space: ClassVar = {
        "hops": [1, 2, 3],
        "use_features": [True, False],
        "sort_share": [0.6, 0.9],
    }
    presets: ClassVar = {
        # The authors' code: 32 subgraphs at a time, for 50 epochs, and negatives of all nodes. A node of one link is
        # isolated without it; if negatives never were, isolated nodes would look like links.
        "*": Preset(
            training={
                "batch_size": 16,
                "learning_rate": 0.0001,
                "epochs": 50,
                "evaluate_every": 1,
                "exclude_isolated": False,
            }
        ),
        "cora": _LI | Preset({"use_features": False}, {"epochs": 1000}),
        "citeseer": _LI | Preset({"use_features": False}, {"epochs": 1000}),
        "pubmed": _LI | Preset({}, {"batch_size": 256, "epochs": 15}),
        # The authors' own; they take a fifth of the nodes at a distance of 1, which are some 200 there.
        "ogbl-ddi": Preset({"use_features": False, "max_nodes_per_hop": 200}, {"epochs": 10}),
        "ogbl-collab": Preset({"use_features": False, "hidden_channels": 256}),
        "ogbl-ppa": Preset({}, {"epochs": 20, "evaluate_every": 5}),
        "ogbl-citation2": Preset({}, {"epochs": 10}),
    }

    def check(self, graph: Graph) -> None:
        """Refuse a graph on which the subgraph of a single pair takes more memory than there is."""
        self.make_network(graph, num_channels(graph))

    def make_network(self, graph: Graph, in_channels: int) -> LinkNetwork:
        """Make the network; subgraphs of the graph decide how many nodes are pooled."""
        settings = self.settings
        sizes = sample_sizes(graph, settings.hops, settings.max_nodes, torch.get_num_threads())
        network = SEALNetwork(in_channels, sizes.num_sorted(settings.sort_share), settings)
        require_memory(graph, sizes, network.footprint(training=True), settings.hops)
        return network
