"""The contract of every model, for the tests of anybody's package: `check_model(MyModel)`.

>>> from edgeorbit.testing import check_model
>>> check_model("cn").passed
True
"""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from edgeorbit.auditing.audit import NUM_PAIRS, TOLERANCE, audit
from edgeorbit.auditing.findings import Audit
from edgeorbit.auditing.subjects import QUICK_EPOCHS
from edgeorbit.errors import EdgeorbitError
from edgeorbit.graph.graph import Graph
from edgeorbit.models.fitted import FittedModel
from edgeorbit.prediction.predictor import LinkPredictor

TOP = 50  # predicted links
__all__ = ["check_model", "symmetric_graph"]


def symmetric_graph() -> Graph:
    """Return two joined copies of the karate club with random features: small, and symmetric enough to be hard.

    >>> symmetric_graph().num_nodes
    68
    """
    from edgeorbit.synthetic import make

    made = make("syn-karate", edges=3)
    return made.with_attributes(x=np.random.default_rng(0).random((made.num_nodes, 5), np.float32))


def check_model(
    model: Any,
    graph: Any = None,
    *,
    settings: Mapping[str, Any] | None = None,
    training: Mapping[str, Any] | None = None,
    exceptions: Mapping[str, str] | None = None,
    tolerance: float = TOLERANCE,
    num_pairs: int = NUM_PAIRS,
    seed: int = 0,
    threads: int | None = 1,
) -> Audit:
    """Check that a model keeps the contract of edgeorbit models.

    It is trained for a few epochs, and must reach finite metrics, give the same scores after it is saved and loaded,
    return no scores for no pairs, and predict links that are not edges, best first. Then it is audited
    (`edgeorbit.audit`): scores depend on the pair alone, on no held-out link and on no node numbers, and the same seed
    gives the same scores.

    Parameters
    ----------
    model
        What `LinkPredictor` takes: a name, `module:Class`, a `LinkModel`, or a class or instance of `torch.nn.Module`.
    graph
        What `LinkPredictor.fit` takes; by default `symmetric_graph()`.
    settings, training
        As for `LinkPredictor`; `epochs` is 3 unless given.
    exceptions
        By check of the audit, why the model breaks it by design, such as
        `{"node numbers": "every node has an embedding of its own"}`.
    tolerance
        How much two scores of a pair may differ by rounding, as a share of the largest score.
    num_pairs
        How many pairs the audit scores.
    seed, threads
        As for `LinkPredictor`.

    Returns
    -------
    Audit
        The audit, with the exceptions that the model makes by design.

    Raises
    ------
    AssertionError
        With one sentence for every clause that is broken.
    EdgeorbitError
        If the model cannot be trained at all.

    Examples
    --------
    >>> from edgeorbit.models.base import LinkModel
    >>> class Lopsided(LinkModel):
    ...     name, citation = "lopsided", "nobody"
    ...
    ...     def on(self, graph):
    ...         return lambda pairs: pairs[:, 0] * 1.0
    >>> check_model(Lopsided)
    Traceback (most recent call last):
    ...
    AssertionError: lopsided breaks the contract of edgeorbit models:
    order of nodes: violated: The score of (u, v) is that of (v, u). ...
    """
    predictor = LinkPredictor(model, settings=settings, seed=seed, threads=threads)
    if isinstance(predictor.model, FittedModel):
        settings = {**predictor.model.quick, **(settings or {})}
        predictor = LinkPredictor(model, settings=settings, training=training, seed=seed, threads=threads)
    elif predictor.training is not None:
        epochs = (training or {}).get("epochs", QUICK_EPOCHS)
        training = {"evaluate_every": epochs, **(training or {}), "epochs": epochs}
        predictor = LinkPredictor(model, settings=settings, training=training, seed=seed, threads=threads)
    broken = list(_broken_description(predictor))
    with TemporaryDirectory(prefix="edgeorbit-") as directory:
        output = Path(directory) / "run"
        predictor.fit(symmetric_graph() if graph is None else graph, output=output)
        for clause in (_broken_metrics, _broken_loading, _broken_prediction):
            broken += _sentences(clause, predictor, model, output)
    findings = audit(
        predictor,
        training=training,
        exceptions=exceptions,
        tolerance=tolerance,
        num_pairs=num_pairs,
        seed=seed,
        threads=threads,
    )
    broken += [f"{each.check}: violated: {each.claim} {each.shown}".rstrip() for each in findings.failed]
    if broken:
        raise AssertionError("\n".join([f"{predictor.model.name} breaks the contract of edgeorbit models:", *broken]))
    return findings


