"""The bytes of a file: opened, decompressed, counted, with everything that goes wrong said in one sentence."""

import codecs
import csv
import os
import stat
import sys
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager, suppress
from io import BytesIO, StringIO
from itertools import chain
from pathlib import Path
from typing import IO, Any

from edgeorbit._memory import require_memory
from edgeorbit._text import shown
from edgeorbit.errors import EdgeorbitError, GraphFormatError, LimitExceededError

Progress = Callable[[int, int], None]

BLOCK_BYTES = 1 << 24  # long enough to keep the parser's threads busy, short enough for a bar that moves
HEAD_BYTES = 1 << 12
MAX_LINE_BYTES = 1 << 26
MAX_PIPED_BYTES = 1 << 32
MOST_BLANK_LINES = 1_000_000  # more are a bomb: a few kilobytes decompress to hours of them
MAX_DOCUMENT_BYTES = 1 << 24  # of JSON and TOML, which are read whole; ours are far smaller
ROW_BYTES = 64  # at most, in memory, for a byte of a table that is read row by row: one-letter cells as Python objects
ROWS_BLOCK_BYTES = 1 << 20
# Graphs pack to a hundredth at best, zeros to a thousandth. Up to a limit anything may unpack, as memory is asked for.
MAX_UNPACKING = 300
FREE_UNPACKING = 1 << 30
MAGIC = {b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd"}
FOREIGN = {b"BZh": ("bzip2", "bunzip2"), b"\xfd7zXZ": ("xz", "unxz"), b"7z\xbc\xaf": ("7-Zip", "7z x")}
UNPACKED = {None: 1, "gzip": 4, "zstd": 4}  # bytes of text in a byte of file, as measured on integer edge lists


class Source:
    """A regular file that is to be read, and what its first bytes say about its compression.

    Every file that a user names is opened by this class: it rejects devices and pipes, which have no end or block the
    reader, before they are opened.

    Parameters
    ----------
    path
        The file.
    progress
        Called as `progress(bytes_done, bytes_total)` now and then.
    encoding
        The encoding of text, which is read as UTF-8 from then on; None for UTF-8.
    called
        What messages call the file, instead of its path.

    Attributes
    ----------
    shown : str
        The path, as messages name it.
    compression : "gzip", "zstd" or None
        Found from the first bytes, never from the name.
    head : bytes
        The first decompressed bytes.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        progress: Progress | None = None,
        *,
        encoding: str | None = None,
        called: str | None = None,
    ) -> None:
        """Look at the file, and at its beginning."""
        self.path = Path(path)
        self.shown = called or shown(path, 400)
        self.encoding = encoding
        self.progress = progress
        self.done = 0
        self.size = self._check()
        with self.path.open("rb") as file:
            magic = file.read(8)
        self.compression = next((kind for start, kind in MAGIC.items() if magic.startswith(start)), None)
        for start, (kind, command) in FOREIGN.items():
            if magic.startswith(start):
                raise self.error(f"{kind} compression is not read; unpack it with {command}, or use gzip or zstd")
        with self.open() as stream:
            self.head: bytes = stream.read(HEAD_BYTES)

    def _check(self) -> int:
        if "\0" in str(self.path):
            raise self.error("a path cannot hold a NUL character; check the path")
        found = self.path.stat()
        if stat.S_ISDIR(found.st_mode):
            raise self.error("is a directory; give one file")
        if not stat.S_ISREG(found.st_mode):
            raise self.error("is not a regular file; save its content to a file first")
        return found.st_size

    def error(self, message: str, line: int | None = None) -> GraphFormatError:
        """Return an error that names the file, and the line if there is one."""
        return GraphFormatError(f"{self.shown}: {message}" if line is None else f"{self.shown} line {line}: {message}")

    def report(self, done: int) -> None:
        """Tell the caller how many bytes of the file have been read."""
        # Some files are read twice, or their beginning is; what is reported only grows.
        if self.progress is not None and done > self.done:
            self.done = min(done, self.size)
            self.progress(self.done, self.size)

    @contextmanager
    def open(self) -> Iterator[Any]:
        """Open the decompressed bytes; `read(n)` returns fewer than `n` only at the end."""
        with self.path.open("rb") as file, self.wrapping_damage():
            yield _Decompressed(file, self) if self.compression else _Plain(file, self.report)

    @contextmanager
    def wrapping_damage(self) -> Iterator[None]:
        """Turn errors of the decompressor into one sentence."""
        try:
            yield
        except EdgeorbitError:
            raise
        except OSError as error:
            if self.compression is None or error.errno is not None:
                raise
            how = "is cut off" if "runcated" in str(error) else "is damaged"
            raise self.error(f"the {self.compression} data {how}; copy or download the file again") from None

    def chunks(self, block_bytes: int = BLOCK_BYTES) -> Iterator[bytes]:
        """Yield the decompressed bytes in blocks of any content, text in UTF-8."""
        with self.open() as stream:
            blocks = iter(lambda: stream.read(block_bytes), b"")
            yield from blocks if self.encoding is None else self._in_utf8(blocks, self.encoding)

    def _in_utf8(self, blocks: Iterator[bytes], encoding: str) -> Iterator[bytes]:
        """Yield text in another encoding as UTF-8."""
        decoder, line = codecs.getincrementaldecoder(encoding)(), 1
        try:
            for block in chain(blocks, [b""]):
                text = decoder.decode(block, final=not block)
                line += text.count("\n")
                if text:
                    yield text.encode()
        except UnicodeError as error:
            if isinstance(error, UnicodeDecodeError):
                with suppress(UnicodeError):  # some encodings know no "replace"
                    line += error.object[: error.start].decode(encoding, "replace").count("\n")
            raise self.error(f"is not text in {encoding}; give another --encoding", line) from None

    def lines(self, block_bytes: int = BLOCK_BYTES) -> Iterator[bytes]:
        """Yield the decompressed bytes in blocks of whole lines; old Mac line ends become new ones."""
        mac = b"\r" in self.head and b"\n" not in self.head
        parts: list[bytes | memoryview] = []
        for raw in self.chunks(block_bytes):
            chunk = raw.replace(b"\r", b"\n") if mac else raw
            cut = chunk.rfind(b"\n") + 1
            if cut == 0:
                parts.append(chunk)
                if sum(map(len, parts)) > MAX_LINE_BYTES:
                    raise self.error(f"a line is longer than {MAX_LINE_BYTES >> 20} MB; give one edge per line")
                continue
            view = memoryview(chunk)
            yield b"".join([*parts, view[:cut]])
            parts = [view[cut:]]
        if rest := b"".join(parts):
            yield rest

    def content(self, expansion: float = 2) -> bytes:
        """Return all decompressed bytes, if what is made of them will fit into memory."""
        chunks, length = [], 0
        for chunk in self.chunks():
            length += len(chunk)
            require_memory(self.shown, int(length * expansion))
            chunks.append(chunk)
        return b"".join(chunks)

    def rows(self, choose_delimiter: Callable[[str], str]) -> Iterator[tuple[int, list[str]]]:
        """Yield the cells of every line of a table, and the number of the line, as far as memory lasts.

        `choose_delimiter` is called with the first lines. Cells may be quoted; a blank as delimiter means any run of
        blanks.
        """
        with self.wrapping("text file", "give comma-separated text in UTF-8"):
            pieces = self._text_lines()
            first = next(pieces, "")
            delimiter = choose_delimiter(first)
            lines = (line for piece in chain([first], pieces) for line in StringIO(piece, newline=""))
            reader = csv.reader(lines, delimiter=delimiter, skipinitialspace=True)
            blank = 0  # lines in a row
            for cells in reader:
                blank = 0 if cells else blank + 1
                if blank > MOST_BLANK_LINES:
                    raise self.error(f"has more than {MOST_BLANK_LINES:,} blank lines in a row; remove them")
                yield reader.line_num, cells if delimiter != " " else [cell for cell in cells if cell]

    def _text_lines(self) -> Iterator[str]:
        for number, block in enumerate(self.lines(ROWS_BLOCK_BYTES)):
            require_memory(self.shown, ROW_BYTES * len(block))
            yield block.decode("utf-8-sig" if number == 0 else "utf-8")

    def document(self) -> str:
        """Return the text of a file that is short by nature, such as JSON or TOML."""
        content = b""
        for chunk in self.chunks(MAX_DOCUMENT_BYTES + 1):
            content += chunk
            if len(content) > MAX_DOCUMENT_BYTES:
                raise self.error(f"is larger than {MAX_DOCUMENT_BYTES >> 20} MB; give a file that edgeorbit can read")
        return content.decode("utf-8").replace("\r\n", "\n").replace("\r", "\n")

    @contextmanager
    def open_seekable(self) -> Iterator[IO[bytes]]:
        """Open the decompressed bytes for a library that jumps about in them."""
        if self.compression:
            yield BytesIO(self.content())
        else:
            with self.path.open("rb") as file:
                yield file

    @contextmanager
    def wrapping(self, what: str, way_out: str) -> Iterator[None]:
        """Turn whatever another library raises over the content into one sentence of ours."""
        try:
            yield
        except EdgeorbitError:
            raise
        except MemoryError:
            raise LimitExceededError(f"{self.shown}: does not fit into memory; use a larger machine") from None
        except Exception as error:
            if isinstance(error, OSError) and error.errno is not None:
                raise
            reason = shown(str(error).strip().rstrip(".") or type(error).__name__, 120)
            raise self.error(f"is not a readable {what} ({reason}); {way_out}") from None


class _Plain:
    """An uncompressed stream that reports how far it is."""

    def __init__(self, file: IO[bytes], report: Callable[[int], None]) -> None:
        self.file, self.report = file, report

    def read(self, size: int) -> bytes:
        found = self.file.read(size)
        self.report(self.file.tell())
        return found


class _Decompressed:
    """A compressed stream, unpacked by Arrow, which knows gzip and zstd and drops the interpreter lock."""

    def __init__(self, file: IO[bytes], source: Source) -> None:
        import pyarrow as pa

        self.file, self.source, self.unpacked = file, source, 0
        self.stream = pa.CompressedInputStream(pa.PythonFile(file, mode="r"), source.compression)

    def read(self, size: int) -> bytes:
        found: bytes = self.stream.read(size)
        self.unpacked += len(found)
        if self.unpacked > max(FREE_UNPACKING, MAX_UNPACKING * self.source.size):
            raise self.source.error(
                f"unpacks to more than {MAX_UNPACKING} times its size; if that is right, unpack it and give the result"
            )
        with suppress(ValueError):
            self.source.report(self.file.tell())
        return found


def arrow_copy(data: bytes) -> Any:
    """Return bytes as a buffer that Arrow allocates.

    Arrow's threads may let go of a buffer after the reader has ended with an error. For one that belongs to Python they
    then ask for the interpreter lock, and where the interpreter is ending, that aborts the process.
    """
    import pyarrow as pa

    buffer = pa.allocate_buffer(len(data))
    memoryview(buffer).cast("B")[:] = data
    return buffer


def read_ahead(blocks: Iterator[bytes]) -> Iterator[bytes]:
    """Yield the blocks while a thread already reads, and decompresses, the next one."""
    with closing(blocks), ThreadPoolExecutor(1) as pool:  # type: ignore[type-var]
        future = pool.submit(next, blocks, b"")
        while block := future.result():
            future = pool.submit(next, blocks, b"")
            yield block


@contextmanager
def standard_input() -> Iterator[Path]:
    """Give a temporary file with what comes from standard input, as far as that is bounded.

    Files may be read twice, and a pipe only once.
    """
    where = "standard input"
    with tempfile.TemporaryDirectory(prefix="edgeorbit-") as directory:
        path = Path(directory, "stdin")
        written = 0
        try:
            with path.open("wb") as file:
                while block := sys.stdin.buffer.read(BLOCK_BYTES):
                    written += len(block)
                    if written > MAX_PIPED_BYTES:
                        raise GraphFormatError(
                            f"{where}: is longer than {MAX_PIPED_BYTES >> 30} GB; save it to a file and give that"
                        )
                    require_memory(where, 2 * written)
                    file.write(block)
        except OSError as error:
            reason = shown(error.strerror or error, 120)
            raise GraphFormatError(f"{where}: cannot be read ({reason}); save it to a file and give that") from None
        if not written:
            raise GraphFormatError(
                f"{where}: is empty, or was read before, which works once; to read it twice, save it to a file"
            )
        yield path
