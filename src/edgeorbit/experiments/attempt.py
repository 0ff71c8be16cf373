"""One run in a process or on a worker: whatever comes of it becomes rows."""

import shutil
import time
import traceback
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from edgeorbit import __version__
from edgeorbit.data.files import cache_dir
from edgeorbit.errors import EdgeorbitError, MissingExtraError, naming_extras
from edgeorbit.experiments.plan import Cell
from edgeorbit.prediction.result import provenance

Row = dict[str, Any]
RunCell = Callable[[Cell, Path | None], list[Row]]

KEPT_SECONDS = 14 * 86400  # how long a worker keeps checkpoints of runs that nobody resumed


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


def unfit(version: str) -> str:
    """Return why this process cannot be a worker for a version of the package; nothing if it can."""
    return "" if version == __version__ else f"it has edgeorbit {__version__}, and this is {version}"


def failed_rows(cell: Cell, reason: str) -> list[Row]:
    """Return the rows of a run that failed."""
    shared = {"key": cell.key, "data": cell.data, "features": cell.features, "model": cell.model, "seed": cell.seed}
    return [shared | _origin(cell) | {"negatives": kind, "failed": reason} for kind in cell.negatives]


def _origin(cell: Cell) -> dict[str, str]:
    return provenance(cell.model, cell.settings, cell.training, synthetic=cell.is_synthetic)
