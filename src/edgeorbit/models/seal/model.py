"""SEAL."""

from typing import ClassVar

import torch

from edgeorbit.data.features import num_channels
from edgeorbit.graph.graph import Graph
from edgeorbit.models.base import Preset
from edgeorbit.models.neural.model import LinkNetwork, NeuralLinkModel
from edgeorbit.models.seal.estimate import require_memory, sample_sizes
from edgeorbit.models.seal.network import SEALNetwork
from edgeorbit.models.seal.settings import SEALSettings

# The comparison of Li et al. 2023 in its existing setting; its batches of 1024 subgraphs are 512 links and 512 others.
_LI = Preset(
    {"hops": 3, "hidden_channels": 256},
    {"batch_size": 512, "learning_rate": 0.01, "evaluate_every": 1, "patience": 20},
)


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
    runs_on_gpu = False  # subgraphs are joined, sorted and pooled by kernels for the processor
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
