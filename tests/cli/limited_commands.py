"""Commands in processes that may hold little memory and must end soon."""

import os
import subprocess
import sys
from typing import NamedTuple

LIMIT = 2 << 30  # bytes
LIMITING = (
    "import resource; resource.setrlimit(resource.RLIMIT_CORE, (0, 0)); "
    f"resource.setrlimit(resource.RLIMIT_DATA, ({LIMIT}, {LIMIT}))\n"
)
COMMAND = "from edgeorbit.cli.main import main; main()"
# Every thread has a stack and an arena of its own, which count as if they were used.
FEW_THREADS = dict.fromkeys(("NUMBA_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "2")


class Ended(NamedTuple):
    """How a command ended: its exit code, and what it wrote to standard error."""

    code: int
    err: str


def run_limited(*arguments: object, code: str = COMMAND, seconds: float = 300) -> Ended:
    """Run `edgeorbit` with arguments in a process that can allocate 2 GB; an error if it does not end in time."""
    ended = subprocess.run(
        [sys.executable, "-c", LIMITING + code, *map(str, arguments)],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        env={**os.environ, **FEW_THREADS},
        timeout=seconds,
        check=False,
    )
    return Ended(ended.returncode, ended.stderr)
