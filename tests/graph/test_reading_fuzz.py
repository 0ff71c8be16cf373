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

from edgeorbit.errors import EdgeorbitError
from edgeorbit.graph import Graph
from edgeorbit.graph.reading import FORMATS, memory, read_graph
from edgeorbit.graph.writing import write_graph

CASES = int(os.environ.get("EDGEORBIT_FUZZ_CASES", "4000"))
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
    keep("labels.parquet", lambda f: pq.write_table(pa.table({"u": ["a", "b"], "v": ["b", "c"]}), f, compression="none"))
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
        forced = rng.choice([None, None, None, *FORMATS])
        try:
            found = survive(path, format=forced, threads=1)
        except Exception as error:
            kept = Path(os.environ.get("EDGEORBIT_FUZZ_KEEP", tmp_path), f"case-{SEED}-{case}-{name}")
            kept.write_bytes(path.read_bytes())
            raise AssertionError(f"case {case} of {name}, format {forced}, kept as {kept}: {error!r}") from error
        outcomes[isinstance(found, Graph)] += 1
    # Damage must not be so heavy that only the first check of every reader is tried.
    assert min(outcomes.values()) > CASES // 20
