"""The one way kernels are compiled: cached on disk, without the interpreter lock, without bounds checks.

Only modules that hold kernels import this one, and they are imported when first used, because numba alone takes
half a second to load.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numba
from numba.core import event

kernel = numba.njit(nogil=True, cache=True, error_model="numpy")
inlined = numba.njit(inline="always", error_model="numpy")


class _FirstCompilation(event.Listener):
    def __init__(self, announce: Callable[[], None]) -> None:
        self.announce: Callable[[], None] | None = announce

    def on_start(self, event: Any) -> None:
        if self.announce is not None:
            self.announce()
            self.announce = None

    def on_end(self, event: Any) -> None:
        pass


@contextmanager
def announcing_compilation(announce: Callable[[], None]) -> Iterator[None]:
    """Call `announce` once if, inside the block, a kernel has to be compiled instead of read from the cache."""
    with event.install_listener("numba:compile", _FirstCompilation(announce)):
        yield
