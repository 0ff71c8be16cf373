"""Small files that ask for much memory: deflated zeros, long strings in dictionaries, archives within their limits."""

import functools
import gzip
import io
import random
import struct
import zipfile
import zlib

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

GIGABYTES = 3  # beyond the limit of a case
HEADER_BYTES = 128
LINES = (b"1,2\n", b"#", b"1,", b"\n", b"0 ")
_BLOCK = 1 << 24


def make_bomb(rng: random.Random, suffix: str, content: bytes) -> bytes | None:
    """Return a bomb that resembles a valid file of that suffix, or None if there is none."""
    match suffix:
        case ".npz":
            return _npz_of_zeros(rng, content)
        case ".gz":
            return _gzip(rng.choice(LINES))
        case ".zst":
            return _zstd(rng.choice(LINES))
        case ".parquet":
            return _long_strings(rng, pq.read_table(io.BytesIO(content)))
    return None


@functools.cache
def _deflated(content: bytes) -> bytes:
    """Return deflated repetitions of the content that take gigabytes when they are inflated."""
    deflate = zlib.compressobj(9, zlib.DEFLATED, -15)
    deflate.compress(b"")
    block = content * (_BLOCK // len(content))
    first = deflate.compress(block) + deflate.flush(zlib.Z_FULL_FLUSH)
    return first * (GIGABYTES * (1 << 30) // _BLOCK) + zlib.compressobj(9, zlib.DEFLATED, -15).flush()


@functools.cache
def _gzip(content: bytes) -> bytes:
    return gzip.compress(b"", mtime=0)[:10] + _deflated(content) + struct.pack("<II", 0, 0)


@functools.cache
def _zstd(content: bytes) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.CompressedOutputStream(sink, "zstd") as stream:
        block = content * (_BLOCK // len(content))
        for _ in range(GIGABYTES * (1 << 30) // _BLOCK):
            stream.write(block)
    return sink.getvalue().to_pybytes()


def _npz_of_zeros(rng: random.Random, content: bytes) -> bytes:
    """Return an archive in which one array is deflated zeros; the checksum of that is wrong."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    chosen = rng.choice(sorted(members))
    local, central = b"", b""
    for name, member in members.items():
        method, checksum, body, size = 0, zlib.crc32(member), member, len(member)
        if name == chosen:
            body = _zeros(rng.choice(("<f8", "<i8")), rng.choice((1, 2)))
            method, checksum, size = 8, 0, (GIGABYTES << 30) + HEADER_BYTES
        numbers = (20, 0, method, 0, 33, checksum, len(body), size, len(name.encode()), 0)
        common = struct.pack("<HHHHHIIIHH", *numbers)
        central += b"PK\x01\x02\x14\0" + common + struct.pack("<HHHII", 0, 0, 0, 0, len(local)) + name.encode()
        local += b"PK\x03\x04" + common + name.encode() + body
    count = len(members)
    return local + central + b"PK\x05\x06" + struct.pack("<HHHHIIH", 0, 0, count, count, len(central), len(local), 0)


@functools.cache
def _zeros(dtype: str, ndim: int) -> bytes:
    """Return a deflated npy file of zeros."""
    count = (GIGABYTES << 30) // 8
    header = f"{{'descr': '{dtype}', 'fortran_order': False, 'shape': {(count,) if ndim == 1 else (count // 2, 2)}, }}"
    start = (
        b"\x93NUMPY\x01\x00" + struct.pack("<H", HEADER_BYTES - 10) + header.ljust(HEADER_BYTES - 11).encode() + b"\n"
    )
    deflate = zlib.compressobj(9, zlib.DEFLATED, -15)
    return deflate.compress(start) + deflate.flush(zlib.Z_FULL_FLUSH) + _deflated(b"\0")


def _long_strings(rng: random.Random, table: pa.Table) -> bytes:
    """Return a table with one or all columns of a long string, once in its dictionary and once in every row."""
    rows = rng.choice((5_000, 20_000))
    text = pa.DictionaryArray.from_arrays(pa.array(np.zeros(rows, np.int32)), pa.array(["a" * 1_000_000]))
    chosen = rng.choice(([rng.choice(table.column_names)], table.column_names))
    first = table.slice(0, 1)
    columns = {name: text if name in chosen else first[name].take(np.zeros(rows, int)) for name in table.column_names}
    file = io.BytesIO()
    pq.write_table(pa.table(columns).replace_schema_metadata(None), file, compression="zstd")
    return file.getvalue()
