"""Cells that do as they are told (sleep, raise, die, grow) and leave a trace; for tests of what runs them."""

import os
import signal
import time
from pathlib import Path

from edgeorbit.experiments.plan import Cell


def make_cell(log: Path, seed: int, do: str = "", seconds: float = 0.0) -> Cell:
    settings = {"do": do, "log": str(log), "seconds": seconds}
    return Cell("toy", {}, "constant", "ra", seed, ("random",), settings=settings)


def run(cell: Cell, directory: Path | None) -> list[dict]:
    """Run such a cell; every attempt adds lines with its beginning and, if it gets there, its end to the log."""
    do, log = cell.settings["do"], Path(cell.settings["log"])
    earlier = log.exists() and f"begin {cell.seed} " in log.read_text()
    note(log, "begin", cell)
    if do == "sleep once" and not earlier:
        time.sleep(120)
    if do == "die" or (do == "die once" and not earlier):
        os.kill(os.getpid(), signal.SIGKILL)
    if do == "grow":
        held = []
        while True:
            held.append(b"x" * (16 << 20))
            time.sleep(0.02)
    if do == "raise":
        raise ZeroDivisionError("a defect of a model")
    if do == "no memory":
        raise MemoryError
    time.sleep(cell.settings["seconds"])
    note(log, "end", cell)
    told = {"key": cell.key, "data": cell.data, "features": cell.features, "model": cell.model, "seed": cell.seed}
    return [told | {"negatives": "random", "test_auc": cell.seed / 100, "seconds": 1.0}]


def note(log: Path, what: str, cell: Cell) -> None:
    with log.open("a") as file:
        file.write(f"{what} {cell.seed} {os.getpid()} {time.time()}\n")
