"""The network of SEAL: a DGCNN over labelled enclosing subgraphs."""

from typing import cast

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.utils.checkpoint import checkpoint

from edgeorbit.graph.graph import Graph
from edgeorbit.models.neural.dropout import Dropout
from edgeorbit.models.neural.inputs import Inputs
from edgeorbit.models.neural.model import LinkNetwork
from edgeorbit.models.neural.product import multiply
from edgeorbit.models.neural.rows import gather
from edgeorbit.models.seal.estimate import (
    CHUNK_BYTES,
    STEP_BYTES,
    Footprint,
    SubgraphSizes,
    pairs_at_once,
    require_memory,
    sample_sizes,
)
from edgeorbit.models.seal.plan import WIDE, Plan, plan_messages
from edgeorbit.models.seal.settings import SEALSettings
from edgeorbit.models.seal.sort_pooling import sort_pool
from edgeorbit.models.seal.stored_subgraphs import StoredSubgraphs
from edgeorbit.models.seal.union import project_features
from edgeorbit.pairwise.enclosing_subgraphs import Subgraphs

FIRST_CHANNELS, SECOND_CHANNELS, WINDOW, DENSE = 16, 32, 5, 128  # of the DGCNN paper, as SEAL has them


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
