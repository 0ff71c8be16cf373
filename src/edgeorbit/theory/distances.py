"""Theorem 4.2: how far apart nodes of one orbit, and of two, are represented, with D2 and without.

Without D2 a network without features gives the nodes of an orbit one representation: their distance is 0. D2 adds to
every node noise of its own, `eps ~ N(0, tau^2 I)` of d channels, so that at the input the expected squared distance
within an orbit is `E||eps_u - eps_v||^2 = 2 tau^2 d`, and between orbits that much more than that of their rows of the
table. The noise has mean 0: the *expected* representations within an orbit stay equal, which `within_of_mean` shows.
The theorem speaks of dominant nodes, most of whose neighbours have their own colour.
"""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from edgeorbit.errors import InvalidParameterError
from edgeorbit.graph.graph import Graph
from edgeorbit.orbits.colouring import Colouring
from edgeorbit.orbits.refine import refine

if TYPE_CHECKING:
    from torch import Tensor

Representations = npt.NDArray[np.floating[Any]]
HIDDEN_CHANNELS = 64  # distances at random weights do not ask for more


class Distances(NamedTuple):
    """Mean squared distances within orbits and between them; NaN where there is no such pair."""

    within: float
    between: float


def mean_squared_distances(x: Representations, labels: npt.NDArray[np.integer[Any]]) -> Distances:
    """Return the mean squared distance of all pairs with equal labels, and of all others, without listing pairs.

    The squared distances of all pairs of a set add up to its size times the squared distances from its mean.

    >>> mean_squared_distances(np.array([[0.0], [2.0], [5.0]]), np.array([0, 0, 1]))
    Distances(within=4.0, between=17.0)
    """
    rows = np.asarray(x, np.float64)
    place = np.unique(labels, return_inverse=True)[1]
    sizes = np.bincount(place).astype(np.float64)
    means = np.zeros((len(sizes), rows.shape[1]))
    np.add.at(means, place, rows)
    means /= sizes[:, None]
    inner = float((sizes * np.bincount(place, ((rows - means[place]) ** 2).sum(axis=1))).sum())
    total = len(rows) * float(((rows - rows.mean(axis=0)) ** 2).sum())
    num_inner = float((sizes * (sizes - 1) / 2).sum())
    num_total = len(rows) * (len(rows) - 1) / 2
    return Distances(_mean(inner, num_inner), _mean(total - inner, num_total - num_inner))


def linked_squared_distances(
    x: Representations, labels: npt.NDArray[np.integer[Any]], edges: npt.NDArray[np.integer[Any]]
) -> Distances:
    """Return the same over linked pairs alone: edges within an orbit, and edges between two.

    >>> linked_squared_distances(np.array([[0.0], [2.0], [5.0]]), np.array([0, 0, 1]), np.array([[0, 1], [1, 2]]))
    Distances(within=4.0, between=9.0)
    """
    rows = np.asarray(x, np.float64)
    squared = ((rows[edges[:, 0]] - rows[edges[:, 1]]) ** 2).sum(axis=1)
    same = labels[edges[:, 0]] == labels[edges[:, 1]]
    return Distances(*(_mean(float(squared[kind].sum()), float(kind.sum())) for kind in (same, ~same)))


@dataclass(frozen=True)
class OrbitDistances:
    """Distances of representations on a graph, averaged over draws of weights and of noise.

    Attributes
    ----------
    graph, stage, d2, tau
        The graph; `input` or `output` of the encoder; whether it has D2, and the deviation of its noise.
    within, between
        Mean squared distance of two nodes of one orbit, and of two orbits; None where there is no such pair.
    within_of_mean
        The first for representations that are averaged over all draws of noise.
    closed_form
        What `within` is in theory: `2 tau^2 d` at the input, 0 without D2, None where there is no formula.
    linked_within, linked_between
        As `within` and `between`, over linked nodes alone.
    num_orbits, num_dominant
        Orbits of the nodes, and nodes most of whose neighbours are of their own orbit.
    """

    graph: str
    stage: str
    d2: bool
    tau: float
    within: float | None
    between: float | None
    within_of_mean: float | None
    closed_form: float | None
    linked_within: float | None
    linked_between: float | None
    num_orbits: int
    num_dominant: int

    @property
    def ratio(self) -> float | None:
        """How large distances within orbits are, measured by those between them."""
        return self.within / self.between if self.between and self.within is not None else None

    def as_dict(self) -> dict[str, Any]:
        """Return the attributes, and the ratio, as a dictionary that JSON can hold."""
        return {**asdict(self), "ratio": self.ratio}


