"""The user's own PyTorch modules as link predictors.

A module in PyG's shape becomes a model that is trained, evaluated, tuned and saved like every other one. Three shapes
are recognised by the arguments of `forward` and by the methods `encode` and `decode`:

| shape | what the module has |
| --- | --- |
| encoder and decoder in one | `forward(x, edge_index, edge_label_index)`, which returns a logit for every pair |
| autoencoder | `encode(x, edge_index)` and `decode(z, edge_label_index)`, as in PyG's link prediction examples |
| encoder | `forward(x, edge_index)`, which returns an embedding of every node; the decoder is ours |

Links are undirected: a module scores both orders of a pair, and the mean counts, so that it cannot learn which order
the links of a data set are stored in.
"""

import inspect
from copy import deepcopy
from dataclasses import asdict, dataclass, field, fields, make_dataclass
from typing import Any, ClassVar, Literal

import numpy as np
import torch
from torch import Tensor, nn

from edgeorbit._memory import available_memory, size_in_words
from edgeorbit.errors import BadScoresError, EdgeorbitError, InvalidParameterError
from edgeorbit.graph.graph import Graph
from edgeorbit.models.base import Pairs, Scorer, Scores, Settings, require_positive
from edgeorbit.models.neural.decoders import DECODERS, pair_product
from edgeorbit.models.neural.inputs import Inputs
from edgeorbit.models.neural.model import LinkNetwork, NeuralLinkModel, in_double
from edgeorbit.models.neural.product import Matrix, multiply

Shape = Literal["pairs", "autoencoder", "encoder"]
FILLED = ("in_channels", "num_nodes")  # arguments of a constructor that depend on the graph
USUAL: dict[str, Any] = {
    "hidden_channels": 64,
    "out_channels": 64,
    "num_layers": 2,
    "dropout": 0.0,
}  # if it has no default
EMBEDDING_CHANNELS = 64  # of nodes without features, instead of a column for every node
DENSE_SHARE = 0.25  # of the memory that dense features may take
TRIED_PAIRS = 5


@dataclass(frozen=True)
class ModuleSettings(Settings):
    """The settings of a module that has none of its own."""


@dataclass(frozen=True)
class EncoderModuleSettings(Settings):
    """The settings of the decoder that an encoder is given."""

    decoder: str = "mlp"
    decoder_layers: int = 2

    def __post_init__(self) -> None:
        """Validate the settings."""
        require_positive(self, "decoder_layers")
        if self.decoder not in DECODERS:
            known = ", ".join(DECODERS)
            raise InvalidParameterError(f"there is no decoder {self.decoder!r}; choose from {known}")


