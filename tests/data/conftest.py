"""No test here reaches for the network, and small data sets in OGB's own layout."""

import gzip
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from edgeorbit.data.ogb import OfficialSplit
from edgeorbit.data.registry import DATASETS, ogb_dataset


@pytest.fixture(autouse=True)
def offline(monkeypatch: pytest.MonkeyPatch) -> None:
    """Downloads are forbidden, except where a test allows them to reach a server of its own."""
    monkeypatch.setenv("EDGEORBIT_OFFLINE", "1")


@pytest.fixture
def write_ogb(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Path]:
    """Write a small data set in OGB's layout, put it in the table, and return its folder below `tmp_path`."""
    import torch

    def write(
        name: str,
        by: str,
        num_nodes: int,
        parts: dict[str, dict[str, Any]],
        x: np.ndarray | None = None,
        *,
        zipped: bool = True,
    ) -> Path:
        folder = tmp_path / "ogb" / name.replace("-", "_")
        (folder / "raw").mkdir(parents=True)
        (folder / "split" / by).mkdir(parents=True)
        write_text(folder / "raw" / "num-node-list.csv.gz", f"{num_nodes}\n")
        train = parts["train"]
        edges = train["edge"] if "edge" in train else np.stack([train["source_node"], train["target_node"]], axis=1)
        write_text(folder / "raw" / "edge.csv.gz", "".join(f"{u},{v}\n" for u, v in np.asarray(edges).tolist()))
        write_text(folder / "raw" / "num-edge-list.csv.gz", f"{len(edges)}\n")
        if x is not None:
            write_text(
                folder / "raw" / "node-feat.csv.gz", "".join(",".join(map(str, row)) + "\n" for row in x.tolist())
            )
        for part, arrays in parts.items():
            torch.save(arrays, folder / "split" / by / f"{part}.pt", _use_new_zipfile_serialization=zipped)
        for_each = "target_node_neg" in parts["valid"]
        counts = [len(next(iter(arrays.values()))) for arrays in parts.values()]
        negatives = [
            arrays["target_node_neg"].shape[1] if for_each else len(arrays["edge_neg"])
            for arrays in (parts["valid"], parts["test"])
        ]
        official = OfficialSplit(by, *counts, *negatives, for_each=for_each)
        num_features = 0 if x is None else x.shape[1]
        monkeypatch.setitem(DATASETS, name, ogb_dataset(name, num_nodes, num_features, name, official))
        return folder

    return write


def write_text(path: Path, text: str) -> None:
    path.write_bytes(gzip.compress(text.encode(), mtime=0))
