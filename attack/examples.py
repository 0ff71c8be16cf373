"""Valid inputs of every kind, which cases are damaged copies of."""

import gzip
import io
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import scipy.io
import scipy.sparse

from attack.trees import read_tree

Files = dict[str, bytes]
EXPERIMENT = b"""title = "Small"
seeds = 2
models = ["ra", "gcn"]
negatives = ["random", "orbit"]
tuned = "tuned.toml"
protocol = "one"
remarks = "none"

[training]
epochs = 2
metric = "auc"

[settings.gcn]
hidden_channels = 8

[search]
hidden_channels = [8, 16]
dropout = "0.0..0.5"

[variants."gcn wide"]
model = "gcn"
settings = { hidden_channels = 64 }

[quick]
models = ["ra"]
epochs = 1

[[data]]
name = "karate"
source = "karate"
features = ["constant"]
features_of = { gcn = ["constant"] }
also = { cn = 1 }
training_of = { gcn = { epochs = 3 } }
stated = { ear = 0.5 }

[[data]]
name = "two karates"
generator = "syn-karate"
options = { edges = 40, seed = 1 }
features = ["constant", "identity"]
negatives = ["orbit"]
orbit_rounds = 2
exact = false
seeds = 1
models = ["ra"]
tuned_as = "karate"

[published.karate.auc.random]
gcn = [70.0, 2.0]
"""
TUNED = b"""[[tuned]]
data = "karate"
features = "constant"
model = "gcn"
settings = { hidden_channels = 16, dropout = 0.1 }
training = { learning_rate = 0.01 }
trials = 3
epochs = 2
metric = "auc"
confirmed = { epochs = 2 }

[[tuned]]
data = "two karates"
features = "identity"
model = "ra"
settings = {}
"""


def graphs() -> Files:
    """Return a small graph in every format, plain and compressed."""
    graph = nx.barbell_graph(5, 2)
    named = nx.relabel_nodes(graph, {node: f"node {node}" for node in graph})
    pairs = np.array(graph.edges)
    matrix = nx.to_scipy_sparse_array(graph, dtype=float)
    rows = "".join(f"{u},{v},0.5\n" for u, v in graph.edges).encode()
    found = {
        "integers.csv": b"source,target,weight\n" + rows,
        "blanks.txt": b"# a comment\n" + "".join(f"  {u}   {v} \n" for u, v in graph.edges).encode(),
        "labels.csv": "".join(f'"{u}","{v}, \u00e9"\r\n' for u, v in named.edges).encode(),
        "tabs.tsv": "".join(f"{u}\t{v}\n" for u, v in named.edges).encode(),
        "integers.csv.gz": gzip.compress(rows, mtime=0),
        "integers.csv.zst": _zstd(rows),
    }

    def keep(name: str, write: Callable[[Any], Any]) -> None:
        file = io.BytesIO()
        write(file)
        found[name] = file.getvalue()

    keep("edges.parquet", lambda f: pq.write_table(pa.table({"u": pairs[:, 0], "v": pairs[:, 1]}), f))
    names = [[f"n{u}" for u in column] for column in pairs.T.tolist()]
    keep("labels.parquet", lambda f: pq.write_table(pa.table({"u": names[0], "v": names[1], "w": pairs[:, 0]}), f))
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
    found["payments.csv"] = b"Tag;Betrag;Zahler;Partner\n" + payments.encode()
    for name in ("graph.gml", "graph.graphml", "matrix.mtx", "matrix.mat", "edges.npz", "edges.parquet"):
        found[f"{name}.gz"] = gzip.compress(found[name], mtime=0)
    return found


def features() -> Files:
    """Return features of the 34 nodes of the karate club in every format."""
    x = np.round(np.random.default_rng(0).normal(size=(34, 3)), 3)
    sparse = scipy.sparse.csr_array(np.where(x > 0, x, 0))
    rows = "".join(f"{node},{','.join(map(str, row))}\n" for node, row in enumerate(x.tolist()))
    found = {"x.csv": b"node,a,b,c\n" + rows.encode(), "x.txt": rows.replace(",", " ").encode()}
    found |= {"x.csv.gz": gzip.compress(rows.encode(), mtime=0), "x.csv.zst": _zstd(rows.encode())}
    table = pa.table({"node": np.arange(34), "a": x[:, 0], "b": x[:, 1] > 0})
    parts = {f"x_{part}": getattr(sparse, part) for part in ("data", "indices", "indptr")} | {"x_shape": sparse.shape}
    writers: dict[str, Callable[[Any], Any]] = {
        "x.npy": lambda f: np.save(f, x),
        "one.npz": lambda f: np.savez(f, features=x.astype(np.float32)),
        "parts.npz": lambda f: np.savez_compressed(f, **parts),
        "sparse.npz": lambda f: scipy.sparse.save_npz(f, sparse),
        "x.parquet": lambda f: pq.write_table(table, f),
    }
    for name, write in writers.items():
        file = io.BytesIO()
        write(file)
        found[name] = file.getvalue()
    return found


