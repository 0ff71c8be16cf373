"""Load faster what takes seconds to load, in the process of the command line alone.

The modules are the real ones, so nothing else changes.
"""

import importlib
import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import LazyLoader
from types import ModuleType

# PyTorch Geometric imports both when it is imported itself: the compiler of PyTorch, which only an optimizer asks for
# again, and its data sets, which bring in pandas.
POSTPONED = {"torch._dynamo", "torch_geometric.datasets"}


def load_numba_quickly() -> None:
    """Load numba without the linear algebra that it looks for in scipy, which takes a quarter of the start-up time.

    None of our kernels multiplies matrices, and afterwards scipy can be imported as ever.
    """
    blas = "scipy.linalg.cython_blas"
    if blas in sys.modules:
        return
    sys.modules[blas] = None  # type: ignore[assignment]
    try:
        importlib.import_module("numba.np.arraymath")
    finally:
        del sys.modules[blas]


def postpone_imports() -> None:
    """Load parts of PyTorch that most commands never use at their first use."""
    if _Postponing not in sys.meta_path:
        sys.meta_path.insert(0, _Postponing)


class _Postponing:
    """A finder of modules whose code runs when an attribute of theirs is first asked for."""

    @staticmethod
    def find_spec(name: str, path: Sequence[str] | None = None, target: ModuleType | None = None) -> ModuleSpec | None:
        spec = PathFinder.find_spec(name, path, target) if name in POSTPONED else None
        if spec is not None and spec.loader is not None:
            spec.loader = LazyLoader(spec.loader)
        return spec
