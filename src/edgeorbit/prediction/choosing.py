"""Which model a graph gets when none is named, among those that can run here.

orbit-boost was best or level by MRR on validation links of Cora and CiteSeer with features, with seeds of no table.
Comparisons: docs/orbit-boost.md and docs/results.md.
"""

from collections.abc import Iterable, Mapping
from importlib.util import find_spec
from typing import Any, NamedTuple

from edgeorbit.errors import InvalidParameterError
from edgeorbit.graph.graph import Graph
from edgeorbit.models.base import LinkModel, Preset
from edgeorbit.training.settings import setting_names

AUTO = "auto"
BOOST, NETWORK, HEURISTIC = "orbit-boost", "eo-gnn", "ppr"
WITHOUT = "boosted trees over pair signals, our default without node features"
WITH = "boosted trees over pair signals, with node features among them"
HOW_ELSE = "another: --model NAME (edgeorbit models)"


class Choice(NamedTuple):
    """The name of a model, and a sentence that says why it was chosen and how to choose another."""

    model: str
    reason: str


def choose_model(graph: Graph) -> Choice:
    """Return the model for a graph, by whether it has features and by what is installed.

    Parameters
    ----------
    graph
        The training links, with the features that the data itself brings.

    Examples
    --------
    >>> from edgeorbit.data import load_graph
    >>> choose_model(load_graph("karate")).model in {"orbit-boost", "eo-gnn", "ppr"}
    True
    """
    chosen = choose_without_graph()
    if chosen == BOOST:
        return Choice(chosen, f"model {BOOST}: {WITHOUT if graph.x is None else WITH}; {HOW_ELSE}")
    what = "a network" if chosen == NETWORK else "a heuristic"
    return Choice(chosen, f"model {chosen}, {what}: {BOOST} needs lightgbm, pip install 'edgeorbit[boost]'; {HOW_ELSE}")


def choose_without_graph() -> str:
    """Return a model that can run here, before there is a graph to choose for."""
    return BOOST if _is_installed("lightgbm") else NETWORK if _is_installed("torch_geometric") else HEURISTIC


def divide_settings(called: str, model: type[LinkModel], given: Mapping[str, Any]) -> Preset:
    """Return settings as those of a model and those of its training, by their names.

    Raises
    ------
    InvalidParameterError
        If the model has no such setting.

    Examples
    --------
    >>> from edgeorbit.models import resolve_model
    >>> divide_settings("katz", resolve_model("katz"), {"beta": "0.01"})
    Preset(settings={'beta': '0.01'}, training={})
    """
    own, general = setting_names(model)
    for name in given:
        if name not in own | general:
            known = ", ".join(sorted(own | general)) or "none"
            raise InvalidParameterError(f"{called} has no setting {name!r}; its settings are: {known}")
    return Preset(_only(given, own), _only(given, general))


def _only(given: Mapping[str, Any], names: Iterable[str]) -> dict[str, Any]:
    return {name: value for name, value in given.items() if name in set(names)}


def _is_installed(module: str) -> bool:
    return find_spec(module) is not None
