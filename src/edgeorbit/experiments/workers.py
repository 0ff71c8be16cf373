"""Processes that run cells, one at a time each: what ends one of them ends one cell and no more."""

import multiprocessing
import os
import queue
import signal
import threading
import time
import traceback
from collections.abc import Callable
from contextlib import suppress
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any

from edgeorbit.errors import EdgeorbitError, InvalidParameterError
from edgeorbit.experiments.plan import Cell
from edgeorbit.experiments.provenance import code_digest, provenance

Row = dict[str, Any]
RunCell = Callable[[Cell, Path | None], list[Row]]

ONE_THREAD = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS")
PAGE = 4096 if os.name == "nt" else os.sysconf("SC_PAGE_SIZE")


class Worker:
    """A process with one thread of computation, which runs cells until it is stopped.

    It lives for many cells, as loading PyTorch takes longer than most of them. It ends with the process that started
    it, however that ends: it notices that nobody holds the other end of its pipe.

    Parameters
    ----------
    run
        What it does with a cell and the place for its checkpoints; it must be importable by name.
    """

    def __init__(self, run: RunCell | None = None) -> None:
        context = multiprocessing.get_context("spawn")
        self._pipe, other = context.Pipe()
        self._process = context.Process(target=_serve, args=(other, run), daemon=True)
        self._process.start()
        other.close()
        self.cells = 0  # that it was given
        self._cell: Cell | None = None
        self._begun = 0.0

    @property
    def cell(self) -> Cell:
        """The cell that it runs, or ran last."""
        if self._cell is None:
            raise RuntimeError("the worker was given no cell yet")
        return self._cell

    @property
    def seconds(self) -> float:
        """How long the cell has been running."""
        return time.monotonic() - self._begun

    @property
    def pid(self) -> int | None:
        """The process id."""
        return self._process.pid

    def start(self, cell: Cell, directory: Path | None) -> None:
        """Give it a cell."""
        self._cell, self._begun = cell, time.monotonic()
        self.cells += 1
        with suppress(OSError):  # it was killed while it had nothing to do; `result` will tell
            self._pipe.send((cell, directory))

    def result(self) -> list[Row] | str | None:
        """Return the rows of the cell; None while it is running, or why there are none if the process ended."""
        try:
            if self._pipe.poll():
                rows: list[Row] = self._pipe.recv()
                return rows
        except (EOFError, OSError):
            self._process.join()
        if self._process.is_alive():
            return None
        code = self._process.exitcode or 0
        if code >= 0:
            return f"its process ended with code {code}"
        return f"was killed (signal {-code})" + (", most likely for memory" if -code == 9 else "")

    def memory(self) -> int:
        """Return the bytes of memory that the process has now, as far as the system tells."""
        try:
            return int(Path(f"/proc/{self.pid}/statm").read_text(encoding="ascii").split()[1]) * PAGE
        except (OSError, ValueError, IndexError):
            return 0

    def stop(self) -> None:
        """End the process, whatever it is doing."""
        self._process.kill()
        self._process.join()
        self._pipe.close()


def wait_for(workers: list[Worker], seconds: float) -> None:
    """Return when one of the workers has something to tell, or after some time."""
    if workers:
        wait([place for worker in workers for place in (worker._pipe, worker._process.sentinel)], seconds)
    else:
        time.sleep(seconds)


def check_memory_limit(gigabytes: float | None) -> int | None:
    """Return a limit in bytes.

    Raises
    ------
    InvalidParameterError
        If it is not above 0, or the system does not tell how much memory a process has.
    """
    if gigabytes is None:
        return None
    if not gigabytes > 0:
        raise InvalidParameterError(f"the memory limit must be above 0 GB, not {gigabytes:g}")
    if not Path("/proc/self/statm").exists():
        raise InvalidParameterError("this system does not tell the memory of a process; leave the memory limit out")
    return int(gigabytes * 2**30)


def failed_rows(cell: Cell, reason: str) -> list[Row]:
    """Return what is kept of a cell that failed."""
    told = {"key": cell.key, "data": cell.data, "features": cell.features, "model": cell.model, "seed": cell.seed}
    told |= provenance(cell.settings, cell.training)
    return [told | {"negatives": kind, "failed": reason} for kind in cell.negatives]


def _serve(pipe: Connection, run: RunCell | None) -> None:
    """Run the cells that come through a pipe, and send their rows back, until the other end is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # who interrupts the bench gets one message, and not one per process
    os.environ.update(dict.fromkeys(ONE_THREAD, "1"))
    with suppress(OSError):  # where memory is short, a cell must go and not the bench
        Path("/proc/self/oom_score_adj").write_text("500", encoding="ascii")
    given: queue.SimpleQueue[tuple[Cell, Path | None]] = queue.SimpleQueue()
    threading.Thread(target=_receive, args=(pipe, given), daemon=True).start()
    code_digest()  # of the sources as they are now, when they are loaded
    if run is None:
        from edgeorbit.experiments.cell import run_cell

        run = run_cell
    while True:
        cell, directory = given.get()
        pipe.send(_attempt(run, cell, directory))


def _receive(pipe: Connection, given: "queue.SimpleQueue[tuple[Cell, Path | None]]") -> None:
    """Pass cells on; end this process, in the middle of a cell too, when nobody is there to take its rows."""
    try:
        while True:
            given.put(pipe.recv())
    except (EOFError, OSError):
        os._exit(1)


def _attempt(run: RunCell, cell: Cell, directory: Path | None) -> list[Row]:
    try:
        return [row | provenance(cell.settings, cell.training) for row in run(cell, directory)]
    except MemoryError as error:
        reason = f"MemoryError: {' '.join(str(error).split()) or 'the memory of the machine was not enough'}"
    except EdgeorbitError as error:
        reason = " ".join(str(error).split()) or type(error).__name__
    except Exception:  # a defect in one model must not end a night of runs; it is kept for all to see
        reason = traceback.format_exc(limit=-3)
    return failed_rows(cell, reason)
