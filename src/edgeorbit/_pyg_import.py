"""Import PyTorch Geometric without the compiler of PyTorch, which takes longer to import than all the rest of it.

PyG imports `torch._dynamo` for one comparison, which nothing here makes. In its place there is a module that imports it
when something is looked up in it; afterwards it is imported as usual, whenever it is asked for.
"""

import importlib
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any

COMPILER = "torch._dynamo"


class _Deferred(ModuleType):
    """A module that is imported when it is first looked into."""

    def __getattr__(self, name: str) -> Any:
        if sys.modules.get(self.__name__) is self:
            del sys.modules[self.__name__]
        return getattr(importlib.import_module(self.__name__), name)


@contextmanager
def deferring_compiler() -> Iterator[None]:
    """Let the block, which imports PyG, leave PyTorch's compiler out.

    >>> with deferring_compiler():
    ...     import torch_geometric
    >>> import torch._dynamo
    >>> torch._dynamo.__file__ is not None
    True
    """
    if COMPILER in sys.modules:
        yield
        return
    import torch  # noqa: F401  # the package of the module

    placeholder = sys.modules.setdefault(COMPILER, _Deferred(COMPILER))
    try:
        yield
    finally:
        if sys.modules.get(COMPILER) is placeholder and isinstance(placeholder, _Deferred):
            del sys.modules[COMPILER]
