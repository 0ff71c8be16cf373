"""How long the command line takes, the first time in a fresh environment and later."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter
from typing import Any

LATER_REPEATS = 3
LIMIT = 120


def measure_startup() -> dict[str, Any]:
    """Return the seconds that `edgeorbit ear cora` takes with nothing compiled and nothing derived, and afterwards."""
    command = Path(sys.executable).parent / "edgeorbit"
    if not command.exists():
        return {"note": "the command edgeorbit is not installed"}
    with tempfile.TemporaryDirectory() as fresh:
        environment = os.environ | {"NUMBA_CACHE_DIR": f"{fresh}/numba", "EDGEORBIT_CACHE": f"{fresh}/cache"}
        seconds = []
        for _ in range(1 + LATER_REPEATS):
            started = perf_counter()
            try:
                done = subprocess.run(
                    [command, "ear", "cora"],
                    env=environment,
                    capture_output=True,
                    text=True,
                    timeout=LIMIT,
                    check=False,
                )
            except subprocess.TimeoutExpired:
                return {"note": f"edgeorbit ear cora takes more than {LIMIT} s"}
            if done.returncode:
                return {"note": "edgeorbit ear cora: " + "".join(done.stderr.strip().splitlines()[-1:])[:200]}
            seconds.append(perf_counter() - started)
    return {"first": seconds[0], "later": min(seconds[1:])}