class ModuleNetwork(LinkNetwork):
    """A user's module, completed by an embedding of nodes without features, and by a decoder."""

    def __init__(self, name: str, module: nn.Module, shape: Shape, num_nodes: int | None) -> None:
        super().__init__()
        self.name, self.shape = name, shape
        self.module: Any = module
        self.embedding = None if num_nodes is None else nn.Parameter(torch.randn(num_nodes, EMBEDDING_CHANNELS))
        self.decoder: Any = None
        self._dense: tuple[Matrix, Tensor] | None = None  # sparse features, and their dense tensor
        self.takes_weight = "edge_weight" in inspect.signature(self._encoder).parameters

    @property
    def _encoder(self) -> Any:
        return self.module.encode if self.shape == "autoencoder" else self.module.forward

    def encode(self, inputs: Inputs) -> Tensor:
        """Return an embedding of every node; of width 0 if the module encodes and decodes in one call."""
        if self.shape == "pairs":
            return inputs.degree.new_empty(len(inputs.degree), 0)
        call: Any = self.module if self.shape == "encoder" else self.module.encode
        embedding = call(*self._arguments(inputs), **self._weight(inputs))
        num_nodes = len(inputs.degree)
        if not isinstance(embedding, Tensor) or embedding.ndim != 2 or len(embedding) != num_nodes:
            raise InvalidParameterError(
                f"{self.name}: the encoder must return an embedding of every node, shape ({num_nodes}, channels), got "
                f"{_shape_of(embedding)}"
            )
        return embedding

    def decode(self, embedding: Tensor, inputs: Inputs, pairs: Tensor) -> Tensor:
        """Return logits of shape (k,): the mean of both orders of a pair."""
        if self.decoder is not None:
            logits: Tensor = self.decoder(pair_product(embedding, pairs))
            return logits
        both = torch.cat([pairs, pairs.flip(1)]).T.contiguous().to(inputs.degree.device)
        if self.shape == "autoencoder":
            decode: Any = self.module.decode
            scores = decode(embedding, both)
        else:
            scores = self.module(*self._arguments(inputs), both, **self._weight(inputs))
        if isinstance(scores, Tensor) and scores.shape == (2 * len(pairs), 1):
            scores = scores.squeeze(1)
        if not isinstance(scores, Tensor) or scores.shape != (2 * len(pairs),):
            raise BadScoresError(
                f"{self.name}: must return one score per pair, shape ({2 * len(pairs)},), got {_shape_of(scores)}"
            )
        return (scores[: len(pairs)] + scores[len(pairs) :]) / 2

    def _arguments(self, inputs: Inputs) -> tuple[Tensor, Tensor]:
        """Return `x` and `edge_index` in PyG's shapes."""
        edge_index = inputs.derive(_edge_index)  # of the graph that a perturbation leaves
        x = inputs.x
        if self.embedding is not None:
            x = multiply(x, self.embedding) if isinstance(x, Matrix) else x @ self.embedding
        elif isinstance(x, Matrix):
            if self._dense is None or self._dense[0] is not x:
                self._dense = x, _dense(x)
            x = self._dense[1]
        return x.to(inputs.degree.device, inputs.degree.dtype), edge_index.to(inputs.degree.device)

    def _weight(self, inputs: Inputs) -> dict[str, Tensor]:
        """Return the weights of edges that a perturbation rescales, if the module takes any."""
        values = inputs.adjacency.values
        if not len(values) or not self.takes_weight:
            return {}
        return {"edge_weight": torch.as_tensor(np.array(values)).to(inputs.degree)}


class ModuleModel(NeuralLinkModel):
    """A link predictor whose network is a user's module; `module_model` makes a subclass for each.

    Attributes
    ----------
    template : nn.Module or type of nn.Module
        The class, whose constructor is given what depends on the graph and the settings; or an instance, which is
        copied and, where its parts have `reset_parameters`, given fresh weights by the seed.
    shape : str
        `pairs`, `autoencoder` or `encoder`.
    """

    template: ClassVar[Any]
    shape: ClassVar[Shape]

    def __reduce__(self) -> Any:
        """Let other processes make the class anew: its name is that of the user's module."""
        return _made_anew, (self.template, self.name, asdict(self.settings)), {"_network": self._network}

    def make_network(self, graph: Graph, in_channels: int) -> LinkNetwork:
        """Make the module, add what is missing, and run it once on the graph."""
        is_identity = in_channels == graph.num_nodes and _is_identity(graph.x)
        channels = EMBEDDING_CHANNELS if is_identity else in_channels
        network = ModuleNetwork(
            self.name, self._make(graph, channels), self.shape, graph.num_nodes if is_identity else None
        )
        if not is_identity:
            _require_dense(self.name, graph, in_channels)
        try:
            self._complete(network, Inputs.of(graph))
        except EdgeorbitError:
            raise
        except Exception as error:  # whatever the user's code raises
            note = "an embedding that is learned, as the graph has no node features" if is_identity else ""
            raise InvalidParameterError(
                f"{_failure(self.name, graph, channels, note, error)}; make it for features of this width, or give the "
                "class instead of an instance, with an argument in_channels"
            ) from error
        return network

    def _make(self, graph: Graph, in_channels: int) -> nn.Module:
        if isinstance(self.template, nn.Module):
            module = deepcopy(self.template)
            for part in module.modules():
                reset: Any = getattr(part, "reset_parameters", None)
                if callable(reset):
                    reset()
            return module
        own = {each.name for each in fields(EncoderModuleSettings)} if self.shape == "encoder" else set()
        given = {each.name: getattr(self.settings, each.name) for each in fields(self.settings) if each.name not in own}
        known = {"in_channels": in_channels, "num_nodes": graph.num_nodes}
        taken = inspect.signature(self.template).parameters
        try:
            module = self.template(**{name: value for name, value in known.items() if name in taken}, **given)
        except Exception as error:  # whatever the user's code raises
            raise InvalidParameterError(f"{self.name} cannot be made with {given}: {error}") from error
        assert isinstance(module, nn.Module)
        return module

    def _complete(self, network: ModuleNetwork, inputs: Inputs) -> None:
        """Run the module once, which initializes lazy layers, and check what it returns."""
        network.eval()
        with torch.no_grad():
            embedding = network.encode(inputs)
            if self.shape == "encoder":
                network.decoder = DECODERS[self.settings.decoder](embedding.shape[1], self.settings.decoder_layers, 0.0)
                network.decoder.eval()
            count = min(TRIED_PAIRS, inputs.graph.num_nodes)
            scores = network.decode(embedding, inputs, torch.arange(2 * count).reshape(-1, 2) % inputs.graph.num_nodes)
            if not torch.isfinite(scores).all():
                raise BadScoresError(
                    f"{self.name}: returns NaN or infinite scores before training; check its forward pass"
                )
            network.scores_in_double = _runs_in_double(network, inputs)
        network.train()

    def remarks(self, graph: Graph) -> list[str]:
        """Return what the owner of a graph should know of the model on it."""
        if self._network is None or self._network.scores_in_double:
            return []
        return ["it does not run in double precision, so that rounding can break ties between indistinguishable pairs"]


