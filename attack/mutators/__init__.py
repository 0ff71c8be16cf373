"""What can be done to a file, by its structure."""

import gzip
import random
from pathlib import PurePath

import pyarrow as pa

from attack.mutators.arrays import damage_npy, damage_npz
from attack.mutators.bombs import make_bomb
from attack.mutators.documents import damage_json, damage_toml
from attack.mutators.parquet import damage_parquet
from attack.mutators.raw import damage_bytes
from attack.mutators.tensors import damage_safetensors
from attack.mutators.text import damage_text

BY_STRUCTURE = {
    ".npy": damage_npy,
    ".npz": damage_npz,
    ".json": damage_json,
    ".toml": damage_toml,
    ".parquet": damage_parquet,
    ".safetensors": damage_safetensors,
}
PACKED = {".gz": "gzip", ".zst": "zstd"}
BINARY = {".npy", ".npz", ".parquet", ".safetensors", ".mat"}
BOMBS = 0.004  # share of the cases, as each takes seconds
INNER = 0.8  # share of damage that is done before the file is compressed
RAW, STRUCTURAL = 0.3, 0.6  # share of damaged bytes among text, and of damage by structure where there is one


def damage(rng: random.Random, name: str, content: bytes, other: bytes) -> tuple[bytes, str]:
    """Return the damaged content of a file and what was done to it.

    Parameters
    ----------
    rng
        Decides everything.
    name
        The file, whose suffix says what its structure is.
    content
        Its valid content.
    other
        Another valid content, to splice.
    """
    suffix = PurePath(name).suffix
    if rng.random() < BOMBS and (bomb := make_bomb(rng, suffix, content)) is not None:
        return bomb, "bomb"
    if suffix in PACKED and rng.random() < INNER:
        inner, how = damage(rng, name.removesuffix(suffix), _unpack(content, PACKED[suffix]), other)
        return _pack(inner, PACKED[suffix]), f"{how}, packed"
    if suffix in BY_STRUCTURE and rng.random() < STRUCTURAL:
        return BY_STRUCTURE[suffix](rng, content), "structure"
    if suffix in BINARY | PACKED.keys() or rng.random() < RAW:
        return damage_bytes(rng, content, other), "bytes"
    return damage_text(rng, content), "text"


def _unpack(content: bytes, compression: str) -> bytes:
    with pa.CompressedInputStream(pa.BufferReader(content), compression) as stream:
        unpacked: bytes = stream.read()
    return unpacked


def _pack(content: bytes, compression: str) -> bytes:
    if compression == "gzip":
        return gzip.compress(content, 1, mtime=0)
    sink = pa.BufferOutputStream()
    with pa.CompressedOutputStream(sink, compression) as stream:
        stream.write(content)
    packed: bytes = sink.getvalue().to_pybytes()
    return packed
