"""A GCN over features joined with an encoding of every node: DeepWalk, Laplacian eigenvectors, or random numbers.

Some encodings are computed once from the training graph and saved with the weights, others are drawn when needed.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from edgeorbit._randomness import Random
from edgeorbit.errors import InvalidParameterError
from edgeorbit.graph.graph import Graph
from edgeorbit.models.base import require_positive
from edgeorbit.models.encoder_models import EncoderModel, EncoderSettings
from edgeorbit.models.encoders import GCNEncoder, Joined
from edgeorbit.models.neural import device
from edgeorbit.models.neural.dropout import uniform_rows
from edgeorbit.models.neural.inputs import Inputs


class NodeEncoding(nn.Module, ABC):
    """Some numbers for every node of a graph.

    Attributes
    ----------
    channels : int
        How many numbers.
    """

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.channels = channels

    @abstractmethod
    def forward(self, inputs: Inputs) -> Tensor:
        """Return the encoding, shape (num_nodes, channels)."""


class StoredEncoding(NodeEncoding):
    """An encoding that is computed once and saved with the weights.

    It belongs to the nodes of one graph. It is computed when it is first needed, so that loading a saved one takes no
    longer than reading it.

    Parameters
    ----------
    num_nodes, channels
        The shape.
    compute
        Returns the encoding.
    scale
        What it is multiplied by.
    """

    values: Tensor

    def __init__(
        self, num_nodes: int, channels: int, compute: Callable[[], npt.NDArray[np.float32]], scale: float = 1.0
    ) -> None:
        super().__init__(channels)
        self.scale = scale
        self.register_buffer("values", torch.zeros(num_nodes, channels))
        self._compute: Callable[[], npt.NDArray[np.float32]] | None = compute
        self.register_state_dict_pre_hook(_complete)
        self.register_load_state_dict_post_hook(_forget)

    def complete(self) -> None:
        """Compute the encoding, unless it is there."""
        if self._compute is not None:
            self.values.copy_(self.scale * torch.from_numpy(self._compute()))
            self._compute = None

    def forget(self) -> None:
        """Take the encoding to be there: it was loaded."""
        self._compute = None

    def forward(self, inputs: Inputs) -> Tensor:
        """Return the encoding, shape (num_nodes, channels).

        Raises
        ------
        InvalidParameterError
            If the graph has not the nodes that were encoded.
        """
        if inputs.graph.num_nodes != len(self.values):
            raise InvalidParameterError(
                f"{inputs.graph.name} has {inputs.graph.num_nodes} nodes and the encoding belongs to "
                f"{len(self.values)}; give the graph that the model was trained on"
            )
        self.complete()
        nodes = inputs.nodes(len(inputs.degree))
        return self.values if nodes is None else self.values[device.place(nodes, self.values)]


def _complete(module: Any, *_: Any) -> None:
    module.complete()


def _forget(module: Any, *_: Any) -> None:
    module.forget()


class FlippedEncoding(StoredEncoding):
    """An encoding whose channels mean the same with the opposite sign: signs are drawn anew in every training step."""

    def forward(self, inputs: Inputs) -> Tensor:
        """Return the encoding, with the signs that it has unless it is in training."""
        values = super().forward(inputs)
        if not self.training:
            return values
        return values * (2 * torch.randint(2, (1, self.channels)) - 1).to(values.device)


class RandomEncoding(NodeEncoding):
    """Random numbers of mean 0 and variance 1, uniform: new ones in every training step, otherwise always the same.

    Parameters
    ----------
    channels
        How many numbers for each node.
    seed
        Of the numbers outside training; it is saved with the weights.
    """

    seed: Tensor

    def __init__(self, channels: int, seed: int) -> None:
        super().__init__(channels)
        self.register_buffer("seed", torch.tensor(seed))

    def forward(self, inputs: Inputs) -> Tensor:
        """Return the encoding, shape (num_nodes, channels)."""
        num_nodes = inputs.graph.num_nodes
        nodes = inputs.nodes(len(inputs.degree))
        if self.training:
            drawn = uniform_rows(np.arange(num_nodes, dtype=np.int32) if nodes is None else nodes, self.channels)
        else:
            every = Random(int(self.seed), "random features").uniform(num_nodes * self.channels)
            drawn = every.astype(np.float32).reshape(num_nodes, self.channels)
            drawn = drawn if nodes is None else drawn[nodes]
        return (2 * device.place(drawn, inputs.degree) - 1) * 3**0.5


def draw_seed() -> int:
    """Draw a seed from PyTorch's generator, which the seed of the model has set."""
    return int(torch.randint(2**31, ()).item())


class EncodedGCNEncoder(GCNEncoder):
    """Layers of a GCN, the first over features that are joined with an encoding of every node.

    Parameters
    ----------
    in_channels, hidden_channels, num_layers, dropout, layer_norm
        As for every encoder.
    encoding
        What is joined with the features.
    """

    def __init__(
        self,
        in_channels: int,
        hidden_channels: int,
        num_layers: int,
        dropout: float,
        layer_norm: bool,
        *,
        encoding: NodeEncoding,
    ) -> None:
        super().__init__(in_channels + encoding.channels, hidden_channels, num_layers, dropout, layer_norm)
        self.encoding = encoding

    def features(self, inputs: Inputs) -> Joined:
        """Return the features, joined with the encoding."""
        return Joined(inputs.x, self.encoding(inputs))


