"""Small files, or files of holes, whose content would fill gigabytes."""

import gzip
import hashlib
import io
import json
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import zstandard

MEGABYTE = 1 << 20
ZEROS = bytes(MEGABYTE)


def header(shape: tuple[int, ...], kind: str = "<i8") -> bytes:
    """Return the beginning of an npy file."""
    buffer = io.BytesIO()
    np.lib.format.write_array_header_1_0(buffer, {"descr": kind, "fortran_order": False, "shape": shape})
    return buffer.getvalue()


def npy(array: object) -> bytes:
    """Return an array as an npy file."""
    buffer = io.BytesIO()
    np.save(buffer, np.asarray(array))
    return buffer.getvalue()


def deflated(beginning: bytes, megabytes: int) -> tuple[bytes, int]:
    """Return a deflate stream of a beginning and zeros, and its CRC: the packed zeros are repeated, not made."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    first = packer.compress(beginning) + packer.flush(zlib.Z_FULL_FLUSH)
    again = packer.compress(ZEROS) + packer.flush(zlib.Z_FULL_FLUSH)
    crc = zlib.crc32(beginning)
    for _ in range(megabytes):
        crc = zlib.crc32(ZEROS, crc)
    return first + again * megabytes + packer.flush(), crc


def npz(path: Path, huge: dict[str, tuple[tuple[int, ...], str]], **arrays: object) -> Path:
    """Write an npz file of arrays and of huge ones, by shape and type, which are zeros."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, array in arrays.items():
            archive.writestr(f"{name}.npy", npy(array))
        for name, (shape, kind) in huge.items():
            size = int(np.prod(shape)) * np.dtype(kind).itemsize
            assert size % MEGABYTE == 0
            beginning = header(shape, kind)
            content, crc = deflated(beginning, size // MEGABYTE)
            member = zipfile.ZipInfo(f"{name}.npy")
            member.compress_type, member.CRC = zipfile.ZIP_DEFLATED, crc
            member.compress_size, member.file_size = len(content), len(beginning) + size
            member.header_offset = archive.fp.tell()
            archive.fp.write(member.FileHeader(zip64=True) + content)
            archive.filelist.append(member)
            archive.start_dir = archive.fp.tell()
            archive._didModify = True
    return path


def same_text(path: Path, rows: int = 20_000, **others: object) -> Path:
    """Write a Parquet file of a few hundred bytes with a text of a megabyte in every row."""
    text = pa.DictionaryArray.from_arrays(pa.array(np.zeros(rows, np.int32)), ["a" * MEGABYTE])
    columns = {"source": text, "target": text} if not others else {}
    table = pa.table(columns | {key: text if value is ... else value for key, value in others.items()})
    pq.write_table(table, path, compression="zstd")
    return path


def other_texts(path: Path, megabytes: int) -> Path:
    """Write a Parquet file with another text of a megabyte in every row."""
    schema = pa.schema({"source": pa.string(), "target": pa.string()})
    with pq.ParquetWriter(path, schema, compression="zstd", use_dictionary=False) as writer:
        for start in range(0, megabytes, 50):
            texts = [f"{i}".ljust(MEGABYTE, "a") for i in range(start, start + 50)]
            writer.write_table(pa.table({"source": texts, "target": ["b"] * 50}, schema))
    return path


def zst(path: Path, pieces: Iterable[bytes], repeats: int = 1) -> Path:
    """Write pieces with zstd, all of them several times."""
    path.write_bytes(_packed(zstandard.ZstdCompressor(level=1).compress, pieces) * repeats)
    return path


def gz(path: Path, pieces: Iterable[bytes], repeats: int = 1) -> Path:
    """Write pieces with gzip, all of them several times."""
    path.write_bytes(_packed(lambda piece: gzip.compress(piece, 1), pieces) * repeats)
    return path


def _packed(pack: Callable[[bytes], bytes], pieces: Iterable[bytes]) -> bytes:
    """Return the pieces, each packed; one that comes again is packed once."""
    last, packed, whole = None, b"", []
    for piece in pieces:
        if piece is not last:
            last, packed = piece, pack(piece)
        whole.append(packed)
    return b"".join(whole)


def mat(path: Path, megabytes: int) -> Path:
    """Write a MATLAB file with a sparse matrix of packed zeros."""

    def element(kind: int, content: bytes, length: int | None = None) -> bytes:
        length = len(content) if length is None else length
        return struct.pack("<II", kind, length) + content + bytes(-len(content) % 8)

    parts = element(6, struct.pack("<II", 5, 0)) + element(5, struct.pack("<ii", 4, 4)) + element(1, b"net")
    size = megabytes * MEGABYTE
    packer = zlib.compressobj(1)
    whole = packer.compress(struct.pack("<II", 14, len(parts) + 8 + size) + parts + element(5, b"", size))
    whole += b"".join(packer.compress(ZEROS) for _ in range(megabytes)) + packer.flush()
    start = b"MATLAB 5.0 MAT-file".ljust(124) + struct.pack("<H", 0x0100) + b"IM"
    path.write_bytes(start + struct.pack("<II", 15, len(whole)) + whole)
    return path


def hole(path: Path, beginning: bytes, size: int) -> Path:
    """Write a file that takes no room on the disk, and is long."""
    with path.open("wb") as file:
        file.write(beginning)
        file.truncate(size)
    return path


def sign(directory: Path) -> None:
    """Put the digests of the files into the card of a graph, as its writer would."""
    card = json.loads((directory / "graph.json").read_text())
    for name in card["sha256"]:
        card["sha256"][name] = hashlib.sha256((directory / name).read_bytes()).hexdigest()
    (directory / "graph.json").write_text(json.dumps(card))
