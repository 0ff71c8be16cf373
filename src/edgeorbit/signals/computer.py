"""Signals of the node pairs of a graph: prepared once for the graph, computed in batches."""

from collections.abc import Iterable
from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from edgeorbit._memory import available_memory, size_in_words
from edgeorbit.errors import InvalidParameterError, LimitExceededError, MissingExtraError
from edgeorbit.graph.graph import Graph
from edgeorbit.signals.catalogue import SIGNALS, resolve_signals

if TYPE_CHECKING:
    import pandas

    from edgeorbit.signals._parts import Part

MEMORY = 1 << 28  # bytes for what is computed beside the result
BYTES_PER_PAIR = 512  # of what the parts hold for a pair while they compute, beside their signals


@dataclass(frozen=True, eq=False)
class PairSignals:
    """Signals of node pairs: a row for every pair, a column for every signal. `numpy.asarray` gives the values.

    Attributes
    ----------
    names : tuple of str
        The names of the columns.
    values : float32 array of shape (k, number of names)
        The signals, in the order of the pairs.
    """

    names: tuple[str, ...]
    values: npt.NDArray[np.float32]

    def __len__(self) -> int:
        """Return the number of pairs."""
        return len(self.values)

    def __getitem__(self, name: str) -> npt.NDArray[np.float32]:
        """Return the signal of a name, for every pair."""
        if name not in self.names:
            raise InvalidParameterError(f"{name!r} is not among the signals that were computed; ask for it by name")
        return self.values[:, self.names.index(name)]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> npt.NDArray[Any]:
        """Return the values, for numpy and scikit-learn."""
        return np.array(self.values, dtype, copy=copy)

    def to_frame(self) -> "pandas.DataFrame":
        """Return a pandas data frame, a column for every signal.

        Raises
        ------
        MissingExtraError
            If pandas is not installed.
        """
        try:
            import pandas
        except ModuleNotFoundError:
            raise MissingExtraError("to_frame needs pandas; pip install pandas") from None
        return pandas.DataFrame(self.values, columns=list(self.names))

    def __repr__(self) -> str:
        """Give the counts, not the values."""
        return f"PairSignals(num_pairs={len(self)}, num_signals={len(self.names)})"


@dataclass(frozen=True)
class SignalOptions:
    """What the formulas leave open.

    Attributes
    ----------
    alpha : float
        The probability that the walk of PageRank ends at each step.
    tolerance : float
        How much probability may be missing at a node while PageRank is pushed, for each of its neighbours. Graphs of up
        to `edgeorbit.signals.catalogue.SMALL` nodes are not pushed but solved, which is exact.
    max_distance : int
        The bound of the shortest distance.
    kappa : float
        How many pairs the density of the coarser orbit counts for in the density of an orbit.
    """

    alpha: float = 0.15
    tolerance: float = 3e-4
    max_distance: int = 6
    kappa: float = 100.0

    def __post_init__(self) -> None:
        """Check the ranges."""
        for name, low, high in (
            ("alpha", 0.001, 0.999),
            ("tolerance", 1e-9, 1.0),
            ("max_distance", 1, 1000),
            ("kappa", 0.0, 1e9),
        ):
            value = getattr(self, name)
            if not (isinstance(value, int | float | np.number) and low <= value <= high):
                raise InvalidParameterError(f"{name} must be from {low:g} to {high:g}, got {value!r}")


