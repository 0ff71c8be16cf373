"""Metrics of anybody's scorer on held-out links: a function, a trained module, a model, a heuristic by name."""

import inspect
import sys
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from edgeorbit._parallel import default_threads, resolve_threads
from edgeorbit.data.negatives import check_kind, sample_negatives
from edgeorbit.data.splits.split import GIVEN, LinkSplit, Negatives, Pairs, given_negatives
from edgeorbit.errors import InvalidParameterError
from edgeorbit.evaluation.scores import AnyScorer, ask_scorer, checked_scores
from edgeorbit.evaluation.scoring import ScoringProgress, evaluate_part
from edgeorbit.graph.graph import Graph
from edgeorbit.models import make_model, resolve_model
from edgeorbit.models.base import LinkModel, Scorer, Scores
from edgeorbit.prediction.preparing import as_split
from edgeorbit.prediction.result import VALID_EDGES_SEEN, Judged, Result

ScorerOf = Callable[[Graph], Scorer]  # what a model is: a scorer for every graph that it is shown
Kinds = str | Negatives | Sequence[str | Negatives] | None


def evaluate(
    scorer: Any,
    split: Any,
    negatives: Kinds = None,
    *,
    name: str | None = None,
    seed: int = 0,
    threads: int | None = None,
    progress: Callable[[int, int], None] | None = None,
    **options: Any,
) -> Result:
    """Measure how well a scorer ranks held-out links above negatives.

    Parameters
    ----------
    scorer
        A function from node pairs of shape (k, 2) to k scores, higher for likelier links; a trained `torch.nn.Module`
        in one of PyG's shapes (`edgeorbit.models.modules`); a fitted `LinkPredictor` or a `LinkModel`; or the name of a
        heuristic. It should have seen the edges of `split.graph` alone, and is asked for every pair once per kind of
        negatives, as (u, v) with u < v; padding of negatives never reaches it.
    split
        A `LinkSplit`, or what `edgeorbit.split` makes one from.
    negatives
        `"random"`, `"heart"`, `"orbit"`, those that the split brings (`"given"`, `"official"`), a `Negatives` or a
        mapping from `valid` and `test` to arrays, or several of these. By default those that the split brings, else
        random ones.
    name
        What the scorer is called in the result; by default its own name.
    seed
        For negatives that are sampled.
    threads
        Number of threads; by default one per core.
    progress
        Called with the numbers of pairs scored and to score.
    **options
        Those of the negatives, such as `rounds` of orbit negatives.

    Raises
    ------
    BadScoresError
        If a score is missing, NaN or infinite.
    InvalidParameterError
        If the scorer fails, or the kind of negatives is unknown.

    Examples
    --------
    >>> from edgeorbit import split
    >>> karate = split("karate", features="constant")
    >>> degree = karate.graph.degree
    >>> result = evaluate(lambda pairs: degree[pairs].prod(axis=1), karate, ["random", "heart"], name="preferential")
    >>> sorted(result), result["random"].test["num_positives"]
    (['heart', 'random'], 4)
    """
    with default_threads(resolve_threads(threads)):
        chosen = as_split(split, seed=seed)
        called, scorer_of = _scorer_of(scorer, name, chosen)
        asked = negatives_of(chosen, negatives, seed, options)
        judged = judge(scorer_of, chosen, asked, progress=progress)
        return Result.of_scorer(called, chosen, judged, seed=seed, threads=resolve_threads(threads))


def negatives_of(split: LinkSplit, asked: Kinds, seed: int, options: dict[str, Any]) -> list[Negatives]:
    """Return the negatives that are asked for, sampled or as they were given."""
    kinds = asked if isinstance(asked, list | tuple) else [asked]
    if not kinds:
        raise InvalidParameterError("negatives is empty; give a kind such as 'random'")
    found = []
    for kind in kinds:
        if kind is None or isinstance(kind, str):
            found.append(
                sample_negatives(split, kind or default_negatives(split), seed, **_own(split, kind, options, kinds))
            )
        else:
            found.append(given_negatives(split, kind))
    names = [each.kind for each in found]
    repeated = next((each for each in names if names.count(each) > 1), None)
    if repeated is not None:
        raise InvalidParameterError(
            f"negatives {repeated!r} are given twice; give each kind once, by a name of its own"
        )
    return found


