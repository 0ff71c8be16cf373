"""What a link predictor is: something that scores node pairs of a graph."""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import Any, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from edgeorbit._text import KIND_WORDS, shown
from edgeorbit.errors import InvalidParameterError
from edgeorbit.graph.graph import Graph

MOST_LAYERS = 1000  # each of them is a module, and a round over the graph
REPEATED = ("layers", "hops", "depth", "K")
LARGEST_NUMBER = 2**31 - 1  # that a setting can be

Scores = npt.NDArray[np.floating[Any]]
Pairs = npt.NDArray[np.int64]  # of nodes, shape (k, 2)
Scorer = Callable[[Pairs], Scores]  # from k pairs to k scores


@dataclass(frozen=True)
class Settings:
    """The settings of a model without any; models derive their own, with a default for each field.

    They are dataclasses and not pydantic models: `--set` and trials give text, which is converted by the type of the
    default with a sentence of our own for every mistake, and listing models must not wait for pydantic.
    """

    @classmethod
    def from_mapping(cls, given: Mapping[str, Any], model: str) -> "Settings":
        """Return the defaults with the given values in their place, after checking names and types.

        Raises
        ------
        InvalidParameterError
            If there is no setting of that name, or the value is of another type.
        """
        known = {field.name: field for field in fields(cls)}
        values = {}
        for name, value in given.items():
            if name not in known:
                raise InvalidParameterError(
                    f"{model} has no setting {name!r}; its settings are: {', '.join(known) or 'none'}"
                )
            values[name] = _converted(model, name, value, known[name].default)
        return cls(**values)


def _converted(model: str, name: str, value: Any, default: Any) -> Any:
    """Return a value, which may be text, as the type that the default has."""
    kind = type(default)
    try:
        if kind is bool:
            return {"true": True, "false": False}[str(value).lower()]
        if kind is int and float(value) != int(value):
            raise ValueError
        converted = kind(value)
    except (ValueError, TypeError, KeyError, OverflowError):
        what = KIND_WORDS.get(kind, kind.__name__)
        raise InvalidParameterError(f"{model}: setting {name} is {what}, not {shown(repr(value))}") from None
    if kind is float and not math.isfinite(converted):
        raise InvalidParameterError(f"{model}: setting {name} must be finite, not {shown(value)}")
    if kind in (int, float) and abs(converted) > LARGEST_NUMBER:
        raise InvalidParameterError(f"{model}: setting {name} must be at most {LARGEST_NUMBER}, not {shown(value)}")
    return converted


def require_positive(settings: Settings, *names: str) -> None:
    """Raise `InvalidParameterError` unless these settings are at least 1 or, if they are no whole numbers, above 0.

    Layers, and what else is repeated for every one of a number, are at most `MOST_LAYERS`.
    """
    for name in names:
        value = getattr(settings, name)
        if isinstance(value, int) and value < 1:
            raise InvalidParameterError(f"{name} must be at least 1, not {value}")
        if name.endswith(REPEATED) and value > MOST_LAYERS:
            raise InvalidParameterError(f"{name} must be at most {MOST_LAYERS}, not {value}")
        if not 0 < value < math.inf:
            raise InvalidParameterError(f"{name} must be above 0 and finite, not {value}")


class Trained(NamedTuple):
    """What training found: the best value on validation, its epoch, and the course."""

    best: float
    best_epoch: int
    history: list[dict[str, float]]


class Preset(NamedTuple):
    """Settings of a model and of its training instead of the general defaults."""

    settings: Mapping[str, Any] = {}
    training: Mapping[str, Any] = {}

    def __or__(self, other: "Preset") -> "Preset":
        """Return both together; where they differ, the other one counts."""
        return Preset({**self.settings, **other.settings}, {**self.training, **other.training})


class LinkModel(ABC):
    """A link predictor.

    A model sees a graph only through `on`: what it is given there, features included, is all that its scores may
    depend on. A new model is one subclass; `edgeorbit.models.MODELS` finds it by name.

    Attributes
    ----------
    name : str
        The name it is asked for by.
    citation : str
        What to cite.
    Settings : type
        A frozen dataclass; every field has a default, and a comment says why this one.
    search_space : mapping
        For each setting of its own worth searching, the values to try. Those that most models have (width, layers,
        dropout, learning rate, batch) are searched for all in the same ranges, unless a model names its own here.
    presets : mapping
        By name of a graph in lower case, the settings that its authors published for it; under `*` those for all.
    trainable : bool
        Whether it has weights that training changes.
    runs_on_gpu : bool
        Whether its network can be on another device than the CPU.
    trains_in_parallel : bool
        Whether several processes can share the pairs of a training step: not if the loss of a pair depends on the
        others, as with batch normalization.
    transductive : bool
        Whether what it learned belongs to the nodes of the graph that it was trained on, and to no other graph.
    default_features : str
        The features that it is given where the graph has none, as `edgeorbit.split` names them.
    """

    name: ClassVar[str]
    citation: ClassVar[str]
    Settings: ClassVar[type[Settings]] = Settings
    search_space: ClassVar[Mapping[str, list[Any]]] = {}
    presets: ClassVar[Mapping[str, Preset]] = {}
    trainable: ClassVar[bool] = False
    runs_on_gpu: ClassVar[bool] = False
    trains_in_parallel: ClassVar[bool] = True
    transductive: ClassVar[bool] = False
    default_features: ClassVar[str] = "identity"

    def __init__(self, /, **settings: Any) -> None:
        self.settings: Any = self.Settings.from_mapping(settings, self.name)

    @classmethod
    def preset_for(cls, graph: str) -> Preset:
        """Return the settings for a graph of this name."""
        return cls.presets.get("*", Preset()) | cls.presets.get(graph.lower(), Preset())

    def remarks(self, graph: Graph) -> list[str]:
        """Return what the owner of a graph should know of this model on it, a sentence each."""
        return []

    def use_threads(self, threads: int) -> None:  # noqa: B027
        """Let what the model computes with outside edgeorbit take so many threads."""

    def place(self, device: str) -> None:  # noqa: B027
        """Move the weights to a device, if the model can be on another than the CPU."""

    def embed(self, graph: Graph) -> npt.NDArray[np.float32] | None:
        """Return an embedding of every node, for the search of likely links, if the model has one."""
        return None

    @abstractmethod
    def on(self, graph: Graph) -> Scorer:
        """Return a function that scores node pairs, higher for likelier links, from this graph alone."""
