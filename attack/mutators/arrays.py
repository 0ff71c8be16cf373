"""Damage to numpy arrays: values, types, ranks, shapes, headers that announce too much, and names in archives."""

import io
import random
import struct
import warnings
import zipfile
from typing import Any

import numpy as np

TYPES = [
    "f8",
    "f4",
    "f2",
    "i1",
    "i2",
    "i4",
    "u1",
    "u8",
    "?",
    "U5",
    "S3",
    "c16",
    "M8[s]",
    "m8[D]",
    "O",
    "i4,f8",
    ">i8",
    "V4",
]
_NAMES = ["", "x", "y", "/", "a/b/c", "é" * 50, "negatives/a", "negatives/a/valid", "\x1b[31m"]
VALUES = [
    -1,
    0,
    1,
    5,
    33,
    34,
    35,
    100,
    2**31 - 1,
    2**31,
    2**62,
    -(2**63),
    10**6,
    10**8,
    float("nan"),
    float("inf"),
    0.5,
]


def damage_npy(rng: random.Random, content: bytes) -> bytes:
    """Return an npy file of another array, or with another header."""
    array = np.load(io.BytesIO(content), allow_pickle=False)
    if rng.random() < 0.25:
        return _with_header(rng, array)
    return _npy(alter(rng, array))


def damage_npz(rng: random.Random, content: bytes) -> bytes:
    """Return an npz file some of whose arrays are altered, missing, new or exchanged."""
    with np.load(io.BytesIO(content), allow_pickle=False) as archive:
        arrays = {name: archive[name] for name in archive.files}
    members = {name: _npy(array) for name, array in arrays.items()}
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        name, other = rng.choice(sorted(arrays)), rng.choice(sorted(arrays))
        match rng.randrange(12):
            case 0:
                members.pop(name, None)
            case 1:
                members[name] = _npy(arrays[other])
            case 2:
                members[rng.choice([*_NAMES, name * 90])] = _npy(arrays[name])
            case 3:
                members[name] = _with_header(rng, arrays[name])
            case 4:
                members[name] = rng.choice([b"", b"\x93NUMPY", _npy(arrays[name])[: rng.randrange(200)]])
            case _:
                members[name] = _npy(alter(rng, arrays[name]))
    return _archive(rng, members)


def _archive(rng: random.Random, members: dict[str, bytes]) -> bytes:
    """Return an npz file, sometimes with a name that comes twice or has no ending."""
    file = io.BytesIO()
    compression = rng.choice((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED))
    with zipfile.ZipFile(file, "w", compression) as archive, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of names that come twice
        for name, member in members.items():
            for _ in range(2 if rng.random() < 0.02 else 1):
                archive.writestr(zipfile.ZipInfo(name + ("" if rng.random() < 0.02 else ".npy")), member)
    return file.getvalue()


def alter(rng: random.Random, array: Any) -> Any:
    """Return an array with another value, length, shape, rank or type."""
    flat = np.asarray(array).reshape(-1).copy()
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            match rng.randrange(8):
                case 0 | 1 | 2 if flat.size:
                    count = rng.choice((1, 1, 3, flat.size))
                    for _ in range(count):
                        flat[rng.randrange(flat.size)] = rng.choice(VALUES)
                    return flat.reshape(array.shape)
                case 3:
                    return flat[: rng.randrange(flat.size + 1)]
                case 4:
                    return array.astype(rng.choice(TYPES))
                case 5:
                    return array.T if array.ndim > 1 else np.concatenate([flat, flat])
                case 6:
                    shape = rng.choice(
                        [(), (0,), (0, 2), (2, 0), (1, 1, 1), (*array.shape, 1), (1,) * 32, (3, 2), (34, 0), (5, 3, 2)]
                    )
                    return np.resize(flat, shape)
                case _:
                    return flat[::-1].reshape(array.shape)
        except (ValueError, TypeError, OverflowError):
            return flat


def _npy(array: Any) -> bytes:
    file = io.BytesIO()
    np.save(file, array, allow_pickle=True)
    return file.getvalue()


def _with_header(rng: random.Random, array: Any) -> bytes:
    """Return an npy file whose header announces something else than what follows."""
    shape = rng.choice(
        [
            (10**9, 2),
            (10**12,),
            (2**62, 4),
            (0, 10**9),
            (-1, 2),
            (34, 10**7),
            "(2,)*9",
            "(" * 200,
            "None",
            (1e9,),
            (True, 2),
        ]
    )
    dtype = rng.choice(
        [array.dtype.str, array.dtype.str, "<f8", "|O", "<U1000000", "|V2147483647", "[]", "<i9", "x" * 3000]
    )
    order = rng.choice(["False", "True", "None", "2"])
    header = f"{{'descr': {dtype!r}, 'fortran_order': {order}, 'shape': {shape}, }}"
    raw = header.encode() + b" " * rng.choice((0, 10, 70_000)) + b"\n"
    length = struct.pack("<I", len(raw) if rng.random() < 0.9 else rng.choice((0, 2**31, 2**32 - 1)))
    return b"\x93NUMPY\x02\x00" + length + raw + np.ascontiguousarray(array).tobytes()