def _own(split: LinkSplit, kind: str | None, options: dict[str, Any], kinds: Sequence[Any]) -> dict[str, Any]:
    """Return the options of a kind; of several kinds each takes those that it has."""
    if len(kinds) == 1 or kind is None:
        return options
    from edgeorbit.data.negatives.sampling import options_of

    check_kind(split, kind)
    taken = set().union(*(options_of(each) for each in kinds if isinstance(each, str) and each not in split.negatives))
    unknown = next((option for option in options if option not in taken), None)
    if unknown is not None:
        raise InvalidParameterError(
            f"none of these negatives has an option {unknown!r}; choose from {', '.join(sorted(taken))}"
        )
    known = () if kind in split.negatives else options_of(kind)
    return {option: value for option, value in options.items() if option in known}


def default_negatives(split: LinkSplit) -> str:
    """Return the kind of negatives that a split is evaluated with by default: those that it brings, or random."""
    return next((kind for kind in ("official", GIVEN) if kind in split.negatives), "random")


def selection_negatives(split: LinkSplit, training: Any) -> str:
    """Return the kind of validation negatives that the checkpoint is selected by: as training says, or the default."""
    return (training.select_on if training is not None else "") or default_negatives(split)


def judge(
    scorer_of: ScorerOf,
    split: LinkSplit,
    asked: Sequence[Negatives],
    *,
    with_valid: Graph | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> dict[str, Judged]:
    """Return what a model reaches against each kind of negatives, by kind.

    Parameters
    ----------
    scorer_of, split, asked
        The model, the split and the negatives.
    with_valid
        The graph with validation edges, if the model may see them when it scores test edges.
    progress
        Called with the numbers of pairs scored and to score of each kind.
    """
    seen = scorer_of(split.graph)
    later = seen if with_valid is None else scorer_of(with_valid)
    judged = {}
    for negatives in asked:
        watch = (lambda scorer: scorer) if progress is None else ScoringProgress(split, negatives, progress).watch
        metrics = {
            "valid": evaluate_part(watch(seen), split, negatives, "valid"),
            "test": evaluate_part(watch(later), split, negatives, "test"),
        }
        name = negatives.kind if with_valid is None else f"{negatives.kind}, {VALID_EDGES_SEEN}"
        judged[name] = Judged.of(negatives, metrics)
    return judged


def _scorer_of(scorer: Any, name: str | None, split: LinkSplit) -> tuple[str, ScorerOf]:
    """Return what a scorer is called, and what scores pairs on a graph."""
    model = getattr(scorer, "model", None)  # a fitted LinkPredictor
    if isinstance(model, LinkModel):
        return name or model.name, model.on
    if isinstance(scorer, LinkModel):
        return name or scorer.name, scorer.on
    if isinstance(scorer, str):
        if resolve_model(scorer).trainable:
            raise InvalidParameterError(
                f"{scorer} has to be trained before it can be evaluated; use "
                f"LinkPredictor({scorer!r}).fit(split).evaluate()"
            )
        return name or scorer, make_model(scorer).on
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(scorer, torch.nn.Module):
        from edgeorbit.models.modules import module_scorer

        called = name or type(scorer).__qualname__
        return called, lambda graph: _checked(module_scorer(scorer, graph, called), called)
    if isinstance(scorer, type) or not callable(scorer):
        raise InvalidParameterError(
            f"cannot score pairs with {_word(scorer)}; give a function from pairs of shape (k, 2) to k scores, a "
            "trained module, a model, or the name of a heuristic"
        )
    called = name or str(getattr(scorer, "__name__", type(scorer).__name__))
    return called, lambda graph: _checked(scorer, called)


def _checked(scorer: AnyScorer, name: str) -> Scorer:
    def score(pairs: Pairs) -> Scores:
        # A scorer that treats (u, v) and (v, u) differently must not learn in which order links are stored.
        return checked_scores(ask_scorer(scorer, np.sort(pairs, axis=1), name), len(pairs), name)

    return score


def _word(scorer: Any) -> str:
    if inspect.isclass(scorer):
        return f"the class {scorer.__qualname__}"
    name = type(scorer).__name__
    return f"{'an' if name[0] in 'aeiou' else 'a'} {name}"