class SignalComputer:
    """Computes signals of the node pairs of one graph.

    What belongs to the graph (colours, orbit densities, components, core numbers, components of features) is
    prepared once, when it is first needed, and the pairs are computed in batches, so that memory beside the result
    stays bounded.

    A signal of a pair that is a link of the graph contains the link: walks go over it, PageRank too, its orbit counts
    it, the distance is 1. To train on links, build the graph without them and ask for their signals there; see
    `pair_signals`.

    Parameters
    ----------
    graph
        The graph, without the links whose signals are asked for to train or to evaluate.
    names
        Names of signals and of groups; by default those of `default_signals`. Give the same names for graphs whose
        signals are compared, such as those of folds: the default depends on the graph.
    threads
        Number of threads; by default one per core. The result does not depend on it.
    memory
        How many bytes the computation may take beside the result and what is prepared.
    like
        A computer of another graph with the same features, such as the whole graph of a fold: what belongs to the
        features alone is prepared once for both.
    **options
        `alpha`, `tolerance`, `max_distance` and `kappa` of `SignalOptions`.

    Attributes
    ----------
    names : tuple of str
        The names of the columns.
    seconds : dict
        By part (`SIGNALS[name].part`), the seconds that were spent, on the graph and on pairs together.
    pair_seconds : dict
        By part, the seconds that were spent on pairs.

    Examples
    --------
    >>> computer = SignalComputer(Graph.from_edges([[0, 1], [1, 2], [2, 3]]), ["degree_min", "common_neighbours"])
    >>> computer.compute([[0, 2], [3, 0]]).values.tolist()
    [[1.0, 1.0], [1.0, 0.0]]
    """

    def __init__(
        self,
        graph: Graph,
        names: str | Iterable[str] | None = None,
        *,
        threads: int | None = None,
        memory: int = MEMORY,
        like: "SignalComputer | None" = None,
        **options: Any,
    ) -> None:
        from edgeorbit.signals._parts import PARTS

        self.graph, self.threads, self.memory = graph, threads, memory
        self.names = resolve_signals(graph, names)
        if memory < 1:
            raise InvalidParameterError(f"memory must be a number of bytes from 1, got {memory}")
        unknown = [name for name in options if name not in SignalOptions.__dataclass_fields__]
        if unknown:
            raise InvalidParameterError(
                f"there is no option {unknown[0]!r} of pair signals; choose from "
                f"{', '.join(SignalOptions.__dataclass_fields__)}"
            )
        self.options = SignalOptions(**options)
        self.seconds: dict[str, float] = {}
        self.pair_seconds: dict[str, float] = {}
        self._of_features: dict[str, Any] = {} if like is None or like.graph.x is not graph.x else like._of_features
        self._parts: dict[str, Part] = {}
        self._makers = {part: PARTS[part] for part in dict.fromkeys(SIGNALS[name].part for name in self.names)}

    def prepare(self) -> "SignalComputer":
        """Compute what belongs to the graph alone, unless that is done; return the computer."""
        shared: dict[str, Any] = {"of features": self._of_features}
        for part, make in self._makers.items():
            if part not in self._parts:
                begun = perf_counter()
                wanted = tuple(name for name in self.names if SIGNALS[name].part == part)
                self._parts[part] = make(self.graph, wanted, self.options, self.threads, shared)
                self.seconds[part] = perf_counter() - begun
                self.pair_seconds[part] = 0.0
        return self

    def compute(self, pairs: npt.ArrayLike) -> PairSignals:
        """Return the signals of pairs.

        Parameters
        ----------
        pairs : integer array of shape (k, 2)
            Node numbers. The order of a pair does not matter; a pair may join a node to itself or occur several times.

        Raises
        ------
        InvalidParameterError
            If `pairs` is no array of node pairs of the graph.
        LimitExceededError
            If the result needs more memory than there is.
        """
        from edgeorbit.pairwise.pairs import check_pairs, order_by

        ends = np.sort(check_pairs(self.graph, pairs), axis=0)
        num_pairs = ends.shape[1]
        self._require_memory(num_pairs)
        self.prepare()
        values = np.empty((num_pairs, len(self.names)), np.float32)
        # Pairs that share a node stand together, so that what starts at the node is computed once for all of them.
        count = np.bincount(ends.ravel(), minlength=self.graph.num_nodes)
        ends = np.where(count[ends[1]] > count[ends[0]], ends[::-1], ends)
        order = order_by(ends[0])
        size = max(1, self.memory // (BYTES_PER_PAIR + 12 * len(self.names)))
        for low in range(0, num_pairs, size):
            rows = order[low : low + size]
            self._compute(np.ascontiguousarray(ends[:, rows]), rows, values)
        return PairSignals(self.names, values)

    def _compute(self, ends: npt.NDArray[np.int32], rows: npt.NDArray[np.int64], values: Any) -> None:
        block = np.empty((len(rows), len(self.names)), np.float32)
        place = {name: i for i, name in enumerate(self.names)}
        for part, made in self._parts.items():
            begun = perf_counter()
            for name, column in made.compute(ends).items():
                block[:, place[name]] = column
            taken = perf_counter() - begun
            self.seconds[part] += taken
            self.pair_seconds[part] += taken
        values[rows] = block

    def _require_memory(self, num_pairs: int) -> None:
        needed = 4 * num_pairs * len(self.names) + min(self.memory, num_pairs * BYTES_PER_PAIR)
        available = available_memory()
        if available is not None and needed > available:
            raise LimitExceededError(
                f"{len(self.names)} signals of {num_pairs} pairs take about {size_in_words(needed)} of memory and "
                f"{size_in_words(available)} are available; ask for fewer pairs at a time, or for fewer signals"
            )


def pair_signals(
    graph: Graph,
    pairs: npt.ArrayLike,
    names: str | Iterable[str] | None = None,
    *,
    threads: int | None = None,
    without_pairs: bool = False,
    memory: int = MEMORY,
    **options: Any,
) -> PairSignals:
    """Return signals of node pairs: common neighbours, walks, PageRank, distances, orbits, features and others.

    A signal of a pair that is a link of the graph contains the link: walks go over it (u-v-u-v), PageRank too, its
    orbit counts it, the distance is 1. A model that is trained on such signals learns to see the link, and fails where
    links are hidden. So hide a fold of the links, build the graph of the others, and ask for the signals of the hidden
    links there, or let `without_pairs` do it for one fold.

    Parameters
    ----------
    graph
        The graph.
    pairs : integer array of shape (k, 2)
        Node numbers. The order of a pair does not matter.
    names
        Names of signals (`edgeorbit.signals.SIGNALS`) and of groups (`edgeorbit.signals.GROUPS`); by default all that
        the graph's size and features allow.
    threads
        Number of threads; by default one per core. The result does not depend on it.
    without_pairs
        Whether the links of the graph that are among `pairs` are hidden, all of them at once.
    memory
        How many bytes the computation may take beside the result.
    **options
        `alpha` and `tolerance` of PageRank, `max_distance` of the distance, `kappa` of orbit densities; see
        `edgeorbit.signals.computer.SignalOptions`.

    Returns
    -------
    PairSignals
        An array of shape (k, number of names) with the names of its columns; `to_frame` makes a pandas data frame.

    Raises
    ------
    InvalidParameterError
        If `pairs` is no array of node pairs of the graph, or there is no signal of a name.
    LimitExceededError
        If the result needs more memory than there is.

    Examples
    --------
    >>> square = Graph.from_edges([[0, 1], [1, 2], [2, 3], [3, 0]])
    >>> signals = pair_signals(square, [[0, 2], [0, 1]], ["common_neighbours", "distance"])
    >>> signals.values.tolist()
    [[2.0, 2.0], [0.0, 1.0]]
    >>> pair_signals(square, [[0, 1]], ["distance"], without_pairs=True).values.tolist()
    [[3.0]]
    """
    if without_pairs:
        from edgeorbit.graph.node_pairs import are_edges
        from edgeorbit.graph.removal import EdgeRemover
        from edgeorbit.pairwise.pairs import check_pairs

        both = check_pairs(graph, pairs).T
        resolved = resolve_signals(graph, names)
        graph, names = EdgeRemover(graph).without(both[are_edges(graph, both)]), resolved
    return SignalComputer(graph, names, threads=threads, memory=memory, **options).compute(pairs)
