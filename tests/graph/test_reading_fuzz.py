"""Damaged files: whatever is done to a valid one, a graph or an error of ours comes out.

The number of cases is small enough for every run of the suite; EDGEORBIT_FUZZ_CASES makes it larger and
EDGEORBIT_FUZZ_SEED other ones. What a campaign finds is kept below as a named case.
"""

import gzip
import io
import os
import random
from pathlib import Path

import networkx as nx
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import scipy.io
import scipy.sparse
import zstandard

from edgeorbit import _memory as memory
from edgeorbit.errors import EdgeorbitError
from edgeorbit.graph import Graph
from edgeorbit.graph.reading import FORMATS, read_graph
from edgeorbit.graph.writing import write_graph

CASES = int(os.environ.get("EDGEORBIT_FUZZ_CASES", "3000"))
SEED = int(os.environ.get("EDGEORBIT_FUZZ_SEED", "20240607"))
TOKENS = [
    *(b"-1", b"1.5", b"nan", b"9" * 25, b"2147483647", b"2147483648", b"9223372036854775807", b"0x1f", b"1e5"),
    *(b'"', b"'", b"\0", b"\xff", b"\xef\xbb\xbf", b"\r", b"\n", b"\n\n", b",", b"\t", b";", b" ", b"#", b"%", b"//"),
    *(b"<!DOCTYPE a [", b"<", b">", b"/>", b"&amp;", b"&#0;", b"]", b"[", b"graph [", b"node [ id 1 ]", b"PAR1", b"PK"),
    *(b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"\x93NUMPY", b"\xff" * 4, b"\xff" * 8, b"\0" * 8, b"\x7f\xff\xff\xff"),
]


def seeds(directory: Path) -> dict[str, bytes]:
    """Return a small valid file of every kind."""
    graph = nx.barbell_graph(5, 2)
    names = {node: f"node {node}" for node in graph}
    named = nx.relabel_nodes(graph, names)
    pairs = np.array(graph.edges)
    matrix = nx.to_scipy_sparse_array(graph, dtype=float)
    ours = Graph.from_edges(pairs, 14, node_names=np.array([f"n{i}" for i in range(14)]), y=np.arange(14), x=np.eye(14))
    found = {}

    def keep(name: str, write) -> None:
        file = io.BytesIO()
        write(file)
        found[name] = file.getvalue()

    lines = "".join(f"{u},{v},0.5\n" for u, v in graph.edges)
    found["integers.csv"] = b"source,target,weight\n" + lines.encode()
    found["blanks.txt"] = b"# a comment\n" + "".join(f"  {u}   {v} \n" for u, v in graph.edges).encode()
    found["labels.csv"] = "".join(f'"{u}","{v}, é"\r\n' for u, v in named.edges).encode()
    found["integers.csv.gz"] = gzip.compress(lines.encode(), mtime=0)
    found["integers.csv.zst"] = zstandard.compress(lines.encode())
    keep("edges.parquet", lambda f: pq.write_table(pa.table({"u": pairs[:, 0], "v": pairs[:, 1]}), f))
    keep("labels.parquet", lambda f: pq.write_table(pa.table({"u": ["a"], "v": ["b"]}), f, compression="none"))
    keep("edges.npy", lambda f: np.save(f, pairs))
    keep("edges.npz", lambda f: np.savez(f, edges=pairs, num_nodes=14, y=np.arange(14)))
    keep("packed.npz", lambda f: np.savez_compressed(f, edge_index=pairs.T, x=np.eye(12)))
    keep("csr.npz", lambda f: scipy.sparse.save_npz(f, matrix.tocsr(), compressed=False))
    keep("coo.npz", lambda f: scipy.sparse.save_npz(f, matrix.tocoo(), compressed=False))
    keep("matrix.mtx", lambda f: scipy.io.mmwrite(f, matrix))
    keep("dense.mtx", lambda f: scipy.io.mmwrite(f, matrix.toarray()))
    keep("matrix.mat", lambda f: scipy.io.savemat(f, {"net": matrix, "group": matrix}))
    keep("packed.mat", lambda f: scipy.io.savemat(f, {"A": matrix}, do_compression=True))
    keep("old.mat", lambda f: scipy.io.savemat(f, {"A": matrix}, format="4"))
    keep("graph.graphml", lambda f: nx.write_graphml_xml(named, f))
    keep("graph.gml", lambda f: nx.write_gml(named, f))
    keep("graph.gexf", lambda f: nx.write_gexf(named, f))
    keep("graph.net", lambda f: nx.write_pajek(named, f))
    payments = "".join(f"2024-01-{u + 1:02};{u},{v};K{u};K{v}\n" for u, v in graph.edges)
    found["payments.csv"] = "Tag;Betrag;Zahler;Empf\u00e4nger\n".encode() + payments.encode()
    for name in ("ours.npz", "ours.parquet", "ours.tsv"):
        write_graph(ours, directory / name)
        found[name] = (directory / name).read_bytes()
    return found


def damage(rng: random.Random, content: bytes, other: bytes) -> bytes:
    """Return the content with one to four things done to it."""
    data = bytearray(content)
    for _ in range(rng.choice((1, 1, 1, 2, 4))):
        place = rng.randrange(len(data) + 1)
        length = rng.choice((1, 2, 4, 8, 64))
        match rng.randrange(8):
            case 0:
                data[place : place + 1] = bytes([rng.randrange(256)])
            case 1:
                if place < len(data):
                    data[place] ^= 1 << rng.randrange(8)
            case 2:
                del data[place:]
            case 3:
                del data[place : place + length]
            case 4:
                data[place:place] = rng.choice(TOKENS)
            case 5:
                token = rng.choice(TOKENS)
                data[place : place + len(token)] = token
            case 6:
                start = rng.randrange(len(other))
                data[place:] = other[start:]
            case 7:
                data[place:place] = data[place : place + length]
    return bytes(data)


