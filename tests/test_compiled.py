"""Kernels can be compiled with checks of every index, which is how `make boundscheck` runs their tests."""

import os
import subprocess
import sys

KERNEL = """
import numpy as np
from edgeorbit._compiled import inlined, kernel

@inlined
def take(values, place):
    return values[place]

@kernel
def read(values, place):
    return take(values, place)

read(np.zeros(3, np.int32), 1000)
"""


def test_an_index_outside_of_an_array_is_an_error_where_bounds_are_checked(tmp_path):
    module = tmp_path / "reading.py"
    module.write_text(KERNEL)
    checked = os.environ | {"NUMBA_BOUNDSCHECK": "1", "NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    done = subprocess.run([sys.executable, module], env=checked, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "IndexError" in done.stderr
