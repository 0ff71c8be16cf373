"""The one loop that hands jobs to an executor, for experiments and for searches."""

import time
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, wait
from typing import Any, Generic, TypeVar

from edgeorbit.errors import EdgeorbitError
from edgeorbit.experiments.executors import Cluster, LocalPool, ThisProcess

Job = TypeVar("Job")
AnyExecutor = LocalPool | Cluster | ThisProcess

TICK_SECONDS = 0.25


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