def pairs() -> Files:
    """Return pairs of nodes of the karate club."""
    text = "".join(f"{u},{v}\n" for u, v in ((0, 9), (3, 33), (5, 20), (14, 15)))
    return {
        "pairs.csv": b"source,target\n" + text.encode(),
        "pairs.tsv": text.replace(",", "\t").encode(),
        "other.csv": b"day;who;whom\n" + "".join(f"1.2.2024;{u};{u + 3}\n" for u in range(9)).encode(),
    }


def colours() -> Files:
    """Return colours of the nodes of the karate club."""
    return {"colours.csv": "".join(f"{node},{node % 3}\n" for node in range(34)).encode()}


def heart() -> Files:
    """Return a split with its negatives in the layout of HeaRT."""
    positives = {"train": [(0, 1), (1, 2), (2, 3), (5, 5)], "valid": [(3, 4)], "test": [(0, 4), (1, 3)]}
    pools = {"valid": [(0, 2), (0, 5)], "test": [(4, 5)]}
    samples = {"valid": [[(3, 0), (5, 4)]], "test": [[(0, 3), (2, 4)], [(1, 4), (5, 3)]]}
    found = {f"{part}_pos.txt": "".join(f"{u}\t{v}\n" for u, v in edges).encode() for part, edges in positives.items()}
    for part, edges in pools.items():
        found[f"{part}_neg.txt"] = "".join(f"{u} {v}\n" for u, v in edges).encode()
        file = io.BytesIO()
        np.save(file, np.array(samples[part]))
        found[f"heart_{part}_samples.npy"] = file.getvalue()
    return found


def results(directory: Path) -> Files:
    """Return an experiment, its tuned settings and results of all its cells, which nobody computed."""
    from edgeorbit.experiments.reading import read_experiment
    from edgeorbit.experiments.store import Store

    (directory / "small.toml").write_bytes(EXPERIMENT)
    (directory / "tuned.toml").write_bytes(TUNED)
    rows = []
    for cell in read_experiment(directory / "small.toml").cells:
        for kind in cell.negatives:
            value = 0.5 + len(rows) / 100
            row = {
                "key": cell.key,
                "data": cell.data,
                "features": cell.features,
                "model": cell.model,
                "seed": cell.seed,
            }
            row |= {"negatives": kind, "seconds": 1.5, "train_ear": 0.4, "split_digest": f"{cell.data} {cell.seed}"}
            row |= {"code": "aaaa", "test_auc": value, "test_mrr": value / 2, "test_hits@20": value / 3, "error": None}
            rows.append(row | ({"bound_walks": 0.9, "bound_components": 0.7} if kind == "orbit" else {}))
    Store(directory / "small.parquet").add(rows)
    return read_tree(directory)


def directories(run: Callable[..., None], place: Path) -> dict[str, Files]:
    """Return directories that commands write: runs of several kinds, an interrupted one, and synthetic graphs.

    Parameters
    ----------
    run
        Runs a command by its arguments.
    place
        An empty directory.
    """
    for name, content in heart().items():
        (place / "heart").mkdir(parents=True, exist_ok=True)
        (place / "heart" / name).write_bytes(content)
    small = ("--set", "epochs=1", "--set", "hidden_channels=4", "--threads", 1)
    run("synth", "syn-karate", "--edges", 20, "--features", "constant", "-o", place / "copies", "--threads", 1)
    run("synth", "grid", "--rows", 3, "--columns", 3, "--twins", 2, "-o", place / "grid", "--threads", 1)
    run("train", "karate", "--model", "ra", "-o", place / "ra", "--threads", 1)
    run("train", "karate", "--model", "gcn", *small, "-o", place / "gcn")
    run("train", place / "copies", "--model", "cn", "-o", place / "twin", "--threads", 1)
    run("train", place / "heart", "--model", "ra", "--features", "constant", "-o", place / "official", "--threads", 1)
    names = ("copies", "grid", "ra", "gcn", "twin", "official")
    found = {name: read_tree(place / name) for name in names}
    shutil.rmtree(place)
    return found


def _zstd(content: bytes) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.CompressedOutputStream(sink, "zstd") as stream:
        stream.write(content)
    packed: bytes = sink.getvalue().to_pybytes()
    return packed
