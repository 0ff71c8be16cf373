"""How long cells will take, from those that were run before, and in which order they are best started."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from statistics import median

from edgeorbit.experiments.plan import Cell
from edgeorbit.experiments.store import Row, Store


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
