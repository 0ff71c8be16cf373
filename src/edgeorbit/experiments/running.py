"""All cells of an experiment, several at a time, each in a process with one thread, shared with other benches."""

import shutil
import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from edgeorbit.experiments.claims import Claims
from edgeorbit.experiments.estimates import Estimates
from edgeorbit.experiments.plan import Cell
from edgeorbit.experiments.provenance import code_digest
from edgeorbit.experiments.store import Row, Store
from edgeorbit.experiments.workers import RunCell, Worker, failed_rows, wait_for
from edgeorbit.memory import size_in_words

TICK_SECONDS = 0.5
WATCH_SECONDS = 0.1  # between looks at the memory of cells, if it is limited
LOOK_SECONDS = 2.0  # between looks at what other benches do
ABSENT = object()


@dataclass(frozen=True)
class Progress:
    """Where a bench stands.

    Attributes
    ----------
    running : tuple
        The cells that are being run here, and for how many seconds.
    finished : tuple, optional
        A cell that was finished just now, and its rows.
    done, failed : int
        Cells that were run here, and how many of them failed.
    left, elsewhere : int
        Cells that are neither done nor running here, and how many of them other benches are running.
    seconds_left : float, optional
        How long the rest will take; None before anything is known.
    """

    running: tuple[tuple[Cell, float], ...]
    finished: tuple[Cell, list[Row]] | None
    done: int
    failed: int
    left: int
    elsewhere: int
    seconds_left: float | None


class Made(NamedTuple):
    """What one bench made itself: its runs, and how many of them failed."""

    runs: int
    failed: int


Report = Callable[[Progress], None]


def run_cells(
    cells: Sequence[Cell],
    store: Store,
    jobs: int,
    *,
    again: Collection[str] = (),
    report: Report | None = None,
    on_rows: Callable[[Cell, list[Row]], None] | None = None,
    memory_limit: int | None = None,
    run: RunCell | None = None,
) -> Made:
    """Run the cells that the store does not have, and keep each as soon as it is done.

    A cell that fails is kept with its reason, and the others go on. One whose process is killed is tried once more,
    alone, before it counts as failed. Other benches may work on the same store: no cell is run by two of them, and
    the cells of one that was killed are taken over. A run that was interrupted goes on from its last checkpoint.

    Parameters
    ----------
    cells
        What to run.
    store
        Where rows are kept.
    jobs
        How many cells are run side by side.
    again
        The keys of cells to run although the store has them.
    report
        Called several times a second with where things stand.
    on_rows
        Called with every cell that was run here and its rows, after they were kept.
    memory_limit
        Bytes that a cell may have; more is a failure.
    run
        What a process does with a cell; by default `edgeorbit.experiments.cell.run_cell`.

    Returns
    -------
    Made
        What was made here; the other cells were made by other benches meanwhile.
    """
    bench = _Bench(cells, store, jobs, set(again), report, on_rows, memory_limit, run)
    if not bench.left:
        return Made(0, 0)
    try:
        bench.start()
        while bench.is_busy:
            bench.step()
    finally:
        bench.close()
    return Made(bench.done, bench.failed)


