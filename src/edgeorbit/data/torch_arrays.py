"""Dictionaries of arrays that torch has saved, read without running anything in them.

Such a file is a pickle. It is opened by torch's `weights_only` unpickler, which knows tensors and little else; for
numpy arrays, which OGB's files hold, it is lent stand-ins that only remember what they are told. numpy's own
functions would do more than that: they trust the flags of a type in the file, and with wrong ones write outside of
their memory.
"""

import math
import re
import warnings
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from edgeorbit._memory import require_memory
from edgeorbit._text import shown
from edgeorbit.errors import EdgeorbitError, GraphFormatError, LimitExceededError, MissingExtraError
from edgeorbit.graph.reading.source import Source

Arrays = dict[str, npt.NDArray[Any]]

OLDEST_TORCH = (2, 6)  # before, `weights_only` did not hold for files of the older kind, as those of OGB are
BYTES_PER_BYTE = 4  # at the peak: a text of bytes in the file, the text, the bytes
NUMBER_TYPE = re.compile(r"[iuf][1248]")


class StoredType:
    """Stands in for `numpy.dtype`: remembers the type and the order of its bytes."""

    def __init__(self, code: Any = "", *flags: Any) -> None:
        self.code, self.order = code, "="

    def __setstate__(self, state: Any) -> None:
        """Take the order of bytes from the state of a numpy type."""
        self.order = state[1]

    def numpy_type(self) -> np.dtype[Any]:
        """Return the type, if it is one of numbers."""
        if not (isinstance(self.code, str) and NUMBER_TYPE.fullmatch(self.code) and self.order in ("=", "<", ">", "|")):
            raise ValueError(f"its numbers are of type {self.code}")
        return np.dtype(("=" if self.order == "|" else self.order) + self.code)


class StoredArray:
    """Stands in for `numpy.ndarray` and the function that makes one: remembers the shape, the type and the bytes."""

    def __init__(self, *arguments: Any) -> None:
        self.state: Any = None

    def __setstate__(self, state: Any) -> None:
        """Keep the state of a numpy array."""
        self.state = state

    def numpy_array(self) -> npt.NDArray[Any]:
        """Return the array, if its parts fit together."""
        _, shape, stored_type, is_fortran, content = self.state
        if not isinstance(stored_type, StoredType) or not isinstance(content, bytes):
            raise ValueError("it holds something else than numbers")
        number_type = stored_type.numpy_type()
        if not all(type(length) is int and length >= 0 for length in shape):
            raise ValueError(f"an array has the shape {shape}")
        if math.prod(shape) * number_type.itemsize != len(content):
            raise ValueError(f"an array of shape {shape} has {len(content)} bytes")
        flat = np.frombuffer(content, number_type)
        return flat.reshape(shape, order="F" if is_fortran else "C").astype(number_type.newbyteorder("="), copy=False)


def no_bytes() -> bytes:
    """Stand in for `bytes`, which an empty array calls."""
    return b""


STAND_INS = [
    (StoredArray, "numpy.core.multiarray._reconstruct"),
    (StoredArray, "numpy._core.multiarray._reconstruct"),
    (StoredArray, "numpy.ndarray"),
    (StoredType, "numpy.dtype"),
    (no_bytes, "builtins.bytes"),
]


def read_torch_arrays(path: Path) -> Arrays:
    """Read a dictionary of arrays, numpy's or torch's, from a file that `torch.save` wrote.

    Raises
    ------
    GraphFormatError
        If the file is anything else; nothing in it was run.
    MissingExtraError
        If torch is not installed, or too old to read such files safely.
    LimitExceededError
        If the file needs more memory than there is.
    """
    torch = _import_torch(path)
    try:
        require_memory(str(path), BYTES_PER_BYTE * unpacked_bytes(Source(path)))
        with warnings.catch_warnings(), torch.serialization.safe_globals(STAND_INS):
            warnings.simplefilter("ignore")
            stored = torch.load(path, map_location="cpu", weights_only=True)
        if not isinstance(stored, dict) or not all(isinstance(key, str) for key in stored):
            raise ValueError("it is no dictionary")
        return {key: _as_array(stored.pop(key), torch) for key in list(stored)}
    except EdgeorbitError:
        raise
    except MemoryError:
        raise LimitExceededError(f"{path}: does not fit into memory; use a larger machine") from None
    except Exception as error:
        raise GraphFormatError(f"{path}: is not a readable file of arrays ({_reason(error)}); fetch it again") from None


def unpacked_bytes(source: Source) -> int:
    """Return the size of a file that torch has saved; torch also reads zip archives that were packed."""
    try:
        with zipfile.ZipFile(source.path) as archive:
            return max(source.size, sum(member.file_size for member in archive.infolist()))
    except (zipfile.BadZipFile, NotImplementedError):  # of the older kind, which packs nothing, or damaged
        return source.size


def _as_array(value: Any, torch: Any) -> npt.NDArray[Any]:
    if isinstance(value, StoredArray):
        return value.numpy_array()
    if isinstance(value, torch.Tensor):
        array: npt.NDArray[Any] = value.detach().numpy()
        if array.nbytes > value.untyped_storage().nbytes():  # a copy would be larger than the file
            raise ValueError("the values of an array overlap")
        return array
    raise ValueError(f"it holds a {type(value).__name__}")


def _reason(error: Exception) -> str:
    """Return what is wrong, without torch's advice to read the file unsafely."""
    text = str(error)
    if asked := re.search(r"GLOBAL (\S+)", text):
        return f"it asks for {shown(asked[1])}, which is not part of one"
    if isinstance(error, ValueError) and not isinstance(error, UnicodeError):
        return shown(text, 100)
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return "it is damaged"


def _import_torch(path: Path) -> Any:
    try:
        import torch
    except ImportError:
        raise MissingExtraError(f"{path}: is read with torch; install it with pip install 'edgeorbit[pyg]'") from None
    found = tuple(int(number) for number in re.findall(r"\d+", torch.__version__)[:2])
    if found < OLDEST_TORCH:
        raise MissingExtraError(
            f"{path}: torch {torch.__version__} does not read such files safely; install torch 2.6 or newer"
        )
    return torch
