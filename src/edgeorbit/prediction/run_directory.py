"""A trained model on disk, with all that is needed to judge it and to predict with it.

| file | content |
|---|---|
| `run.json` | model, settings, protocol, versions, and how training went |
| `graph.npz` | the graph that the model may see: training edges, features, node names |
| `split.npz` | held-out edges, negatives that came with the data, and its own features if the model got others |
| `checkpoint.safetensors` | the state of training, while it lasts |
| `model.safetensors` | the weights that validation chose; heuristics have none |
| `model.txt` | the same of a model that fits itself, as text |
| `calibration.json` | how likely a link is at every score, once that was asked for |

`results.json` beside them is a pydantic model (`edgeorbit.prediction.result`). `run.json` is not: what describes a run
is a dictionary that is compared as a whole with the one in the file, so only the kinds of what is read are checked.
"""

import json
from pathlib import Path
from typing import Any, get_args

from edgeorbit._files import atomic_path, write_npz
from edgeorbit._text import is_kind, parse_json
from edgeorbit.data.features import FeatureMode
from edgeorbit.data.splits.split import LinkSplit
from edgeorbit.errors import EdgeorbitError, GraphFormatError
from edgeorbit.graph.reading import read_graph
from edgeorbit.graph.reading.source import Source
from edgeorbit.graph.reading.stored_arrays import open_npz
from edgeorbit.graph.writing import write_graph
from edgeorbit.prediction._split_arrays import arrays_of, split_from

INFO, GRAPH, SPLIT, CHECKPOINT, WEIGHTS, WEIGHTS_TEXT = (
    *("run.json", "graph.npz", "split.npz"),
    *("checkpoint.safetensors", "model.safetensors", "model.txt"),
)
VERSION = 2  # 1 did not keep the data set's own features, and drew validation negatives that avoid test edges
KINDS: dict[str, type] = {  # what must be in `run.json`, and of which kind
    "graph": str,
    "num_nodes": int,
    "model": str,
    "settings": dict,
    "seed": int,
    "threads": int,
    "protocol": dict,
    "split_digest": str,
    "train_ear": float,
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
        info = parse_json(Source(file).document())
    except EdgeorbitError:
        raise
    except (OSError, ValueError) as error:
        raise GraphFormatError(f"{file}: is damaged ({error}); train again") from None
    if not isinstance(info, dict) or info.get("edgeorbit_run") != VERSION:
        raise GraphFormatError(f"{file}: is not a run that this version reads; update edgeorbit, or train again")
    wrong = next((key for key, kind in KINDS.items() if not is_kind(info.get(key, ...), kind)), None)
    if wrong is None and not isinstance(info.get("training", ...), dict | None):
        wrong = "training"
    if wrong is None and info["protocol"].get("features") not in get_args(FeatureMode):
        wrong = "protocol"
    if wrong is not None:
        raise GraphFormatError(f"{file}: is damaged, {wrong!r} is missing or of another kind; train again")
    return {key: value for key, value in info.items() if key != "edgeorbit_run"}


def write_split(path: Path, split: LinkSplit) -> None:
    """Write the graph and what is held out."""
    write_graph(split.graph.with_attributes(origin=None), path / GRAPH)
    with atomic_path(path / SPLIT) as temporary:
        write_npz(temporary, arrays_of(split))


def read_split(path: Path, protocol: dict[str, Any]) -> LinkSplit:
    """Read what `write_split` wrote, and make sure that nothing held out can be seen.

    Raises
    ------
    GraphFormatError
        If a file is missing or damaged, or the arrays are not those of a split.
    """
    graph = read_graph(path / GRAPH)
    try:
        with open_npz(Source(path / SPLIT), "train again") as stored:
            arrays = {name: stored[name] for name in stored}
    except FileNotFoundError:
        raise GraphFormatError(f"{path / SPLIT}: is missing; train again") from None
    except OSError:
        raise GraphFormatError(f"{path / SPLIT}: is damaged; train again") from None
    try:
        split = split_from(arrays, graph, protocol)
    except ValueError as error:
        raise GraphFormatError(f"{path / SPLIT}: {error}; train again") from None
    split.check()
    return split
