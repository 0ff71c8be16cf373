"""BUDDY."""

from typing import ClassVar

from edgeorbit.graph.graph import Graph
from edgeorbit.models.base import Preset
from edgeorbit.models.buddy.network import BuddyNetwork, BuddySettings
from edgeorbit.models.neural.model import LinkNetwork, NeuralLinkModel
from edgeorbit.pairwise.sketches.neighbourhoods import require_sketch_memory


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

    def make_network(self, graph: Graph, in_channels: int) -> LinkNetwork:
        """Make the network."""
        return BuddyNetwork(in_channels, self.settings)
