"""Parts of PyTorch that take seconds to load and that most commands never use: they are loaded at their first use.

This is for the process of the command line alone. The modules are the real ones, so nothing else changes.
"""

import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import LazyLoader
from types import ModuleType

# PyTorch Geometric imports both when it is imported itself: the compiler of PyTorch, which only an optimizer asks for
# again, and its data sets, which bring in pandas.
POSTPONED = {"torch._dynamo", "torch_geometric.datasets"}


class _Postponing:
    """A finder of modules whose code runs when an attribute of theirs is first asked for."""

    @staticmethod
    def find_spec(name: str, path: Sequence[str] | None = None, target: ModuleType | None = None) -> ModuleSpec | None:
        spec = PathFinder.find_spec(name, path, target) if name in POSTPONED else None
        if spec is not None and spec.loader is not None:
            spec.loader = LazyLoader(spec.loader)
        return spec


def postpone_imports() -> None:
    """Postpone what is not yet loaded."""
    if _Postponing not in sys.meta_path:
        sys.meta_path.insert(0, _Postponing)