def module_model(module: type[nn.Module] | nn.Module, name: str | None = None) -> type[ModuleModel]:
    """Return the model class of a user's module.

    Parameters
    ----------
    module
        An `nn.Module` class, whose arguments with a default become settings, or an instance.
    name
        The name of the model; by default `module:Class`.

    Raises
    ------
    InvalidParameterError
        If the module has none of the three shapes, or its constructor has an argument without a default.

    Examples
    --------
    >>> from torch_geometric.nn import GraphSAGE
    >>> model = module_model(GraphSAGE)
    >>> model.shape, model(hidden_channels=32).settings.hidden_channels
    ('encoder', 32)
    """
    kind = module if isinstance(module, type) else type(module)
    name = name or f"{kind.__module__}:{kind.__qualname__}"
    shape = _shape(kind, name)
    settings = _settings(kind, shape, name) if isinstance(module, type) else _base(shape)
    is_transductive = isinstance(module, type) and "num_nodes" in inspect.signature(module).parameters
    attributes = {
        "__doc__": inspect.getdoc(kind) or f"The user's module {kind.__qualname__}.",
        "__module__": kind.__module__,
        "name": name,
        "citation": f"{kind.__module__}.{kind.__qualname__}",
        "Settings": settings,
        "template": module if isinstance(module, type) else deepcopy(module),
        "shape": shape,
        "transductive": is_transductive,
        "search_space": {"decoder": ["dot", "mlp"], "decoder_layers": [1, 2, 3]} if shape == "encoder" else {},
    }
    return type(kind.__name__, (ModuleModel,), attributes)


def _made_anew(module: Any, name: str, settings: dict[str, Any]) -> ModuleModel:
    return module_model(module, name)(**settings)


def module_scorer(module: nn.Module, graph: Graph, name: str) -> Scorer:
    """Return a function that scores node pairs by a module that is trained already, from this graph alone.

    An encoder is scored by inner products.
    """
    network = ModuleNetwork(name, module, _shape(type(module), name), None)
    if network.shape == "encoder":
        network.decoder = DECODERS["dot"](0, 0, 0.0)
    was_training = module.training
    inputs = Inputs.of(graph)

    def score(pairs: Pairs) -> Scores:
        module.eval()
        try:
            with torch.no_grad():
                ends = torch.from_numpy(np.ascontiguousarray(pairs, np.int64))
                scores: Scores = network.decode_all(network.encode(inputs), inputs, ends).cpu().numpy()
        except EdgeorbitError:
            raise
        except Exception as error:  # whatever the user's code raises
            channels = 0 if graph.x is None else graph.x.shape[1]
            note = "a column for every node, as the graph has no node features" if _is_identity(graph.x) else ""
            raise InvalidParameterError(
                f"{_failure(name, graph, channels, note, error)}; give a split with the features that it was trained on"
            ) from error
        finally:
            module.train(was_training)
        return scores

    return score


