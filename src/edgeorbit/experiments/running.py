"""Run the jobs of an experiment or a search on an executor, and keep each result as soon as it is there.

`Runner` is the one loop over futures. `run_cells` hands the cells of an experiment to it; `attempt` is what runs in a
process or on a worker, and turns whatever happens there into rows.
"""

import shutil
import time
import traceback
from collections.abc import Callable, Collection, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Generic, TypeVar

from edgeorbit import __version__
from edgeorbit.data.files import cache_dir
from edgeorbit.errors import EdgeorbitError, MissingExtraError, naming_extras
from edgeorbit.experiments.executors import Cluster, LocalPool, ThisProcess
from edgeorbit.experiments.plan import Cell
from edgeorbit.experiments.state import Estimates
from edgeorbit.experiments.store import Row, Store
from edgeorbit.prediction.result import provenance

Job = TypeVar("Job")
AnyExecutor = LocalPool | Cluster | ThisProcess

TICK_SECONDS = 0.25
RUN = ".run"  # what the names of directories with checkpoints end with
RunCell = Callable[[Cell, Path | None], list[Row]]

KEPT_SECONDS = 14 * 86400  # how long a worker keeps checkpoints of runs that nobody resumed


class Runner(Generic[Job]):
    """Runs jobs side by side until there are none left.

    A job whose process is killed is tried once more, when nothing else is running: memory may have been short.

    Parameters
    ----------
    executor
        Where jobs run.
    take
        Returns the next job, or None if there is none.
    submit
        Hands a job to the executor.
    keep
        Called with every job and its result, or with None and the reason if the job was lost.
    tick
        Called several times a second with the jobs that are running and for how many seconds, and with those that are
        to be tried again.
    """

    def __init__(
        self,
        executor: AnyExecutor,
        take: Callable[[], Job | None],
        submit: Callable[[Job], Future[Any]],
        keep: Callable[[Job, Any, str], None],
        tick: Callable[[list[tuple[Job, float]], list[Job]], None],
    ) -> None:
        self.executor, self.take, self.submit, self.keep, self.tick = executor, take, submit, keep, tick
        self.running: dict[Future[Any], tuple[Job, float]] = {}
        self.next: Job | None = None
        self.retry: list[Job] = []
        self.tried: list[Job] = []
        self.alone = False  # whether a job is being tried again

    def run(self) -> None:
        """Run all jobs."""
        while True:
            self._start()
            if not self.running and not self.retry and self.next is None:
                return
            self._tick()
            finished, _ = wait(self.running, TICK_SECONDS, FIRST_COMPLETED)
            if not self.running:
                time.sleep(TICK_SECONDS)  # a cluster without workers
            for future in finished:
                self._finish(future)
            self.executor.watch_memory()

    def _start(self) -> None:
        while not self.alone:
            # A job is taken as late as possible: a search chooses it by the results of those before it.
            has_room = len(self.running) < self.executor.capacity()
            if self.next is None and (has_room or not self.running):
                self.next = self.take()
            if self.next is None or not has_room:
                break
            job, self.next = self.next, None
            self._submit(job)
        if self.retry and not self.running and self.next is None:
            self.executor.rest()
            self.alone = True
            self._submit(self.retry.pop(0))

    def _submit(self, job: Job) -> None:
        self.running[self.submit(job)] = job, time.monotonic()

    def _finish(self, future: Future[Any]) -> None:
        job, _ = self.running.pop(future)
        first = self.executor.is_first_job(future)
        reason = self.executor.take_back(future)
        self.alone = False
        if reason is None:
            error = future.exception()
            if isinstance(error, EdgeorbitError):
                raise error  # such as a worker with other sources, which concerns all jobs
            lost = "" if error is None else f"{type(error).__name__}: {' '.join(str(error).split())}"
            self.keep(job, None if error else future.result(), lost)
        elif job in self.tried:
            self.keep(job, None, f"{reason}; it was tried twice")
        elif first and reason.startswith("MemoryError"):
            self.keep(job, None, reason)
        else:
            self.tried.append(job)
            self.retry.append(job)

    def _tick(self) -> None:
        now = time.monotonic()
        self.tick([(job, now - begun) for job, begun in self.running.values()], self.retry)


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


def attempt(run: RunCell | None, cell: Cell, directory: Path | None) -> list[Row]:
    """Run a cell and return its rows; if it raises, rows with the reason. A missing dependency is an error.

    Parameters
    ----------
    run
        What is done with a cell; by default `edgeorbit.experiments.cell.run_cell`.
    cell
        The cell.
    directory
        Where checkpoints are kept.
    """
    origin = _origin(cell)  # of the sources as they are now, before they are loaded
    if run is None:
        from edgeorbit.experiments.cell import run_cell

        run = run_cell
    try:
        with naming_extras(cell.model):
            return [row | origin for row in run(cell, directory)]
    except MissingExtraError:  # says nothing about the model, so that no row is kept
        raise
    except MemoryError as error:
        reason = f"MemoryError: {' '.join(str(error).split()) or 'the memory of the machine was not enough'}"
    except EdgeorbitError as error:
        reason = " ".join(str(error).split()) or type(error).__name__
    except Exception:  # a defect in one model must not end a night of runs; it is kept for all to see
        reason = traceback.format_exc(limit=-3)
    return failed_rows(cell, reason)


def attempt_in_cache(run: RunCell | None, cell: Cell, code: str) -> list[Row]:
    """Run a cell on a worker of a cluster, with checkpoints in the cache of its machine.

    Raises
    ------
    EdgeorbitError
        If the worker has other sources than the process that planned the run.
    """
    if code != cell.code:
        raise EdgeorbitError(
            f"a worker has edgeorbit {__version__} with other sources; install the same on all machines"
        )
    jobs = cache_dir() / "jobs"
    jobs.mkdir(parents=True, exist_ok=True)
    for place in jobs.iterdir():
        with suppress(OSError):
            if time.time() - place.stat().st_mtime > KEPT_SECONDS:
                shutil.rmtree(place)
    # The directory stays: if the rows are lost on their way, the finished run is found again.
    return attempt(run, cell, jobs / f"{cell.key}-{code}")


def connect(scheduler: str) -> Cluster:
    """Return the workers of a dask cluster, after checking that they have this version of the package."""
    return Cluster(scheduler, partial(unfit, __version__))


def unfit(version: str) -> str:
    """Return why this process cannot be a worker for a version of the package; nothing if it can."""
    return "" if version == __version__ else f"it has edgeorbit {__version__}, and this is {version}"


def failed_rows(cell: Cell, reason: str) -> list[Row]:
    """Return the rows of a run that failed."""
    shared = {"key": cell.key, "data": cell.data, "features": cell.features, "model": cell.model, "seed": cell.seed}
    return [shared | _origin(cell) | {"negatives": kind, "failed": reason} for kind in cell.negatives]


def _origin(cell: Cell) -> dict[str, str]:
    return provenance(cell.model, cell.settings, cell.training, synthetic=cell.is_synthetic)