@dataclass(frozen=True)
class DeepWalkSettings(EncoderSettings):
    """The settings of a GCN with DeepWalk encodings."""

    encoding_channels: int = 64  # on Cora as good as 128, at half the time
    encoding_scale: float = 0.1  # beside features of size 1; at scale 1 training leans on what it knows of its targets
    walks_per_node: int = 10  # node2vec's; twice as many tell links from non-links no better on Cora
    walk_length: int = 40  # DeepWalk's
    window: int = 5  # half of DeepWalk's: half the time, and on Cora as good

    def __post_init__(self) -> None:
        """Refuse values that make no walks."""
        super().__post_init__()
        require_positive(self, "encoding_channels", "encoding_scale", "walks_per_node", "walk_length", "window")


class GCNDeepWalk(EncoderModel):
    """GCN over features joined with DeepWalk encodings, which are alike for nodes that random walks meet together.

    The encodings are computed once from the whole training graph, as in the literature: it holds no validation or test
    edge, but the target links of training, which messages do not see, have left their trace in them.
    """

    name = "gcn-dw"
    citation = "Perozzi, Al-Rfou, Skiena: DeepWalk: online learning of social representations, KDD 2014"
    encoder = EncodedGCNEncoder
    transductive = True
    Settings = DeepWalkSettings
    search_space: ClassVar = EncoderModel.search_space | {
        "encoding_channels": [32, 64, 128],
        "encoding_scale": [0.03, 0.1, 1.0],
        "window": [2, 5, 10],
    }

    def encoder_options(self, graph: Graph) -> dict[str, Any]:
        """Return the encoding."""
        from edgeorbit.models.neural.deepwalk import deepwalk

        chosen = self.settings
        compute = partial(
            deepwalk,
            graph,
            chosen.encoding_channels,
            walks_per_node=chosen.walks_per_node,
            walk_length=chosen.walk_length,
            window=chosen.window,
            seed=draw_seed(),
        )
        encoding = StoredEncoding(graph.num_nodes, chosen.encoding_channels, compute, chosen.encoding_scale)
        return {"encoding": encoding}


@dataclass(frozen=True)
class LaplacianSettings(EncoderSettings):
    """The settings of a GCN with Laplacian encodings."""

    encoding_channels: int = 32  # eigenvectors; by themselves they tell links of Cora better than 16 or 64 do
    encoding_scale: float = 0.1  # beside features of size 1; at scale 1 training leans on what it knows of its targets

    def __post_init__(self) -> None:
        """Refuse an encoding without channels."""
        super().__post_init__()
        require_positive(self, "encoding_channels", "encoding_scale")


class GCNLaplacian(EncoderModel):
    """GCN over features joined with Laplacian eigenvectors, which tell where in the graph a node lies.

    The sign of an eigenvector means nothing: it is drawn anew in every training step, and otherwise a fixed one. The
    eigenvectors are computed once from the whole training graph, as in the literature: it holds no validation or test
    edge, but the target links of training, which messages do not see, have left their trace in them.
    """

    name = "gcn-lap"
    citation = (
        "Dwivedi, Joshi, Luu, Laurent, Bengio, Bresson: Benchmarking graph neural networks, Journal of Machine "
        "Learning Research 24, 2023"
    )
    encoder = EncodedGCNEncoder
    transductive = True
    Settings = LaplacianSettings
    search_space: ClassVar = EncoderModel.search_space | {
        "encoding_channels": [8, 16, 32, 64],
        "encoding_scale": [0.03, 0.1, 1.0],
    }

    def encoder_options(self, graph: Graph) -> dict[str, Any]:
        """Return the encoding."""
        from edgeorbit.models.neural.laplacian import laplacian_eigenvectors

        channels = self.settings.encoding_channels
        compute = partial(laplacian_eigenvectors, graph, channels)
        encoding = FlippedEncoding(graph.num_nodes, channels, compute, self.settings.encoding_scale)
        return {"encoding": encoding}


@dataclass(frozen=True)
class RandomFeatureSettings(EncoderSettings):
    """The settings of a GCN with random features."""

    encoding_channels: int = 64  # as many as random features have

    def __post_init__(self) -> None:
        """Refuse an encoding without channels."""
        super().__post_init__()
        require_positive(self, "encoding_channels")


class GCNRandom(EncoderModel):
    """GCN over features joined with random ones, which tell all nodes apart: new in every training step.

    Outside training they are always the same. They belong to no node, so the model can be used on another graph.
    """

    name = "gcn-rf"
    citation = "Sato, Yamada, Kashima: Random features strengthen graph neural networks, SDM 2021"
    encoder = EncodedGCNEncoder
    Settings = RandomFeatureSettings
    search_space: ClassVar = EncoderModel.search_space | {"encoding_channels": [16, 64, 256]}

    def encoder_options(self, graph: Graph) -> dict[str, Any]:
        """Return the encoding."""
        encoding = RandomEncoding(self.settings.encoding_channels, draw_seed())
        return {"encoding": encoding}
