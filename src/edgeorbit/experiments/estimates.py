"""How long cells will take, from those that were run before, and in which order they are best started."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from statistics import median

from edgeorbit.experiments.plan import Cell
from edgeorbit.experiments.store import Row, Store


class Estimates:
    """Seconds of cells: the median of runs of the same model on the same graph, else of the same model, else of all.

    Examples
    --------
    >>> estimates = Estimates([{"key": "a", "model": "gcn", "data": "cora", "cell_seconds": 9.0}])
    >>> estimates.of(Cell("ns", {}, "constant", "gcn", 0, ("random",)))
    9.0
    """

    def __init__(self, rows: Iterable[Row]) -> None:
        found: dict[str, tuple[str, str, float]] = {}
        for row in rows:
            seconds = row.get("cell_seconds") or row.get("seconds")  # older rows have the time of training alone
            if seconds is not None and not row.get("failed"):
                found[row["key"]] = (row["model"], row["data"], float(seconds))
        groups: defaultdict[tuple[str, ...], list[float]] = defaultdict(list)
        for model, data, seconds in found.values():
            for group in ((model, data), (model,), ()):
                groups[group].append(seconds)
        self._medians = {group: median(seconds) for group, seconds in groups.items()}

    @classmethod
    def from_store(cls, store: Store) -> "Estimates":
        """Return the estimates that the rows of a store allow."""
        names = ("key", "model", "data", "cell_seconds", "seconds", "failed")
        columns = (store.column(name) for name in names)
        return cls(dict(zip(names, values, strict=True)) for values in zip(*columns, strict=True))

    def of(self, cell: Cell) -> float | None:
        """Return the seconds that a cell should take; None if nothing was run yet."""
        groups: tuple[tuple[str, ...], ...] = ((cell.model, cell.data), (cell.model,), ())
        return next((self._medians[group] for group in groups if group in self._medians), None)

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