Clause = Callable[[LinkPredictor, Any, Path], Iterator[str]]


def _sentences(clause: Clause, predictor: LinkPredictor, model: Any, output: Path) -> list[str]:
    """Return the sentences of a clause; an error counts as one."""
    try:
        return list(clause(predictor, model, output))
    except EdgeorbitError as error:
        return [f"{clause.__name__.removeprefix('_broken_')}: {error}"]


def _broken_description(predictor: LinkPredictor) -> Iterator[str]:
    model = type(predictor.model)
    for attribute in ("name", "citation"):
        if not getattr(model, attribute, ""):
            yield f"description: {model.__qualname__} has no {attribute}; give it one as a class attribute."
    unknown = set(model.search_space) - {field.name for field in fields(model.Settings)}
    if unknown:
        yield f"description: search_space has {', '.join(sorted(unknown))}, which the model has no setting for."
    for name, values in model.search_space.items():
        for value in values if name not in unknown else ():
            try:
                model(**{name: value})
            except EdgeorbitError as error:
                yield f"description: {name}={value!r} is in search_space and refused ({error})."


def _broken_metrics(predictor: LinkPredictor, model: Any, output: Path) -> Iterator[str]:
    result = predictor.evaluate("random")
    for part, metrics in result["random"].metrics.items():
        if not (0 <= metrics["auc"] <= 1 and 0 < metrics["mrr"] <= 1):
            yield f"metrics: AUC {metrics['auc']} and MRR {metrics['mrr']} of {part} links must lie between 0 and 1."
    try:
        json.dumps(result.as_dict(), allow_nan=False)
    except (TypeError, ValueError) as error:
        yield f"metrics: the result must be JSON ({error})."


def _broken_loading(predictor: LinkPredictor, model: Any, output: Path) -> Iterator[str]:
    loaded = LinkPredictor.load(output, threads=predictor.threads, model=model)
    if loaded.evaluate("random").as_dict() != predictor.evaluate("random").as_dict():
        yield "loading: a loaded model must reach the same metrics as the one that was saved."
    pairs = predictor.split.whole.edges.astype(np.int64)
    before, after = (each.model.on(each.split.graph)(pairs) for each in (predictor, loaded))
    if not np.array_equal(before, after):
        yield "loading: a loaded model must give the same scores as the one that was saved."


def _broken_prediction(predictor: LinkPredictor, model: Any, output: Path) -> Iterator[str]:
    split = predictor.split
    scorer = predictor.model.on(split.graph)
    if scorer(np.empty((0, 2), np.int64)).shape != (0,):
        yield "prediction: no pairs must get no scores, an array of shape (0,)."
    predicted = predictor.predict(top=TOP)
    known = {frozenset(names) for names in split.whole.names(split.whole.edges).tolist()}
    links = [frozenset(pair) for pair in predicted.pairs.tolist()]
    if len(set(links)) < len(links) or any(len(link) < 2 for link in links):
        yield "prediction: predicted links must differ and join two nodes."
    if known & set(links):
        yield f"prediction: {' - '.join(map(str, next(iter(known & set(links)))))} is predicted and is an edge."
    if (predicted.scores[1:] > predicted.scores[:-1]).any():
        yield "prediction: predicted links must come best first."
    again = predictor.score_pairs(predicted.pairs).scores
    if not np.allclose(again, predicted.scores, rtol=1e-4, atol=1e-6):
        yield "prediction: predicted links must have the scores that score_pairs gives them."