def _failure(name: str, graph: Graph, channels: int, note: str, error: Exception) -> str:
    """Return how a user's module failed on a graph, and which features it was given."""
    problem = str(error).strip().partition("\n")[0]
    x = ", ".join(filter(None, [f"x has shape ({graph.num_nodes}, {channels})", note]))
    return f"{name} fails on {graph.name} ({type(error).__name__}: {problem}): {x}"


def _shape(kind: type, name: str) -> Shape:
    """Return which of the three shapes a class of modules has."""
    if callable(getattr(kind, "encode", None)) and callable(getattr(kind, "decode", None)):
        return "autoencoder"
    parameters = [*inspect.signature(kind.forward).parameters.values()][1:]  # type: ignore[attr-defined]
    required = [
        each
        for each in parameters
        if each.default is each.empty and each.kind in (each.POSITIONAL_ONLY, each.POSITIONAL_OR_KEYWORD)
    ]
    if any(each.name == "edge_label_index" for each in parameters) or len(required) == 3:
        return "pairs"
    if len(required) == 2:
        return "encoder"
    given = ", ".join(each.name for each in parameters)
    raise InvalidParameterError(
        f"{name}: forward({given}) has an unknown shape; give forward(x, edge_index, edge_label_index), "
        "forward(x, edge_index), or encode(x, edge_index) and decode(z, edge_label_index)"
    )


def _base(shape: Shape) -> type[Settings]:
    return EncoderModuleSettings if shape == "encoder" else ModuleSettings


def _settings(kind: type, shape: Shape, name: str) -> type[Settings]:
    """Return a dataclass of the constructor's arguments that are numbers, text or switches."""
    settings = []
    for each in inspect.signature(kind).parameters.values():
        if each.name in FILLED or each.kind in (each.VAR_POSITIONAL, each.VAR_KEYWORD):
            continue
        default = USUAL.get(each.name, each.empty) if each.default is each.empty else each.default
        if default is each.empty:
            raise InvalidParameterError(
                f"{name}: its argument {each.name!r} has no default; give it one, or give an instance instead of the "
                f"class"
            )
        if isinstance(default, bool | int | float | str):
            settings.append((each.name, type(default), field(default=default)))
    return make_dataclass(f"{kind.__name__}Settings", settings, bases=(_base(shape),), frozen=True)


def _runs_in_double(network: ModuleNetwork, inputs: Inputs) -> bool:
    try:
        double, doubled = inputs.double(), in_double(network)
        pairs = torch.zeros((1, 2), dtype=torch.int64)
        return doubled.decode(doubled.encode(double), double, pairs).dtype is torch.float64
    except (RuntimeError, TypeError):  # layers that are tied to single precision
        return False


def _is_identity(x: Any) -> bool:
    """Return whether features are a column for every node."""
    if x is None or isinstance(x, np.ndarray) or x.shape[0] != x.shape[1] or x.nnz != x.shape[0]:
        return False
    return bool((x.indices == np.arange(x.shape[0])).all() and (x.data == 1).all())


def _require_dense(name: str, graph: Graph, channels: int) -> None:
    needed, memory = graph.num_nodes * channels * 8, available_memory()
    if memory is not None and needed > DENSE_SHARE * memory:
        raise InvalidParameterError(
            f"{name}: dense features of {graph.name} take {size_in_words(needed)}, and {size_in_words(memory)} are "
            "available; give fewer features, or take constant or degree features"
        )


def _edge_index(graph: Graph) -> Tensor:
    return torch.from_numpy(graph.edge_index)


def _dense(matrix: Matrix) -> Tensor:
    import scipy.sparse

    values = matrix.values if len(matrix.values) else np.ones(len(matrix.indices), np.float32)
    sparse = scipy.sparse.csr_array((values, matrix.indices, matrix.indptr), shape=matrix.shape)
    return torch.from_numpy(sparse.toarray())


def _shape_of(value: Any) -> str:
    return f"shape {tuple(value.shape)}" if isinstance(value, Tensor) else f"a {type(value).__name__}"
