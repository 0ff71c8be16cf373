"""Arrays from untrusted files: npy and npz files, and the entries of sparse matrices.

The shape of an array is known before it is read, and pickles are never loaded. Sparse matrices are unpacked here and
not by scipy, which trusts their arrays: with contradictory ones it writes outside its memory, even after its own full
check.
"""

import math
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from io import BytesIO
from typing import IO, Any

import numpy as np
import numpy.typing as npt

from edgeorbit._memory import require_memory
from edgeorbit._text import shown
from edgeorbit.graph.graph import MAX_NODES, Graph
from edgeorbit.graph.reading.source import Source

WAY_OUT = "check that the file is complete, or write it again"
BYTES_PER_NODE = 24
BYTES_PER_ENTRY = 24
BYTES_TO_UNPACK = 64  # for an entry, when a sparse matrix is unpacked: rows and columns of 64 bits several times
Entries = npt.NDArray[np.int64]
HEADER_BYTES = 1 << 14  # numpy's own headers are shorter, but one may claim any length
COPIES = 2  # the array, and what is made of it
Opener = Callable[[], AbstractContextManager[IO[bytes]]]


class StoredArray:
    """An array in a file: its shape and type, and on demand its values.

    Attributes
    ----------
    shape, dtype, ndim, size
        As of the array.
    """

    def __init__(self, source: Source, open_content: Opener, length: int) -> None:
        self._source, self._open = source, open_content
        with open_content() as file:
            beginning = BytesIO(file.read(HEADER_BYTES))
        version = np.lib.format.read_magic(beginning)
        if version not in ((1, 0), (2, 0)):
            raise ValueError(f"an array is stored in version {version[0]} of the format")
        read_header = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
        self.shape, _, self.dtype = read_header(beginning)
        if self.dtype.hasobject:
            raise source.error("holds pickled objects, which are not read; save plain arrays")
        if min(self.shape, default=0) < 0 or beginning.tell() + self.nbytes > length:
            raise ValueError(f"an array of shape {self.shape} is cut off")

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """The number of values."""
        return math.prod(self.shape)

    @property
    def nbytes(self) -> int:
        """The bytes of all values."""
        return self.size * self.dtype.itemsize

    def read(self) -> npt.NDArray[Any]:
        """Return the array, if it and a copy fit into memory."""
        require_memory(self._source.shown, COPIES * self.nbytes)
        with self._open() as file:
            array: npt.NDArray[Any] = np.lib.format.read_array(file, allow_pickle=False)
            return array


class StoredArrays(Mapping[str, npt.NDArray[Any]]):
    """The arrays of an npz file by name, each read when it is asked for."""

    def __init__(self, source: Source, archive: zipfile.ZipFile) -> None:
        self._source, self._archive = source, archive
        self._members = {member.filename.removesuffix(".npy"): member for member in archive.infolist()}

    def __iter__(self) -> Iterator[str]:
        """Go through the names."""
        return iter(self._members)

    def __len__(self) -> int:
        """Return how many arrays there are."""
        return len(self._members)

    def __contains__(self, name: object) -> bool:
        """Tell whether there is an array of that name, without reading it as Mapping would."""
        return name in self._members

    def __getitem__(self, name: str) -> npt.NDArray[Any]:
        """Read an array."""
        return self.stored(name).read()

    def stored(self, name: str) -> StoredArray:
        """Return an array that is not read yet."""
        member = self._members[name]
        return StoredArray(self._source, lambda: self._archive.open(member), member.file_size)


@contextmanager
def open_npz(source: Source, way_out: str = WAY_OUT) -> Iterator[StoredArrays]:
    """Open an npz file; whatever fails inside the block over its content becomes one sentence.

    Raises
    ------
    GraphFormatError
        If the file is no npz file.
    LimitExceededError
        If an array does not fit into memory.
    """
    with source.open_seekable() as file, source.wrapping("npz file", way_out), zipfile.ZipFile(file) as archive:
        names = archive.namelist()
        if not names or not all(name.endswith(".npy") for name in names):
            found = shown(", ".join(names) or "nothing", 80)
            raise source.error(f"is a zip archive of {found}, not of numpy arrays; unpack it first")
        yield StoredArrays(source, archive)


