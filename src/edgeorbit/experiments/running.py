"""All jobs of an experiment: handed to processes or to a cluster, kept as soon as they are done."""

import shutil
from collections.abc import Callable, Collection, Sequence
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from edgeorbit.experiments.attempt import RunCell, attempt, attempt_in_cache, failed_rows
from edgeorbit.experiments.estimates import Estimates
from edgeorbit.experiments.executors import Cluster, LocalPool
from edgeorbit.experiments.plan import Cell
from edgeorbit.experiments.runner import Runner
from edgeorbit.experiments.store import Row, Store

RUN = ".run"  # what the names of directories with checkpoints end with


@dataclass(frozen=True)
class Progress:
    """The state of a bench.

    Attributes
    ----------
    running : tuple
        The runs in progress, and for how many seconds they have been running.
    finished : tuple, optional
        A run that has just finished, and its rows.
    done, failed : int
        Number of runs that finished, and how many of them failed.
    left : int
        Number of runs that have not started.
    seconds_left : float, optional
        Estimate of the time that is left; None before anything is known.
    """

    running: tuple[tuple[Cell, float], ...]
    finished: tuple[Cell, list[Row]] | None
    done: int
    failed: int
    left: int
    seconds_left: float | None


Report = Callable[[Progress], None]


def run_cells(
    cells: Sequence[Cell],
    store: Store,
    executor: LocalPool | Cluster,
    *,
    again: Collection[str] = (),
    report: Report | None = None,
    on_rows: Callable[[Cell, list[Row]], None] | None = None,
    run: RunCell | None = None,
) -> tuple[int, int]:
    """Run the cells that a store does not have, and keep the rows of each as soon as it is done.

    Only this process writes the store, which the caller has locked. A run that raises is kept with its reason, and the
    others continue; a dependency that is not installed ends the bench. A run whose process is killed is tried once
    more, alone, before it counts as failed. A run that was interrupted resumes from its last checkpoint on the same
    machine.

    Parameters
    ----------
    cells
        What to run.
    store
        Where rows are kept.
    executor
        Where runs are made; it is shut down in the end.
    again
        The keys of cells to run although the store has them.
    report
        Called several times a second.
    on_rows
        Called with every cell and its rows, after they were kept.
    run
        What is done with a cell; by default `edgeorbit.experiments.cell.run_cell`.

    Returns
    -------
    tuple of int
        How many runs were made, and how many of them failed.
    """
    kept = store.keys - set(again)
    bench = _Bench([cell for cell in cells if cell.key not in kept], store, executor, report, on_rows, run)
    try:
        bench.clean(kept)
        Runner(executor, bench.take, bench.submit, bench.keep, bench.tick).run()
    finally:
        executor.shutdown()
        with suppress(OSError):
            store.side.rmdir()  # if no unfinished run is left in it
    return bench.done, bench.failed


class _Bench:
    """The runs that are left, and what becomes of a run that is over."""

    def __init__(
        self,
        cells: Sequence[Cell],
        store: Store,
        executor: LocalPool | Cluster,
        report: Report | None,
        on_rows: Callable[[Cell, list[Row]], None] | None,
        run: RunCell | None,
    ) -> None:
        self.store, self.executor, self.report, self.on_rows, self.run = store, executor, report, on_rows, run
        self.estimates = Estimates.from_store(store)
        self.left = self.estimates.order(cells)
        self.done = self.failed = 0
        self._running: tuple[tuple[Cell, float], ...] = ()

    def clean(self, done: Collection[str]) -> None:
        """Remove the checkpoints of runs that are kept, or were made by other code."""
        wanted = {self._directory(cell).name for cell in self.left}
        keys = {cell.key for cell in self.left} | set(done)
        for place in self.store.side.glob(f"*{RUN}"):
            if place.name not in wanted and place.name.partition("-")[0] in keys:
                shutil.rmtree(place, ignore_errors=True)

    def take(self) -> Cell | None:
        return self.left.pop(0) if self.left else None

    def submit(self, cell: Cell) -> Future[list[Row]]:
        if isinstance(self.executor, Cluster):
            return self.executor.submit(attempt_in_cache, self.run, cell, cell.code)
        return self.executor.submit(attempt, self.run, cell, self._directory(cell))

    def keep(self, cell: Cell, rows: list[Row] | None, reason: str) -> None:
        if rows is None:
            rows = failed_rows(cell, reason)
        self.store.add(rows)
        self.estimates = Estimates.from_store(self.store)
        shutil.rmtree(self._directory(cell), ignore_errors=True)
        self.done += 1
        self.failed += any(row.get("failed") for row in rows)
        if self.on_rows is not None:
            self.on_rows(cell, rows)
        self._tell([], [], (cell, rows))

    def tick(self, running: list[tuple[Cell, float]], retry: list[Cell]) -> None:
        self._tell(running, retry, None)

    def _tell(
        self, running: list[tuple[Cell, float]], retry: list[Cell], finished: tuple[Cell, list[Row]] | None
    ) -> None:
        if self.report is None:
            return
        if finished is None:
            self._running = tuple(running)
        waiting = [*self.left, *retry]
        running = [one for one in self._running if finished is None or one[0] is not finished[0]]
        seconds = self.estimates.total(waiting, max(1, self.executor.capacity()), running)
        self.report(Progress(tuple(running), finished, self.done, self.failed, len(waiting), seconds))

    def _directory(self, cell: Cell) -> Path:
        """Return the place for the checkpoints of a cell; those of other code are somewhere else."""
        return self.store.side / f"{cell.key}-{cell.code}{RUN}"
