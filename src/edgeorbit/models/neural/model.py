"""Link predictors with weights: a network that encodes a graph, and decodes node pairs."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import deepcopy
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode

from edgeorbit._memory import available_memory, size_in_words
from edgeorbit.data.features import num_channels
from edgeorbit.errors import InvalidParameterError, LimitExceededError
from edgeorbit.graph.convert import from_edge_index
from edgeorbit.graph.graph import Graph
from edgeorbit.models.base import LinkModel
from edgeorbit.models.neural.inputs import Inputs
from edgeorbit.models.neural.scoring import NetworkScorer

MAKERS = {torch.empty, torch.zeros, torch.ones, torch.full, torch.rand, torch.randn}
Objective = Callable[[Tensor, Tensor], Tensor]  # `edgeorbit.training.losses` has them by name
COPIES = 4  # of the weights in training: themselves, their gradients, and two moments


class LinkNetwork(nn.Module, ABC):
    """The network of a link predictor.

    It is trained in single precision, and a copy of it scores in double. So tensors that it makes itself take the type
    of its weights or of `inputs.degree`, as `edgeorbit.models.neural.device.place` has it.

    Attributes
    ----------
    hides_targets : bool
        Whether the links of a batch are hidden from the graph that it is trained on. A network that is given the
        whole training graph must not look at the link between the two nodes of a pair, nor at what gives it away.
    hops : int or None
        How far what an embedding depends on is from its node. With a number, inputs may have some `rows` alone: then
        `encode` returns the rows of the nodes that `reads` names, and `decode` finds them by `inputs.local`. None: all
        rows are computed.
    in_pieces : bool
        Whether pairs may be decoded some at a time: the logit of a pair depends on no other pair.
    pairs_at_once : int
        How many pairs are decoded together in scoring. What layers write for few pairs stays in the cache and in memory
        that is used again; but a network that prepares something for every call takes more.
    copies_embedding : bool
        Whether `decode` copies the embedding that it is given, so that scoring gives it the rows of its pairs alone.
    """

    hides_targets: ClassVar[bool] = True
    scores_in_double: bool = True  # not so for a user's module whose layers are tied to single precision
    hops: int | None = None
    in_pieces: bool = False
    pairs_at_once: int = 1 << 16
    copies_embedding: bool = False

    def forward(self, x: Any, edge_index: Any, edge_label_index: Any) -> Tensor:
        """Return a logit for every pair, in PyG's shapes.

        Parameters
        ----------
        x
            Features of shape (num_nodes, in_channels).
        edge_index
            Edges that messages are passed along, shape (2, m), in one or both directions.
        edge_label_index
            Pairs to score, shape (2, k).
        """
        graph = from_edge_index(edge_index, len(x), x=x.detach().cpu().numpy() if isinstance(x, Tensor) else x)
        inputs = Inputs.of(graph).to(next(self.parameters()).device)
        return self.decode_all(self.encode(inputs), inputs, torch.as_tensor(edge_label_index).T.contiguous().cpu())

    @abstractmethod
    def encode(self, inputs: Inputs) -> Tensor:
        """Return an embedding of every node, of width 0 if pairs are looked at one by one.

        Of inputs with `rows` it may have those of the first nodes alone.
        """

    @abstractmethod
    def decode(self, embedding: Tensor, inputs: Inputs, pairs: Tensor) -> Tensor:
        """Return logits of shape (k,) for node pairs of shape (k, 2), which are in main memory."""

    def decode_all(self, embedding: Tensor, inputs: Inputs, pairs: Tensor) -> Tensor:
        """Return logits of any number of node pairs."""
        if len(pairs) <= self.pairs_at_once:
            return self.decode(embedding, inputs, pairs) if len(pairs) else embedding.new_empty(0)
        return torch.cat([self.decode(embedding, inputs, part) for part in pairs.split(self.pairs_at_once)])

    def reads(self, inputs: Inputs, pairs: Tensor) -> npt.NDArray[np.integer[Any]]:
        """Return the nodes whose embeddings the logits of pairs depend on, in any order and any number of times."""
        return pairs.numpy().ravel()

    def loss(self, inputs: Inputs, positives: Tensor, negatives: Tensor, objective: Objective) -> Tensor:
        """Return what training makes smaller: the mean of `losses`."""
        return self.losses(self.encode(inputs), inputs, positives, negatives, objective).mean()

    def losses(
        self, embedding: Tensor, inputs: Inputs, positives: Tensor, negatives: Tensor, objective: Objective
    ) -> Tensor:
        """Return the loss of every link, shape (p,).

        Parameters
        ----------
        embedding
            What `encode` makes of the inputs.
        inputs
            The graph that messages are passed on.
        positives
            Links, shape (p, 2).
        negatives
            The negatives of each link, shape (p, k, 2).
        objective
            From logits of shape (p,) and (p, k) to a loss per link (`edgeorbit.training.losses`).
        """
        pairs = torch.cat([positives, negatives.reshape(-1, 2)])
        return objective(*by_link(self.decode(embedding, inputs, pairs), len(positives)))


def by_link(logits: Tensor, num_links: int) -> tuple[Tensor, Tensor]:
    """Divide the logits of links, followed by those of the negatives of each, into shapes (p,) and (p, k).

    >>> by_link(torch.arange(6), 2)
    (tensor([0, 1]), tensor([[2, 3],
            [4, 5]]))
    """
    positive, negative = logits.split([num_links, len(logits) - num_links])
    return positive, negative.view(num_links, -1)


def in_double(network: LinkNetwork) -> LinkNetwork:
    """Return a copy of a network in double precision, as it scores."""
    state = network.state_dict(keep_vars=True).values()  # asked for, a network completes what it computes when needed
    doubled: dict[int, Any] = {
        id(values): nn.Parameter(values.detach().double()) if isinstance(values, nn.Parameter) else values.double()
        for values in state
        if values.is_floating_point()
    }
    return deepcopy(network, doubled).eval()  # weights are taken from there instead of being copied


class NeuralLinkModel(LinkModel):
    """A link predictor whose scores are the logits of a network."""

    trainable = True
    runs_on_gpu = True

    def __init__(self, /, **settings: Any) -> None:
        super().__init__(**settings)
        self._network: LinkNetwork | None = None

    def check(self, graph: Graph) -> None:
        """Refuse a graph that the model cannot be trained on, with the way out, before anything is written."""

    def prepared_memory(self, graph: Graph) -> int:
        """Return about how many bytes take what the network derives from a graph, for an estimate beforehand."""
        return 0

    @abstractmethod
    def make_network(self, graph: Graph, in_channels: int) -> LinkNetwork:
        """Make the network, with random weights, for features of so many channels."""

    def build(self, graph: Graph, seed: int) -> LinkNetwork:
        """Make the network for a graph; the seed decides its weights."""
        torch.manual_seed(seed)
        with within_memory(self.name):
            self._network = self.make_network(graph, num_channels(graph))
        return self._network

    @property
    def device(self) -> torch.device:
        """Where the weights are, which `network.to` changes."""
        return next(self.network.parameters()).device

    @property
    def network(self) -> LinkNetwork:
        """The network, once it is built."""
        if self._network is None:
            raise InvalidParameterError(f"{self.name} has no weights yet; train it, or load a trained one")
        return self._network

    def use_threads(self, threads: int) -> None:
        """Let PyTorch take so many threads."""
        torch.set_num_threads(threads)

    def place(self, device: str) -> None:
        """Move the weights to a device."""
        self.network.to(device)

    def embed(self, graph: Graph) -> npt.NDArray[np.float32] | None:
        """Return an embedding of every node, for the search of likely links, if the model has one."""
        return self.on(graph).embedding

    def on(self, graph: Graph) -> NetworkScorer:
        """Return a function that scores node pairs; the graph is encoded once.

        Scores are computed in double precision and rounded to single (24 bits), once, at the end. In single precision
        alone the last bits of a score depend on the order of neighbours and on what is scored together, and break ties
        between pairs that the network cannot distinguish. In double precision they are off by some 1e-15, so that fewer
        than one in ten million such pairs are rounded to different scores.
        """
        return NetworkScorer(*self._scoring(graph))

    def _scoring(self, graph: Graph) -> tuple[LinkNetwork, Inputs]:
        """Return the network and its inputs in the precision that scores are computed in."""
        inputs = Inputs.of(graph).to(self.device)
        if self.network.scores_in_double:
            return in_double(self.network), inputs.double()
        return deepcopy(self.network).eval(), inputs


@contextmanager
def within_memory(model: str) -> Iterator[None]:
    """Refuse, in the block, to make tensors that leave no memory to train them.

    Raises
    ------
    LimitExceededError
        With the way out.

    Examples
    --------
    >>> with within_memory("gcn"):
    ...     torch.nn.Linear(10**9, 10**9)
    Traceback (most recent call last):
    ...
    edgeorbit.errors.LimitExceededError: gcn: its weights take 3,725,290,298.5 GB ...
    """
    memory = available_memory()
    with _Budget(model, memory):
        yield


class _Budget(TorchFunctionMode):
    """Asks how large a tensor will be, of one without memory, before it is made."""

    def __init__(self, model: str, memory: int | None) -> None:
        super().__init__()
        self.model, self.memory, self.taken = model, memory, 0

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: Sequence[type],
        args: Sequence[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        given = dict(kwargs or {})
        if self.memory is not None and func in MAKERS:
            shape = {key: value for key, value in given.items() if key != "generator"}
            self.taken += func(*args, **shape | {"device": "meta"}).nbytes
            if COPIES * self.taken > self.memory:
                raise LimitExceededError(
                    f"{self.model}: its weights take {size_in_words(self.taken)} with these settings and training "
                    f"{COPIES} times as much, and {size_in_words(self.memory)} are available; choose fewer channels or "
                    "layers, or a larger machine"
                )
        return func(*args, **given)
