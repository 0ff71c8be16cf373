"""Collated graphs in a file of tensors, which cannot run code when it is read.

PyG's own `InMemoryDataset.load` falls back on full unpickling if a file asks for it; this one refuses.
"""

import io
import pickle
from pathlib import Path
from typing import Any, BinaryIO

import torch

from edgeorbit._files import atomic_path
from edgeorbit._memory import require_memory
from edgeorbit.data.torch_arrays import unpacked_bytes
from edgeorbit.errors import EdgeorbitError, GraphFormatError, InvalidParameterError
from edgeorbit.graph.reading.source import Source

COPIES = 2  # what is in the file, and what is made of it
ZIP_MAGIC = b"PK\x03\x04"
UNREADABLE = (
    *(OSError, EOFError, ValueError, LookupError, TypeError, AttributeError, AssertionError, RuntimeError),
    pickle.PickleError,
)


def write_collated(data: dict[str, Any], slices: dict[str, Any] | None, path: Path) -> None:
    """Write what `InMemoryDataset.collate` returned, if it can be read back.

    Raises
    ------
    InvalidParameterError
        If there is something else in it than tensors, numbers, texts, lists and dictionaries.
    """
    stored = _to_bytes({"data": data, "slices": slices})
    if stored is None:
        unsafe = ", ".join(name for name, value in data.items() if _to_bytes(value) is None)
        raise InvalidParameterError(
            f"{unsafe} of the graphs cannot be stored as tensors, numbers and texts; "
            "make it in transform instead of pre_transform"
        )
    with atomic_path(path) as temporary:
        temporary.write_bytes(stored)


def read_collated(path: Path) -> tuple[dict[str, Any], dict[str, Any] | None]:
    """Read what `write_collated` wrote.

    Raises
    ------
    GraphFormatError
        If the file is anything else.
    """
    try:
        source = Source(path)
        require_memory(source.shown, COPIES * unpacked_bytes(source))
        with path.open("rb") as file:
            stored = _load(file)
        data, slices = stored["data"], stored["slices"]
        if not isinstance(data, dict) or not isinstance(slices, dict | None):
            raise ValueError("not collated")
    except EdgeorbitError:
        raise
    except UNREADABLE:
        raise GraphFormatError(
            f"{path}: holds no graphs that can be read safely; delete it, or make them again with force_reload=True"
        ) from None
    return data, slices


def _load(file: BinaryIO) -> Any:
    # torch reads files of its older kinds by other code, in which `weights_only` was once not enough.
    if file.read(len(ZIP_MAGIC)) != ZIP_MAGIC:
        raise ValueError("not a zip file")
    file.seek(0)
    return torch.load(file, map_location="cpu", weights_only=True)


def _to_bytes(value: Any) -> bytes | None:
    """Return a value as the content of a file, or None if it could not be read back safely."""
    buffer = io.BytesIO()
    try:
        torch.save(value, buffer)
        buffer.seek(0)
        _load(buffer)
    except UNREADABLE:
        return None
    return buffer.getvalue()