def survive(path: Path, **options) -> Graph | EdgeorbitError:
    """Read a file and return what came out, which is checked."""
    try:
        graph = read_graph(path, **options)
    except EdgeorbitError as error:
        assert "\n" not in str(error)
        assert path.name in str(error)
        return error
    assert graph.num_nodes == len(graph.indptr) - 1
    assert graph.indptr[-1] == len(graph.indices)
    assert not len(graph.indices) or 0 <= graph.indices.min() <= graph.indices.max() < graph.num_nodes
    assert graph.node_names is None or len(graph.node_names) == graph.num_nodes
    return graph


@pytest.fixture(autouse=True)
def little_memory(monkeypatch):
    # A damaged size may ask for anything; without a bound the machine would try to give it.
    monkeypatch.setattr(memory, "available_memory", lambda: 1 << 28)


def test_the_seeds_are_valid(tmp_path):
    for name, content in seeds(tmp_path).items():
        (tmp_path / name).write_bytes(content)
        assert isinstance(survive(tmp_path / name), Graph), name


def test_damaged_files_give_a_graph_or_an_error_of_ours(tmp_path):
    rng = random.Random(SEED)
    files = seeds(tmp_path)
    names = sorted(files)
    outcomes = {True: 0, False: 0}
    for case in range(CASES):
        name = names[case % len(names)]
        path = tmp_path / f"damaged-{name}"
        path.write_bytes(damage(rng, files[name], files[rng.choice(names)]))
        forced = rng.choice(list(FORMATS)) if rng.random() < 0.1 else None
        try:
            found = survive(path, format=forced, threads=1)
        except Exception as error:
            kept = Path(os.environ.get("EDGEORBIT_FUZZ_KEEP", tmp_path), f"case-{SEED}-{case}-{name}")
            kept.write_bytes(path.read_bytes())
            raise AssertionError(f"case {case} of {name}, format {forced}, kept as {kept}: {error!r}") from error
        outcomes[isinstance(found, Graph)] += 1
    # Damage must not be so heavy that only the first check of every reader is tried.
    assert min(outcomes.values()) > CASES // 10


@pytest.mark.parametrize("name", ["matrix.mat", "old.mat", "edges.npy", "edges.parquet", "labels.parquet", "csr.npz"])
def test_every_word_of_a_binary_file_may_be_an_extreme_number(tmp_path, name):
    # Found with column starts of a MATLAB file: the reader of scipy, used at first, wrote outside its memory.
    content = seeds(tmp_path)[name]
    path = tmp_path / f"extreme-{name}"
    for place in range(0, len(content) - 4, 4):
        for word in (b"\xff\xff\xff\xff", b"\xff\xff\xff\x7f", b"\x00\x00\x00\x40", b"\x0d\x00\x00\x00"):
            path.write_bytes(content[:place] + word + content[place + 4 :])
            survive(path, threads=1)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        (
            "encoding.graphml",
            b'<?xml version="1.0" encoding="uto-8"?><graphml/>',
            "line 1: is in an encoding that is not",
        ),
        # scipy's reader, used at first, wrote the fifth value outside its memory
        (
            "dense.mtx",
            b"%%MatrixMarket matrix array real general\n2 2\n" + b"1\n" * 99,
            "4 entries are announced and 99",
        ),
    ],
)
def test_what_campaigns_found(tmp_path, name, content, message):
    path = tmp_path / name
    path.write_bytes(content)
    assert message in str(survive(path))


def test_npz_arrays_that_contradict_each_other_give_a_graph_or_an_error_of_ours(tmp_path):
    # Damage to the bytes of an archive is found by its checksums, so here it is done to the arrays.
    rng = random.Random(SEED)
    files = {name: content for name, content in seeds(tmp_path).items() if name.endswith(".npz")}
    outcomes = {True: 0, False: 0}
    for _ in range(CASES // 10):
        name = rng.choice(sorted(files))
        with np.load(io.BytesIO(files[name])) as archive:
            arrays = {key: archive[key].copy() for key in archive.files}
        for _ in range(rng.choice((1, 1, 2))):
            key = rng.choice(sorted(arrays))
            arrays[key] = alter(rng, arrays[key])
            if rng.random() < 0.1:
                del arrays[key]
        path = tmp_path / f"altered-{name}"
        np.savez(path, **arrays)
        found = survive(path, threads=1)
        outcomes[isinstance(found, Graph)] += 1
    assert min(outcomes.values()) > CASES // 200


def alter(rng: random.Random, array: np.ndarray) -> np.ndarray:
    """Return an array with another value, length, shape or type."""
    flat = array.reshape(-1)
    match rng.randrange(6):
        case 0 | 1 if flat.size and array.dtype.kind in "iuf":
            value = rng.choice((-1, 0, 1, 5, 13, 14, 100))
            flat[rng.randrange(flat.size)] = max(0, value) if array.dtype.kind == "u" else value
        case 2 if array.dtype.itemsize == 8 and array.dtype.kind == "i" and flat.size:
            flat[rng.randrange(flat.size)] = rng.choice((2**31, 2**62, -(2**63)))
        case 3:
            return flat[: rng.randrange(flat.size + 1)]
        case 4:
            return array.astype(rng.choice(("f8", "i1", "u8", "U5", "?"))) if array.dtype.kind in "iuf" else flat
        case 5:
            return array.T if array.ndim > 1 else np.concatenate([flat, flat])
    return array
