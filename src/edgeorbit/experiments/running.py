"""All cells of an experiment, several at a time, each in a process with one thread."""

import multiprocessing
import os
import traceback
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from typing import Any

from edgeorbit.errors import EdgeorbitError
from edgeorbit.experiments.plan import Cell
from edgeorbit.experiments.store import Store

Report = Callable[[int, Cell], None]  # cells that are done, and the last one of them
ONE_THREAD = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")


def run_cells(cells: Sequence[Cell], store: Store, jobs: int, report: Report | None = None) -> None:
    """Run the cells that the store does not have, and keep each as soon as it is done.

    A cell that fails is kept with its reason, and the others go on.
    """
    waiting = [cell for cell in cells if cell.key not in store.keys]
    done = 0
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(jobs, mp_context=context, initializer=_use_one_thread) as pool:
        running: dict[Future[list[dict[str, Any]]], Cell] = {}
        try:
            while waiting or running:
                while waiting and len(running) < jobs:
                    cell = waiting.pop(0)
                    running[pool.submit(_run, cell)] = cell
                finished, _ = wait(running, return_when=FIRST_COMPLETED)
                for future in finished:
                    cell = running.pop(future)
                    store.add(future.result())
                    done += 1
                    if report is not None:
                        report(done, cell)
        except BaseException:
            for process in (pool._processes or {}).values():  # they would go on to the end of their cells
                process.terminate()
            raise


def _use_one_thread() -> None:
    os.environ.update(dict.fromkeys(ONE_THREAD, "1"))


def _run(cell: Cell) -> list[dict[str, Any]]:
    from edgeorbit.experiments.cell import run_cell

    try:
        return run_cell(cell)
    except (EdgeorbitError, MemoryError) as error:
        reason = " ".join(str(error).split()) or type(error).__name__
    except Exception:  # a defect in one model must not end a night of runs; it is kept for all to see
        reason = traceback.format_exc(limit=-3)
    told = {"key": cell.key, "data": cell.data, "features": cell.features, "model": cell.model, "seed": cell.seed}
    return [told | {"negatives": kind, "failed": reason} for kind in cell.negatives]