@contextmanager
def open_npy(source: Source, way_out: str = WAY_OUT) -> Iterator[StoredArray]:
    """Open an npy file, as `open_npz` does an npz file."""
    with source.open_seekable() as file, source.wrapping("npy file", way_out):
        length = file.seek(0, 2)

        def from_the_start() -> AbstractContextManager[IO[bytes]]:
            file.seek(0)
            return nullcontext(file)  # which stays open

        yield StoredArray(source, from_the_start, length)


def check_shape(source: Source, shape: Sequence[int], line: int | None = None) -> None:
    """Raise an error for a shape that is not square or too large."""
    if len(shape) != 2 or shape[0] != shape[1]:
        sizes = " x ".join(map(str, shape))
        raise source.error(f"the matrix is {sizes}; give an adjacency matrix, which is square", line)
    if not 0 <= shape[0] <= MAX_NODES:
        raise source.error(f"the matrix has {shape[0]} rows; give at most {MAX_NODES}", line)
    require_memory(source.shown, BYTES_PER_NODE * shape[0])


def compressed_entries(
    starts: npt.NDArray[Any], inner: npt.NDArray[Any], values: Sequence[npt.NDArray[Any]], shape: Sequence[int]
) -> Entries:
    """Return where a matrix in compressed rows (or columns) is not zero: its outer and inner numbers.

    Parameters
    ----------
    starts
        Where each row starts in `inner`, and where the last one ends.
    inner
        The column of every entry.
    values
        One array of values for every entry, or several, such as the real and the imaginary parts.
    shape
        The number of rows and of columns.

    Raises
    ------
    ValueError
        If the arrays contradict each other or the shape.

    Examples
    --------
    >>> compressed_entries(np.array([0, 1, 3]), np.array([1, 0, 1]), [np.array([5, 6, 0])], (2, 2)).tolist()
    [[0, 1], [1, 0]]
    """
    for array in (starts, inner):
        if array.ndim != 1 or array.dtype.kind not in "iu":
            raise ValueError("its index arrays are no lists of whole numbers")
    starts, inner = starts.astype(np.int64), inner.astype(np.int64)
    if len(starts) != shape[0] + 1 or starts[0] != 0 or (starts[1:] < starts[:-1]).any():
        raise ValueError("its rows or columns overlap")
    count = int(starts[-1])
    if any(array.ndim != 1 or len(array) < count for array in (inner, *values)):
        raise ValueError("entries are missing")
    inner = inner[:count]
    if count and not 0 <= inner.min() <= inner.max() < shape[1]:
        raise ValueError(f"an entry lies outside its {shape[0]} rows and {shape[1]} columns")
    outer = np.repeat(np.arange(shape[0]), np.diff(starts))
    return np.stack([outer, inner])[:, _are_filled(values, count)]


def listed_entries(
    row: npt.NDArray[Any], column: npt.NDArray[Any], values: Sequence[npt.NDArray[Any]], shape: Sequence[int]
) -> Entries:
    """Return where a matrix that lists its entries is not zero; a ValueError says what is contradictory.

    >>> listed_entries(np.array([0, 1]), np.array([1, 0]), [np.array([0, 2])], (2, 2)).tolist()
    [[1], [0]]
    """
    count = len(values[0]) if values[0].ndim == 1 else -1
    for array, size in ((row, shape[0]), (column, shape[1])):
        if array.shape != (count,) or array.dtype.kind not in "iu":
            raise ValueError("its index arrays are no lists of whole numbers, one for every entry")
        if count and not 0 <= int(array.min()) <= int(array.max()) < size:
            raise ValueError(f"an entry lies outside its {shape[0]} rows and {shape[1]} columns")
    return np.stack([row, column]).astype(np.int64)[:, _are_filled(values, count)]


def _are_filled(values: Sequence[npt.NDArray[Any]], count: int) -> npt.NDArray[np.bool_]:
    if not values or any(array.dtype.kind not in "biufc" for array in values):
        raise ValueError("its values are no numbers")
    filled: npt.NDArray[np.bool_] = np.any([array[:count] != 0 for array in values], axis=0)
    return filled


def graph_from_entries(source: Source, entries: Entries, size: int, name: str, threads: int | None) -> Graph:
    """Build a graph from the rows and columns where a square matrix is not zero."""
    require_memory(source.shown, BYTES_PER_ENTRY * entries.shape[1])
    return Graph.from_edges(entries.T, size, threads=threads, name=name)