class _Bench:
    """The cells that are left, those that are running, and those that are to be tried again."""

    def __init__(
        self,
        cells: Sequence[Cell],
        store: Store,
        jobs: int,
        again: set[str],
        report: Report | None,
        on_rows: Callable[[Cell, list[Row]], None] | None,
        memory_limit: int | None,
        run: RunCell | None,
    ) -> None:
        self.store, self.jobs, self.report, self.on_rows = store, jobs, report, on_rows
        self.memory_limit, self.run = memory_limit, run
        self.busy: list[Worker] = []
        self.idle: list[Worker] = []
        self.retry: list[Cell] = []  # their claims are kept meanwhile
        self.tried: set[str] = set()
        self.alone = False  # whether a cell is being tried again
        self.done = self.failed = 0
        self.claims: Claims | None = None
        self._elsewhere = 0
        self._next_look = 0.0
        store.refresh()
        self._look_at_store()
        # A cell to run again is done when its rows are not the ones that are there now.
        self._before = {key: self._made[key] for key in again if key in self._made}
        self.left = self._estimates.order([cell for cell in cells if not self._is_done(cell)])

    @property
    def is_busy(self) -> bool:
        return bool(self.left or self.busy or self.retry)

    def start(self) -> None:
        self.store.clean()
        self.claims = Claims(self.store.side)
        self.claims.clean({key for key in self._made if key not in self._before}, code_digest())

    def step(self) -> None:
        """Start what can be started, wait a moment, and take what has come."""
        self._start_cells()
        self._tell(None)
        wait_for(self.busy, TICK_SECONDS if self.memory_limit is None else WATCH_SECONDS)
        for worker in list(self.busy):
            found = worker.result()
            if isinstance(found, list):
                self._put_aside(worker)
                self._keep(worker.cell, found)
            elif isinstance(found, str):
                self._lose(worker, found, again=True)
            elif self.memory_limit is not None and worker.memory() > self.memory_limit:
                reason = f"MemoryError: took more memory than the limit of {size_in_words(self.memory_limit)}"
                # What earlier cells left in the process may be to blame.
                self._lose(worker, reason, again=worker.cells > 1)
        for key in self._claims.refresh():  # this bench was stopped for minutes, and another one thought it dead
            for worker in [worker for worker in self.busy if worker.cell.key == key]:
                self._remove(worker)
                self.left.append(worker.cell)
            self.left += [cell for cell in self.retry if cell.key == key]
            self.retry = [cell for cell in self.retry if cell.key != key]

    def close(self) -> None:
        for worker in [*self.busy, *self.idle]:
            worker.stop()
        if self.claims is not None:
            self.claims.close()
            self.store.clean()

    @property
    def _claims(self) -> Claims:
        assert self.claims is not None, "start comes first"
        return self.claims

    def _start_cells(self) -> None:
        while self.left and len(self.busy) < self.jobs and not self.alone and time.monotonic() >= self._next_look:
            cell = self._claim_next()
            if cell is None:
                self._next_look = time.monotonic() + LOOK_SECONDS
                break
            self._start(cell)
        if self.retry and not self.busy and (not self.left or self._elsewhere == len(self.left)):
            for worker in self.idle:  # which have memory, too
                worker.stop()
            self.idle, self.alone = [], True
            self._start(self.retry.pop(0))

    def _start(self, cell: Cell) -> None:
        worker = self.idle.pop() if self.idle else Worker(self.run)
        worker.start(cell, self._claims.run_directory(cell.key, code_digest()))
        self.busy.append(worker)

    def _claim_next(self) -> Cell | None:
        """Return a cell that nobody has, and that is ours now; None if there is none."""
        self._drop_done()
        taken = self._claims.taken()
        for cell in list(self.left):
            if cell.key not in taken and self._claims.take(cell.key) and self._is_still_to_do(cell):
                return cell
        elsewhere = {cell.key: cell for cell in self.left if cell.key in taken}
        while (key := self._claims.take_over(elsewhere)) is not None:
            if self._is_still_to_do(elsewhere[key]):
                return elsewhere[key]
            del elsewhere[key]
        self._elsewhere = len(self.left)
        return None

    def _is_still_to_do(self, cell: Cell) -> bool:
        """Tell whether a cell, which was just claimed, was not finished by another bench before that."""
        self.left.remove(cell)
        if self.store.refresh():
            self._look_at_store()
        if self._is_done(cell):
            self._claims.release(cell.key)
            return False
        self._elsewhere = 0
        return True

    def _drop_done(self) -> None:
        if self.store.refresh():
            self._look_at_store()
            self.left = [cell for cell in self.left if not self._is_done(cell)]

    def _look_at_store(self) -> None:
        self._made: dict[str, Any] = dict(zip(self.store.column("key"), self.store.column("made"), strict=True))
        self._estimates = Estimates.from_store(self.store)

    def _is_done(self, cell: Cell) -> bool:
        return self._made.get(cell.key, ABSENT) is not ABSENT and (
            cell.key not in self._before or self._made[cell.key] != self._before[cell.key]
        )

    def _put_aside(self, worker: Worker) -> None:
        self.busy.remove(worker)
        self.idle.append(worker)
        self.alone = False

    def _remove(self, worker: Worker) -> None:
        worker.stop()
        self.busy.remove(worker)
        self.alone = False

    def _lose(self, worker: Worker, reason: str, again: bool) -> None:
        """Give a cell whose process is gone another try, or keep why it failed."""
        cell = worker.cell
        self._remove(worker)
        if again and cell.key not in self.tried:
            self.tried.add(cell.key)
            self.retry.append(cell)
        else:
            self._keep(cell, failed_rows(cell, reason + ("; it was tried twice" if cell.key in self.tried else "")))

    def _keep(self, cell: Cell, rows: list[Row]) -> None:
        self.store.add(rows)
        self._look_at_store()
        shutil.rmtree(self._claims.run_directory(cell.key, code_digest()), ignore_errors=True)
        self._claims.release(cell.key)
        self.done += 1
        self.failed += any(row.get("failed") for row in rows)
        if self.on_rows is not None:
            self.on_rows(cell, rows)
        self._tell((cell, rows))

    def _tell(self, finished: tuple[Cell, list[Row]] | None) -> None:
        if self.report is None:
            return
        running = tuple((worker.cell, worker.seconds) for worker in self.busy)
        waiting = [*self.left, *self.retry]
        elsewhere = min(self._elsewhere, len(self.left))
        seconds = self._estimates.total(waiting, self.jobs, running)
        self.report(Progress(running, finished, self.done, self.failed, len(waiting), elsewhere, seconds))
