"""Arrays in npy and npz files, whose shapes are known before anything is read. Never with pickles."""

import math
import warnings
import zipfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from io import BytesIO
from typing import IO, Any

import numpy as np
import numpy.typing as npt

from edgeorbit.graph.reading.adjacency import WAY_OUT
from edgeorbit.graph.reading.memory import require_memory
from edgeorbit.graph.reading.source import Source, shown

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
        with _without_advice():
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
        with self._open() as file, _without_advice():
            array: npt.NDArray[Any] = np.lib.format.read_array(file, allow_pickle=False)
            return array


@contextmanager
def _without_advice() -> Iterator[None]:
    """Keep numpy's advice about files of Python 2, which are read as well, from the terminal."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        yield


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
