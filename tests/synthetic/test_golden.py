"""The same seed makes the same graph on every machine: the SHA-256 of the edge lists, written down once.

A digest that changes means that results of earlier versions can no longer be made again. If that is meant, say so in
the changelog.
"""

import hashlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from edgeorbit.graph.directory import write_directory
from edgeorbit.synthetic import GENERATORS, make

OF = {"of": "karate"}
GOLDEN: list[tuple[str, dict[str, Any], str]] = [
    ("disjoint-copies", OF, "797b442c172750bb"),
    ("twins", OF, "773dd0b09f893263"),
    ("rewired-lattice", {}, "97c23ce4f1408b3d"),
    ("syn-triangle", {}, "97c23ce4f1408b3d"),
    ("lobster", {}, "6b06830176b337cd"),
    ("tree", {}, "a73e9bb8ff1b51bd"),
    ("random-tree", {}, "05ae655a0c1e4307"),
    ("grid", {}, "ea8e6de9efdc4ebf"),
    ("cycle", {}, "216cf3ebd7934f27"),
    ("prism", {}, "b88bd9567398c804"),
    ("random-regular", {}, "0350edcddfde6971"),
    ("barabasi-albert", {}, "017f167f903c1ef2"),
    ("syn-karate", {"edges": 40, "inter": 0.3}, "2d8be7de6f86a992"),
    ("syn-karate", {"edges": 40, "seed": 1}, "3788fcca071a8f58"),
    ("syn-karate", {"twins": 20}, "63711c413eee7053"),
    ("random-tree", {"nodes": 60, "twins": 10, "part": "pendant"}, "7f0fb19ed1134ae2"),
    ("grid", {"swaps": 15}, "b79a8bf67806a637"),
    ("syn-karate", {"swaps": 10, "edges": 10, "twins": 10, "seed": 2}, "4ed53e7add60d599"),
    ("random-regular", {"nodes": 40, "degree": 18}, "109e6e1788c43935"),
    ("random-regular", {"nodes": 40, "degree": 30}, "577fefdf3d2f8b52"),
    ("barabasi-albert", {"nodes": 12, "links": 2, "edges": 20}, "dd53236e78f56f6f"),
    ("syn-karate", {"ear": 0.5}, "d75b2f173cef84b3"),
    ("syn-karate", {"ear": 0.4, "rounds": 2, "seed": 3}, "9af047ff85ac8cbd"),
    ("syn-triangle", {"ear": 0.5, "rounds": 4}, "c91961fc7d14e2ba"),
    ("twins", {**OF, "ear": 0.9, "edges": 5}, "3ce74b0600f4948c"),
]
REAL: list[tuple[str, dict[str, Any], str]] = [
    ("syn-cora", {"ear": 0.5, "rounds": 2}, "0eacc64d22c18703"),
    ("syn-cora", {"ear": 0.5}, "87b0e043f9be5437"),
    ("syn-citeseer", {"ear": 0.2, "rounds": 2, "seed": 7}, "7881d00128e1a709"),
    ("syn-citeseer", {"ear": 0.9}, "cacb0a9220a3a656"),
]


def digest(graph: Any, directory: Path) -> str:
    directory.mkdir()
    write_directory(graph, directory, {})
    return hashlib.sha256((directory / "edges.csv").read_bytes()).hexdigest()


@pytest.mark.parametrize(("name", "options", "expected"), GOLDEN)
def test_a_seed_makes_the_same_graph_for_ever(name, options, expected: str, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(np.random, "default_rng", None)  # what it makes of raw bits may change with numpy's version
    assert digest(make(name, **options), tmp_path / "graph").startswith(expected)


@pytest.mark.parametrize(("name", "options", "expected"), REAL)
def test_the_benchmarks_are_the_same_for_ever(name, options, expected: str, tmp_path: Path, data_dir: Path) -> None:
    assert digest(make(name, **options, data_dir=data_dir), tmp_path / "graph").startswith(expected)


def test_every_generator_is_watched() -> None:
    assert {name for name, _, _ in GOLDEN} >= set(GENERATORS)
    assert len({expected for _, _, expected in GOLDEN}) >= len(GOLDEN) - 1
