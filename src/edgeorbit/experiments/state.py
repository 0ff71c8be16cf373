"""What a store already has of a set of cells, and how long the remaining ones will take."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Literal, get_args

from edgeorbit.errors import InvalidParameterError
from edgeorbit.experiments.plan import Cell
from edgeorbit.experiments.store import Row, Store

Redo = Literal["failed", "outdated", "all"]


@dataclass(frozen=True)
class State:
    """What there is of some cells; all but the last are sets of their keys.

    Attributes
    ----------
    done, failed
        Those with rows, and those of them that failed.
    other_code, unknown_code
        Those that were made by other code than this, and those whose rows do not say.
    mixed
        Graphs and seeds of which there are results of different splits, or of different negatives of one kind.
    """

    done: frozenset[str]
    failed: frozenset[str]
    other_code: frozenset[str]
    unknown_code: frozenset[str]
    mixed: tuple[tuple[str, int], ...]

    def to_redo(self, which: str | None) -> frozenset[str]:
        """Return the cells to run again.

        Raises
        ------
        InvalidParameterError
            If there is no such choice.
        """
        if which is None:
            return frozenset()
        if which not in get_args(Redo):
            raise InvalidParameterError(f"--redo {which}: choose from {', '.join(get_args(Redo))}")
        return {"failed": self.failed, "outdated": self.other_code | self.unknown_code, "all": self.done}[which]

    def sentences(self) -> list[str]:
        """Return what whoever reads the results must know."""
        told = []
        outdated = [
            f"{len(keys)} by {kind}"
            for keys, kind in ((self.other_code, "other code"), (self.unknown_code, "unknown code"))
            if keys
        ]
        if outdated:
            told.append(f"Of these, {' and '.join(outdated)}; --redo outdated runs them again")
        if self.failed:
            told.append(f"{len(self.failed)} failed; --redo failed runs them again")
        if self.mixed:
            data, seed = self.mixed[0]
            told.append(
                f"Results of {len(self.mixed)} graphs and seeds, such as {data}, seed {seed}, are of different splits "
                "or negatives and must not be compared; --redo all with --only runs them again"
            )
        return told


def unplanned(cells: Sequence[Cell], store: Store) -> set[str]:
    """Return the keys of rows that are of none of these cells."""
    return store.keys - {cell.key for cell in cells}


def count_rows(keys: Collection[str], store: Store) -> dict[str, Counter[str]]:
    """Return by graph and model how many rows of some cells there are."""
    counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for key, data, model in zip(*map(store.column, ("key", "data", "model")), strict=True):
        if key in keys:
            counts[data][model] += 1
    return dict(counts)


def examine(cells: Sequence[Cell], store: Store) -> State:
    """Return what a store has of some cells."""
    code_of = {cell.key: cell.code for cell in cells}
    done: set[str] = set()
    failed: set[str] = set()
    other: set[str] = set()
    unknown: set[str] = set()
    digests: defaultdict[tuple[str, int, str, str], set[str]] = defaultdict(set)  # of splits, and of negatives
    names = ("key", "failed", "code", "data", "seed", "features", "negatives", "split_digest", "negatives_digest")
    columns = map(store.column, names)
    for key, reason, code, data, seed, features, kind, split, negatives in zip(*columns, strict=True):
        if key not in code_of:
            continue
        done.add(key)
        if reason:
            failed.add(key)
        if code is None:
            unknown.add(key)
        elif code != code_of[key]:
            other.add(key)
        for place, digest in (((data, seed, "", ""), split), ((data, seed, features, kind), negatives)):
            if digest is not None:
                digests[place].add(digest)
    mixed = dict.fromkeys((data, seed) for (data, seed, *_), found in digests.items() if len(found) > 1)
    return State(frozenset(done), frozenset(failed), frozenset(other), frozenset(unknown), tuple(mixed))


class Estimates:
    """Seconds of cells: the median of runs of the same model on the same graph, if there are any.

    Else it is the median of the same model on other graphs, times the factor by which other models differ between
    these and the graph; for a model that was never run, the median of the graph; else the median of all.

    Examples
    --------
    >>> rows = [("a", "gcn", "ns", 9.0), ("b", "ncn", "ns", 18.0), ("c", "gcn", "ddi", 90.0)]
    >>> estimates = Estimates(dict(zip(("key", "model", "data", "cell_seconds"), row, strict=True)) for row in rows)
    >>> [estimates.of(Cell(data, {}, "constant", "ncn", 0, ("random",))) for data in ("ns", "ddi", "cora")]
    [18.0, 180.0, 18.0]
    """

    def __init__(self, rows: Iterable[Row]) -> None:
        found: dict[str, tuple[str, str, float]] = {}
        for row in rows:
            seconds = row.get("cell_seconds") or row.get("seconds")  # older rows have the time of training alone
            if seconds is not None and not row.get("failed"):
                found[row["key"]] = (row["model"], row["data"], float(seconds))
        pairs: defaultdict[tuple[str, str], list[float]] = defaultdict(list)
        for model, data, seconds in found.values():
            pairs[model, data].append(seconds)
        self._guesses: dict[tuple[str, str], float | None] = {pair: median(values) for pair, values in pairs.items()}
        self._models: defaultdict[str, dict[str, float]] = defaultdict(dict)  # by model, then graph
        for (model, data), values in pairs.items():
            self._models[model][data] = median(values)

    @classmethod
    def from_store(cls, store: Store) -> "Estimates":
        """Return the estimates that the rows of a store allow."""
        names = ("key", "model", "data", "cell_seconds", "seconds", "failed")
        columns = (store.column(name) for name in names)
        return cls(dict(zip(names, values, strict=True)) for values in zip(*columns, strict=True))

    def of(self, cell: Cell) -> float | None:
        """Return the seconds that a cell should take; None if nothing was run yet."""
        if (cell.model, cell.data) not in self._guesses:
            self._guesses[cell.model, cell.data] = self._guess(cell.model, cell.data)
        return self._guesses[cell.model, cell.data]

    def has_run(self, model: str) -> bool:
        """Tell whether a model was run on any graph: models differ a hundredfold, and others say little of it."""
        return model in self._models

    def _guess(self, model: str, data: str) -> float | None:
        if model in self._models:
            factors = [
                _factor(others[data], [others[graph] for graph in others if graph in self._models[model]])
                for others in self._models.values()
                if data in others
            ]
            return median(self._models[model].values()) * median([one for one in factors if one is not None] or [1.0])
        here = [others[data] for others in self._models.values() if data in others]
        everywhere = [seconds for others in self._models.values() for seconds in others.values()]
        return median(here or everywhere) if everywhere else None

    def total(self, cells: Sequence[Cell], jobs: int, elapsed: Sequence[tuple[Cell, float]] = ()) -> float | None:
        """Return the seconds until all cells are done, several at a time; None if nothing was run yet.

        Parameters
        ----------
        cells
            Those that are still to be started.
        jobs
            How many are run side by side.
        elapsed
            Those that are running, and for how long.
        """
        waiting = [self.of(cell) for cell in cells]
        running = [(self.of(cell), seconds) for cell, seconds in elapsed]
        left = [seconds for seconds in waiting if seconds is not None]
        left += [max(0.0, seconds - spent) for seconds, spent in running if seconds is not None]
        if len(left) < len(waiting) + len(running):
            return None
        return max(sum(left) / jobs, max(left, default=0.0))

    def order(self, cells: Sequence[Cell]) -> list[Cell]:
        """Return cells in the order to start them in: by seed, and the longest first, so that all cores end together.

        Within a seed the cells of a graph stay together, as they share its negatives; the graph with the longest cell
        comes first.
        """
        longest: defaultdict[tuple[int, str], float] = defaultdict(float)
        for cell in cells:
            group = cell.seed, cell.data
            longest[group] = max(longest[group], self.of(cell) or 0.0)
        places = {group: number for number, group in enumerate(longest)}
        return sorted(
            cells,
            key=lambda cell: (
                cell.seed,
                -longest[cell.seed, cell.data],
                places[cell.seed, cell.data],
                -(self.of(cell) or 0.0),
            ),
        )


def _factor(here: float, elsewhere: list[float]) -> float | None:
    """Return how many times as long a model takes on one graph as on others; None if that is not known."""
    usual = median(elsewhere) if elsewhere else 0.0
    return here / usual if usual > 0 else None


def duration(seconds: float) -> str:
    """Return a time for people.

    >>> duration(42), duration(200), duration(8000), duration(200_000)
    ('42 s', '3 min 20 s', '2 h 13 min', '2 d 7 h')
    """
    whole = round(seconds)
    for size, name, below, smaller in ((86400, "d", 3600, "h"), (3600, "h", 60, "min"), (60, "min", 1, "s")):
        if whole >= size:
            return f"{whole // size} {name} {whole % size // below} {smaller}"
    return f"{whole} s"