def orbit_distances(
    graph: Graph,
    tau: float = 0.1,
    *,
    role_channels: int = 32,
    num_layers: int = 1,
    rounds: int = 2,
    draws: int = 20,
    weights: int = 5,
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
) -> list[OrbitDistances]:
    """Measure distances within and between orbits for the encoder of `eo-gnn-paper` with random weights.

    Features are constant, so that structure alone and D2 make nodes differ; D1 and dropout are off. Orbits are those
    of `rounds` rounds of refinement, as D2's roles.

    Parameters
    ----------
    graph
        The graph.
    tau, role_channels
        Deviation of the noise, and channels of a role.
    num_layers, rounds
        Layers of the encoder, and rounds of refinement. A GCN sees one round more than it has layers: with more layers
        than that, orbits are not alike to it even without D2.
    draws, weights
        Draws of noise for each draw of weights, and draws of weights.
    seed
        The same seed gives the same weights and noise.
    progress
        Called with the numbers of encodings made and to make.

    Returns
    -------
    list of OrbitDistances
        Input and output without D2, then with it.

    Examples
    --------
    >>> from edgeorbit.graph.toys import lobster
    >>> for row in orbit_distances(lobster(), tau=0.1):
    ...     print(row.stage, row.d2, f"{row.within:.2f}")
    input False 0.00
    output False 0.00
    input True 0.6...
    output True ...
    """
    import torch

    for name, number in (("draws", draws), ("weights", weights)):
        if number < 1:
            raise InvalidParameterError(f"{name} must be at least 1, not {number}")
    if graph.num_nodes < 2:
        raise InvalidParameterError(f"{graph.name} has {graph.num_nodes} nodes; a distance needs at least 2")
    settings = {
        "hidden_channels": HIDDEN_CHANNELS,
        "num_layers": num_layers,
        "role_channels": role_channels,
        "rounds": rounds,
        "tau": tau,
        "dropout": 0.0,
    }
    colouring, tables = refine(graph, rounds), []
    with torch.random.fork_rng(devices=[]):
        for d2 in (False, True):
            made = []
            for number in range(weights):
                if progress is not None:
                    progress(d2 * weights + number, 2 * weights)
                made.append(_encode(graph, {**settings, "without": "d1" if d2 else "d1,d2"}, draws, seed + number))
            tables += [
                _average(graph, colouring, stage, d2, tau, [found[place] for found in made], role_channels)
                for place, stage in enumerate(("input", "output"))
            ]
    return tables


def _encode(graph: Graph, settings: dict[str, Any], draws: int, seed: int) -> "tuple[list[Tensor], list[Tensor]]":
    """Return what the encoder of random weights is given and what it returns, for draws of noise."""
    import torch

    from edgeorbit.data.features import node_features
    from edgeorbit.models.eo_gnn.model import EOGNNPaper, PaperNetwork
    from edgeorbit.models.neural.inputs import Inputs

    constant = node_features(graph, "constant")
    featured = graph.with_attributes(x=constant)
    network = EOGNNPaper(**settings).build(featured, seed)
    assert isinstance(network, PaperNetwork)
    encoder = network.encoder.train()  # outside of training the noise is always the same
    x = torch.from_numpy(constant)
    inputs = Inputs.of(featured, x)
    given, returned = [], []
    with torch.no_grad():
        for _ in range(draws if encoder.biased else 1):
            found = encoder(inputs)
            given.append(torch.cat([found.roles, x], dim=1) if encoder.biased else x)
            returned.append(found.x)
    return given, returned


def _average(
    graph: Graph,
    colouring: Colouring,
    stage: str,
    d2: bool,
    tau: float,
    by_weights: "Sequence[Sequence[Tensor]]",
    role_channels: int,
) -> OrbitDistances:
    labels, edges = colouring.labels, graph.edges
    rows = [[one.numpy() for one in drawn] for drawn in by_weights]
    every = np.array([mean_squared_distances(one, labels) for drawn in rows for one in drawn])
    linked = np.array([linked_squared_distances(one, labels, edges) for drawn in rows for one in drawn])
    means = np.array([mean_squared_distances(np.mean(drawn, axis=0), labels).within for drawn in rows])
    within, between = (_or_none(every[:, place].mean()) for place in range(2))
    linked_within, linked_between = (_or_none(linked[:, place].mean()) for place in range(2))
    closed_form = 0.0 if not d2 else 2 * tau**2 * role_channels if stage == "input" else None
    return OrbitDistances(
        graph=graph.name,
        stage=stage,
        d2=d2,
        tau=tau,
        within=within,
        between=between,
        within_of_mean=_or_none(means.mean()),
        closed_form=closed_form,
        linked_within=linked_within,
        linked_between=linked_between,
        num_orbits=colouring.num_colours,
        num_dominant=int(dominant_nodes(graph, colouring).sum()),
    )


def _mean(total: float, number: float) -> float:
    return total / number if number else float("nan")


def _or_none(value: np.floating[Any]) -> float | None:
    return None if np.isnan(value) else float(value)


def dominant_nodes(graph: Graph, colouring: Colouring) -> npt.NDArray[np.bool_]:
    """Tell for every node whether more of its neighbours have its colour than have another.

    In a tree an edge between two nodes of one stable colour can only be its very middle, so that only the two nodes of
    a tree of one edge are dominant: a lobster has no such node.

    Examples
    --------
    >>> from edgeorbit.graph.families import cycle
    >>> from edgeorbit.graph.toys import lobster
    >>> from edgeorbit.orbits.refine import refine
    >>> int(dominant_nodes(cycle(8), refine(cycle(8))).sum())
    8
    >>> int(dominant_nodes(lobster(), refine(lobster())).sum())
    0
    """
    edges = graph.edges
    ends = colouring.labels[edges]
    same = np.bincount(edges[ends[:, 0] == ends[:, 1]].ravel(), minlength=graph.num_nodes)
    return 2 * same > graph.degree
