"""What can be audited: a model that edgeorbit trains, a function that trains one, or a function that scores pairs."""

import random
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import numpy as np

from edgeorbit.data.splits.split import LinkSplit
from edgeorbit.errors import EdgeorbitError, InvalidParameterError
from edgeorbit.evaluation.scores import AnyScorer
from edgeorbit.graph.graph import Graph
from edgeorbit.models import MODELS, import_named
from edgeorbit.models.base import LinkModel, Preset
from edgeorbit.models.fitted import FittedModel
from edgeorbit.prediction.predictor import LinkPredictor

Train = Callable[[LinkSplit], Any]
QUICK_EPOCHS = 3  # enough for weights to depend on everything that training looks at
LINKS_PER_EPOCH = 4096  # of larger graphs


class Fitted(NamedTuple):
    """Something that scores pairs, and where known how it scores them on another graph.

    Attributes
    ----------
    score : callable
        From pairs to scores, on the training graph.
    on : callable or None
        From a graph to such a function; None if it is not known.
    model : LinkModel or None
        The model behind it.
    """

    score: AnyScorer
    on: Callable[[Graph], AnyScorer] | None = None
    model: LinkModel | None = None


@dataclass(frozen=True)
class Subject:
    """What is audited.

    Attributes
    ----------
    name : str
        What it is called.
    fit : callable or None
        Trains it on the training links of a split; None if it cannot be trained again.
    given : callable or None
        Returns the scorer for the split, if it is trained already.
    model_class : type or None
        Its class, if edgeorbit trains it; `settings` and `training` are those that it is trained with.
    given_digest : str or None
        The digest of the split that the given scorer was trained on, if `fit` would train the same again.
    uses_validation : bool
        Whether validation links may change what is trained, because they select the checkpoint.
    """

    name: str
    fit: Callable[[LinkSplit], Fitted] | None = None
    given: Callable[[LinkSplit], Fitted] | None = None
    model_class: type[LinkModel] | None = None
    settings: Mapping[str, Any] | None = None
    training: Mapping[str, Any] | None = None
    given_digest: str | None = None
    uses_validation: bool = False


def resolve_subject(
    model: Any,
    train: Train | None,
    *,
    settings: Mapping[str, Any] | None,
    training: Mapping[str, Any] | None,
    seed: int,
    threads: int,
) -> Subject:
    """Return what is audited.

    Raises
    ------
    InvalidParameterError
        If neither a model nor a function that trains one is given, or both are and the model can be trained anyway.
    """
    if isinstance(model, str) and model.lower() not in MODELS and ":" in model:
        named = import_named(model)
        model = named if _is_plain_function(named) else model
    if model is None and train is None:
        raise InvalidParameterError("nothing to audit; give a model, a function that scores pairs, or train=...")
    if model is None or _is_plain_function(model):
        return _of_function(model, train, seed)
    if train is not None:
        raise InvalidParameterError(
            "the audit trains a model itself; give train=... alone, or with a function that scores pairs"
        )
    return _of_model(model, settings, training, seed, threads)


def _is_plain_function(scorer: Any) -> bool:
    torch = sys.modules.get("torch")
    is_module = torch is not None and isinstance(scorer, torch.nn.Module)
    return callable(scorer) and not is_module and not isinstance(scorer, type | LinkModel | LinkPredictor)


def _of_function(scorer: Any, train: Train | None, seed: int) -> Subject:
    name = getattr(scorer or train, "__name__", type(scorer or train).__name__)
    given = None if scorer is None else (lambda split: Fitted(scorer))
    if train is None:
        return Subject(name, given=given)

    def fit(split: LinkSplit) -> Fitted:
        with _seeded(seed):
            try:
                trained = train(split)
            except EdgeorbitError:
                raise
            except Exception as error:  # whatever the user's code raises
                raise InvalidParameterError(
                    f"train={name} fails on a split of {split.graph.name} ({type(error).__name__}: {error}); "
                    "repair it, or audit the scorer alone"
                ) from error
        return _fitted(trained, split, name)

    return Subject(name, fit=fit, given=given, uses_validation=True)


def _fitted(trained: Any, split: LinkSplit, name: str) -> Fitted:
    """Return what a user's function trained."""
    if isinstance(trained, LinkPredictor):
        trained = trained.model
    if isinstance(trained, LinkModel):
        return Fitted(trained.on(split.graph), trained.on, trained)
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(trained, torch.nn.Module):
        from edgeorbit.models.modules import module_scorer

        return Fitted(module_scorer(trained, split.graph, name), lambda graph: module_scorer(trained, graph, name))
    if not _is_plain_function(trained):
        raise InvalidParameterError(
            f"train={name}: must return a function from pairs to scores or a trained module, got "
            f"{type(trained).__name__}"
        )
    return Fitted(trained)


def _of_model(
    model: Any, settings: Mapping[str, Any] | None, training: Mapping[str, Any] | None, seed: int, threads: int
) -> Subject:
    given, given_digest = None, None
    if isinstance(model, LinkPredictor):
        fitted = model
        quick = _quick(type(fitted.model), training)
        settings = {**asdict(fitted.model.settings), **quick.settings, **(settings or {})}
        training = {**(asdict(fitted.training) if fitted.training is not None else {}), **quick.training}
        name, model_class = fitted.reference, type(fitted.model)
        if fitted.info:  # it was fitted
            given = lambda split: _of_link_model(fitted.model, split.graph)  # noqa: E731
            probe = LinkPredictor(model_class, settings=settings, training=training or None)
            if (probe.model.settings, probe.training, seed) == (fitted.model.settings, fitted.training, fitted.seed):
                given_digest = fitted.split.digest
    else:
        if isinstance(model, LinkModel):
            settings = {**asdict(model.settings), **(settings or {})}
        probe = LinkPredictor(model, settings=settings)
        name, model_class = probe.reference, type(probe.model)
        quick = _quick(model_class, training)
        settings, training = {**quick.settings, **(settings or {})}, quick.training

    def fit(split: LinkSplit) -> Fitted:
        chosen = training if model_class.trainable else None
        predictor = LinkPredictor(model_class, settings=settings, training=chosen, seed=seed, threads=threads)
        return _of_link_model(predictor.fit(split).model, split.graph)

    return Subject(name, fit, given, model_class, settings, training, given_digest)


def _of_link_model(model: LinkModel, graph: Graph) -> Fitted:
    return Fitted(model.on(graph), model.on, model)


def _quick(model: type[LinkModel], given: Mapping[str, Any] | None) -> Preset:
    """Return settings of a short training of fixed length, whose last weights are kept whatever validation says."""
    if not model.trainable:
        return Preset()
    if issubclass(model, FittedModel):
        return Preset(model.quick, given or {})
    limits = {"epochs": QUICK_EPOCHS, "links_per_epoch": LINKS_PER_EPOCH, **(given or {})}
    return Preset(training={**limits, "evaluate_every": limits["epochs"]})


@contextmanager
def _seeded(seed: int) -> Iterator[None]:
    """Seed the global generators of Python, numpy and PyTorch, and put them back afterwards."""
    torch = sys.modules.get("torch")
    states = random.getstate(), np.random.get_state(), None if torch is None else torch.get_rng_state()
    random.seed(seed)
    np.random.seed(seed % 2**32)
    if torch is not None:
        torch.manual_seed(seed)
    try:
        yield
    finally:
        random.setstate(states[0])
        np.random.set_state(states[1])
        if torch is not None:
            torch.set_rng_state(states[2])
