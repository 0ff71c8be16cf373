"""A trained model on disk, with all that is needed to judge it and to predict with it.

| file | content |
|---|---|
| `run.json` | model, settings, protocol, versions, and how training went |
| `graph.npz` | the graph that the model may see: training edges, features, node names |
| `split.npz` | held-out edges, and negatives that came with the data |
| `checkpoint.safetensors` | the state of training, while it lasts |
| `model.safetensors` | the weights that validation chose; heuristics have none |
"""

import json
import zipfile
from pathlib import Path
from types import UnionType
from typing import Any

import numpy as np

from edgeorbit.data.splits.split import LinkSplit, Negatives
from edgeorbit.errors import EdgeorbitError, GraphFormatError
from edgeorbit.files import atomic_path
from edgeorbit.graph.reading import read_graph
from edgeorbit.graph.writing import write_graph

INFO, GRAPH, SPLIT, CHECKPOINT, WEIGHTS = (
    *("run.json", "graph.npz", "split.npz"),
    *("checkpoint.safetensors", "model.safetensors"),
)
VERSION = 1
KINDS: dict[str, type | UnionType] = {  # what must be in `run.json`, and of which kind
    "graph": str,
    "num_nodes": int,
    "model": str,
    "settings": dict,
    "training": dict | None,
    "seed": int,
    "threads": int,
    "protocol": dict,
    "split_digest": str,
    "train_ear": float | int,
    "finished": bool,
}


def write_info(path: Path, info: dict[str, Any]) -> None:
    """Write `run.json`."""
    with atomic_path(path / INFO) as temporary:
        temporary.write_text(json.dumps({"edgeorbit_run": VERSION, **info}, indent=2) + "\n", encoding="utf-8")


def read_info(path: Path) -> dict[str, Any]:
    """Read `run.json`.

    Raises
    ------
    GraphFormatError
        If the directory holds no run, one of another version, or a damaged one.
    """
    file = path / INFO
    if not file.is_file():
        raise GraphFormatError(f"{path}: is no run, it has no {INFO}; give a directory that edgeorbit train wrote")
    try:
        info = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        raise GraphFormatError(f"{file}: is damaged; train again") from None
    if not isinstance(info, dict) or info.get("edgeorbit_run") != VERSION:
        raise GraphFormatError(f"{file}: is not a run that this version reads; update edgeorbit, or train again")
    wrong = next((key for key, kind in KINDS.items() if not isinstance(info.get(key, ...), kind)), None)
    if wrong is None and not isinstance(info["protocol"].get("features"), str):
        wrong = "protocol"
    if wrong is not None:
        raise GraphFormatError(f"{file}: is damaged, {wrong!r} is missing or of another kind; train again")
    return {key: value for key, value in info.items() if key != "edgeorbit_run"}


def write_split(path: Path, split: LinkSplit) -> None:
    """Write the graph and what is held out."""
    write_graph(split.graph.with_attributes(origin=None), path / GRAPH)
    arrays: dict[str, Any] = {"valid": split.valid, "test": split.test}
    for name, kinds in (("valid_kind", split.valid_kind), ("test_kind", split.test_kind)):
        if kinds is not None:
            arrays[name] = kinds
    for name, negatives in split.negatives.items():
        arrays |= {f"negatives/{name}/valid": negatives.valid, f"negatives/{name}/test": negatives.test}
        arrays[f"negatives/{name}/info"] = np.array(json.dumps(dict(negatives.info)))
    with atomic_path(path / SPLIT) as temporary:
        np.savez(temporary, allow_pickle=False, **arrays)


def read_split(path: Path, protocol: dict[str, Any]) -> LinkSplit:
    """Read what `write_split` wrote, and make sure that nothing held out can be seen."""
    try:
        graph = read_graph(path / GRAPH)
        with np.load(path / SPLIT, allow_pickle=False) as arrays:
            kinds = {name: arrays.get(f"{name}_kind") for name in ("valid", "test")}
            names = {key.split("/")[1] for key in arrays if key.startswith("negatives/")}
            negatives = {
                name: Negatives(
                    name,
                    arrays[f"negatives/{name}/valid"],
                    arrays[f"negatives/{name}/test"],
                    json.loads(str(arrays[f"negatives/{name}/info"])),
                )
                for name in sorted(names)
            }
            split = LinkSplit(
                graph, arrays["valid"], arrays["test"], negatives, kinds["valid"], kinds["test"], protocol
            )
            split.check()
            return split
    except (OSError, ValueError, KeyError, IndexError, zipfile.BadZipFile) as error:
        if isinstance(error, EdgeorbitError):
            raise
        raise GraphFormatError(f"{path / SPLIT}: is damaged; train again") from None
