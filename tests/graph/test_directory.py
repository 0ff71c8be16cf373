"""A graph as a directory: it comes back as it was, and no damage or mistake in it goes unnoticed or gives a traceback."""

import csv
import hashlib
import json
import re
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from edgeorbit import Graph, read_graph
from edgeorbit.data import load_graph
from edgeorbit.errors import EdgeorbitError, GraphFormatError
from edgeorbit.graph.directory import (
    FILES,
    graphs_within,
    has_own_card,
    is_graph_directory,
    read_directory,
    write_directory,
)
from edgeorbit.graph.graph import Origin
from oracles import graphs

PARTS = ("edge_kind", "copy", "original", "twin_of")
LINKS = Graph.from_edges([[0, 1], [1, 2], [3, 4]], 6, name="links", x=np.ones((6, 2), np.float32), y=np.arange(6))


@st.composite
def known_graphs(draw: st.DrawFn) -> Graph:
    """Small graphs with any origin, features and labels."""
    graph = draw(graphs(max_nodes=8))
    n = graph.num_nodes
    node = st.integers(0, n - 1)
    origin = Origin(
        draw(hnp.arrays(np.uint8, graph.num_edges, elements=st.integers(0, 2))),
        draw(hnp.arrays(np.int32, n, elements=node)),
        draw(hnp.arrays(np.int32, n, elements=node)),
        draw(hnp.arrays(np.int32, n, elements=st.integers(-1, n - 1))),
        {"generator": "any", "parameters": {"rows": 3}},
    )
    dense = draw(hnp.arrays(st.sampled_from(["f4", "f8", "i4"]), (n, 3), elements=st.integers(-5, 5)))
    x = draw(st.sampled_from([None, dense, scipy.sparse.csr_array(dense)]))
    y = draw(st.none() | hnp.arrays(st.sampled_from(["i8", "f4", "U3"]), n))
    name = draw(st.text(st.characters(codec="utf-8"), max_size=9))
    return graph.with_attributes(x=x, y=y, name=name, origin=draw(st.sampled_from([None, origin])))


def equal(first: Any, second: Any) -> bool:
    if first is None or second is None:
        return first is second
    if scipy.sparse.issparse(first):
        return scipy.sparse.issparse(second) and equal(first.toarray(), second.toarray())
    return first.dtype == second.dtype and np.array_equal(first, second, equal_nan=first.dtype.kind == "f")


@pytest.fixture
def links(tmp_path: Path) -> Path:
    (tmp_path / "links").mkdir()
    write_directory(LINKS, tmp_path / "links", {"ear": 0.5})
    return tmp_path / "links"


def sign(directory: Path) -> None:
    """Make the card agree with the files, as somebody who is set on confusing us would."""
    card = json.loads((directory / "graph.json").read_text())
    names = [name for name in FILES if (directory / name).exists()]
    card["sha256"] = {name: hashlib.sha256((directory / name).read_bytes()).hexdigest() for name in names}
    (directory / "graph.json").write_text(json.dumps(card))


@given(graph=known_graphs())
@settings(max_examples=60)
def test_a_graph_comes_back_with_all_that_is_known_about_it(tmp_path_factory, graph: Graph) -> None:
    path = tmp_path_factory.mktemp("graph")
    write_directory(graph, path, {"note": [1, None, "x"]})
    found = read_directory(path)
    for part in ("indptr", "indices", "x", "y"):
        assert equal(getattr(found, part), getattr(graph, part)), part
    origin = graph.origin or Origin.plain(graph.num_nodes, graph.num_edges)
    for part in PARTS:
        assert equal(getattr(found.origin, part), getattr(origin, part)), part
    assert found.name == graph.name and found.node_names is None
    assert found.origin.recipe["note"] == [1, None, "x"] and "sha256" not in found.origin.recipe
    assert (found.origin.recipe["num_nodes"], found.origin.recipe["num_edges"]) == (graph.num_nodes, graph.num_edges)
    plain = read_directory(path, features=False)
    assert plain.x is None and equal(plain.y, graph.y)


@given(graph=known_graphs())
@settings(max_examples=30)
def test_the_edge_lists_say_the_same_in_csv_and_parquet(tmp_path_factory, graph: Graph) -> None:
    path = tmp_path_factory.mktemp("graph")
    write_directory(graph, path, {})
    origin = graph.origin or Origin.plain(graph.num_nodes, graph.num_edges)
    with (path / "edges.csv").open(newline="") as file:
        rows = list(csv.reader(file))
    assert rows[0] == ["source", "target", "kind", "copy"]
    kinds = ("original", "added", "twin")
    expected = [
        [u, v, kinds[kind], int(origin.copy[u]) if origin.copy[u] == origin.copy[v] else None]
        for (u, v), kind in zip(graph.edges.tolist(), origin.edge_kind.tolist(), strict=True)
    ]
    assert rows[1:] == [["" if cell is None else str(cell) for cell in row] for row in expected]
    assert [list(row.values()) for row in pq.read_table(path / "edges.parquet").to_pylist()] == expected
    if graph.num_edges:
        for name in ("edges.csv", "edges.parquet"):
            ours = read_graph(path / name)
            assert np.array_equal(ours.names(ours.edges), graph.edges)


def test_a_graph_of_100000_nodes_comes_back(tmp_path: Path) -> None:
    pairs = np.random.default_rng(0).integers(0, 100_000, (300_000, 2))
    graph = Graph.from_edges(pairs, 100_000, x=np.ones((100_000, 4), np.float32))
    write_directory(graph, tmp_path, {})
    found = load_graph(tmp_path)
    assert np.array_equal(found.indices, graph.indices) and np.array_equal(found.x, graph.x)


def test_the_same_graph_gives_the_same_bytes_at_another_time(links: Path, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr("time.time", lambda: 2e9)
    (tmp_path / "later").mkdir()
    write_directory(LINKS, tmp_path / "later", {"ear": 0.5})
    for file in links.iterdir():
        assert file.read_bytes() == (tmp_path / "later" / file.name).read_bytes(), file.name


def test_numbers_of_numpy_are_written_as_plain_ones(tmp_path: Path) -> None:
    write_directory(LINKS, tmp_path, {"seed": np.int64(3), "inter": np.float32(0.5), "deep": {"flag": np.bool_(True)}})
    card = json.loads((tmp_path / "graph.json").read_text())
    assert (card["seed"], card["inter"], card["deep"]) == (3, 0.5, {"flag": True})


def test_python_objects_are_refused(tmp_path: Path) -> None:
    with pytest.raises(GraphFormatError, match=r"^links: y holds Python objects; give numbers or text$"):
        write_directory(LINKS.with_attributes(y=np.array([{}] * 6, object)), tmp_path, {})


# Damage


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("damage", ["changed", "cut off", "longer", "empty", "missing", "a directory"])
def test_every_damaged_file_is_noticed(links: Path, name: str, damage: str) -> None:
    path = links / name
    content = bytearray(path.read_bytes())
    path.unlink()
    if damage == "a directory":
        path.mkdir()
    elif damage == "changed":
        content[len(content) // 2] ^= 1
        path.write_bytes(content)
    elif damage != "missing":
        path.write_bytes({"cut off": content[:-1], "longer": content + b"\n", "empty": b""}[damage])
    if (name, damage) == ("edges.csv", "missing"):
        assert load_graph(links).num_edges == 3  # the Parquet file says the same
        return
    what = "is missing" if damage in ("missing", "a directory") else "was changed since graph.json was written"
    with pytest.raises(GraphFormatError, match=f"^{path}: {what}; make the graph again$"):
        load_graph(links)


def test_a_directory_without_a_card_says_what_it_needs(links: Path, tmp_path: Path) -> None:
    (links / "graph.json").unlink()
    with pytest.raises(GraphFormatError, match=r"links: is a directory without graph.json; give a file$"):
        load_graph(links)
    for name in ("ear-0.9", "ear-0.1"):
        (tmp_path / "sweep" / name).mkdir(parents=True)
        write_directory(LINKS, tmp_path / "sweep" / name, {})
    with pytest.raises(GraphFormatError, match=r"; name one of the 2 graphs in it, for instance .*sweep/ear-0.1$"):
        load_graph(tmp_path / "sweep")


def test_graphs_within_a_directory_are_those_with_a_card_that_are_not_hidden(links: Path, tmp_path: Path) -> None:
    shutil.copytree(links, tmp_path / ".edgeorbit-left-by-a-killed-process")
    (tmp_path / "other").mkdir()
    (tmp_path / "file").write_text("")
    assert graphs_within(tmp_path) == [links]
    for none in (links, tmp_path / "file", tmp_path / "nothing", tmp_path / ("n" * 5000)):
        assert graphs_within(none) == []


def test_a_card_of_another_program_is_not_ours(links: Path, tmp_path: Path) -> None:
    assert has_own_card(links) and is_graph_directory(links)
    for text in ('{"nodes": [], "links": []}', "[1]", "no JSON", '"edgeorbit_graph"', ""):
        (tmp_path / "graph.json").write_text(text)
        assert is_graph_directory(tmp_path) and not has_own_card(tmp_path)
    assert not has_own_card(tmp_path / "nothing")


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
KEYS = ["edgeorbit_graph", "name", "num_nodes", "sha256", "ear"]


@given(data=st.data())
@settings(max_examples=150)
def test_no_card_whatever_gives_another_error_than_ours(links: Path, data: st.DataObject) -> None:
    original = (links / "graph.json").read_bytes()
    card = json.loads(original)
    kind = data.draw(st.sampled_from(["any bytes", "any JSON", "one key", "one digest", "cut off"]))
    if kind == "any bytes":
        content = data.draw(st.binary(max_size=40))
    elif kind == "any JSON":
        content = json.dumps(data.draw(json_values)).encode()
    elif kind == "cut off":
        content = original[: data.draw(st.integers(0, len(original) - 3))]
    else:
        into = card if kind == "one key" else card["sha256"]
        key = data.draw(st.sampled_from(KEYS if kind == "one key" else [*FILES, "../secret", ""]))
        into.pop(key, None)
        if data.draw(st.booleans()):
            into[key] = data.draw(json_values)
        content = json.dumps(card).encode()
    (links / "graph.json").write_bytes(content)
    try:
        load_graph(links)
    except EdgeorbitError as error:
        assert "\n" not in str(error)
        is_json = not re.search(rb"Infinity|NaN", content)  # which Python writes, and the standard does not know
        assert kind != "one key" or key not in ("num_nodes", "ear") or not is_json
    else:
        assert kind not in ("any bytes", "any JSON", "cut off")
    finally:
        (links / "graph.json").write_bytes(original)


@pytest.mark.parametrize("name", ["../secret", "notes.txt", "graph.json"])
def test_a_card_lists_the_files_of_the_graph_and_no_others(links: Path, name: str) -> None:
    (links / name).touch()
    card = json.loads((links / "graph.json").read_text())
    card["sha256"][name] = hashlib.sha256((links / name).read_bytes()).hexdigest()
    (links / "graph.json").write_text(json.dumps(card))
    with pytest.raises(
        GraphFormatError, match=r"graph.json: does not list the files of the graph; make the graph again"
    ):
        load_graph(links)


def test_a_card_nested_without_end_is_no_traceback(links: Path) -> None:
    (links / "graph.json").write_text("[" * 200_000)
    with pytest.raises(GraphFormatError, match="is not readable JSON; make the graph again"):
        load_graph(links)


def test_a_card_of_a_later_version_asks_for_an_update(links: Path) -> None:
    card = json.loads((links / "graph.json").read_text())
    (links / "graph.json").write_text(json.dumps(card | {"edgeorbit_graph": 2}))
    with pytest.raises(GraphFormatError, match="is not the card of a graph that this version reads; update edgeorbit"):
        load_graph(links)


EDGES = {"source": [0, 1, 3], "target": [1, 2, 4], "kind": ["original"] * 3, "copy": [0, 0, 0]}
NODES = {"node": [*range(6)], "copy": [0] * 6, "original": [*range(6)], "twin_of": [-1] * 6}


@pytest.mark.parametrize(
    ("file", "columns"),
    [
        ("edges", EDGES | {"source": EDGES["target"], "target": EDGES["source"]}),
        ("edges", EDGES | {"source": EDGES["kind"], "kind": EDGES["source"]}),
        ("edges", EDGES | {"kind": [0, 0, 0]}),
        ("edges", EDGES | {"kind": ["original", "added", "other"]}),
        ("edges", EDGES | {"kind": ["original", None, "added"]}),
        ("edges", EDGES | {"source": [0, None, 3]}),
        ("edges", EDGES | {"source": [0.0, 1.0, 3.0]}),
        ("edges", EDGES | {"source": [True, False, True]}),
        ("edges", EDGES | {"target": [1, 2, 6]}),
        ("edges", EDGES | {"target": [1, 2, 2**40]}),
        ("edges", EDGES | {"source": [0, 1, -1]}),
        ("edges", EDGES | {"target": [1, 2, 3]}),
        ("edges", {key: values[::-1] for key, values in EDGES.items()}),
        ("edges", EDGES | {"source": [0, 0, 3], "target": [1, 1, 4]}),
        ("edges", EDGES | {"source": [[0], [1], [3]]}),
        ("edges", {"source": [0], "target": [1]}),
        ("nodes", NODES | {"twin_of": [6] + [-1] * 5}),
        ("nodes", NODES | {"twin_of": [2**32] + [-1] * 5}),
        ("nodes", NODES | {"twin_of": [-2] + [-1] * 5}),
        ("nodes", NODES | {"copy": [-1] * 6}),
        ("nodes", NODES | {"copy": [2**31 - 1] * 6}),
        ("nodes", NODES | {"original": [2**32 + 1] * 6}),
        ("nodes", NODES | {"original": ["a"] * 6}),
        ("nodes", {key: values[:3] for key, values in NODES.items()}),
        ("nodes", {"node": [0]}),
        ("nodes", {}),
    ],
)
def test_tables_that_contradict_each_other_are_named(links: Path, file: str, columns: dict[str, list]) -> None:
    pq.write_table(pa.table(columns), links / f"{file}.parquet")
    sign(links)
    with pytest.raises(GraphFormatError, match=f"^{links}: its files contradict each other .*; make the graph again$"):
        load_graph(links)


def test_tables_with_the_right_columns_are_read(links: Path) -> None:
    pq.write_table(pa.table(EDGES), links / "edges.parquet")
    pq.write_table(pa.table(NODES), links / "nodes.parquet")
    sign(links)
    assert np.array_equal(load_graph(links).edges, LINKS.edges)


SPARSE = {
    "x_data": np.ones(2),
    "x_indices": np.array([0, 1]),
    "x_indptr": np.array([0, 1, 2, 2, 2, 2, 2]),
    "x_shape": np.array([6, 2]),
}


@pytest.mark.parametrize(
    "arrays",
    [
        {"x": np.ones(())},
        {"x": np.ones((5, 2))},
        {"y": np.ones(())},
        {"y": np.ones(7)},
        {"y": np.array([{}] * 6, object)},
        SPARSE | {"x_shape": np.array([6])},
        SPARSE | {"x_shape": np.array([np.inf, 2])},
        SPARSE | {"x_shape": np.array([np.nan, 2])},
        SPARSE | {"x_shape": np.array(["a", "b"])},
        SPARSE | {"x_shape": np.array([6, -2])},
        SPARSE | {"x_shape": np.array([])},
        SPARSE | {"x_indices": np.array([0, 2**40])},
        SPARSE | {"x_indptr": np.array([0, 2**40])},
        SPARSE | {"x_data": np.array(["a", "b"])},
        {"x_data": np.ones(2)},
    ],
)
def test_features_that_do_not_fit_are_named(links: Path, arrays: dict[str, np.ndarray]) -> None:
    np.savez(links / "features.npz", **arrays)
    sign(links)
    with pytest.raises(GraphFormatError, match="its files contradict each other") as caught:
        load_graph(links)
    assert "\n" not in str(caught.value)


@given(name=st.sampled_from(["edges.parquet", "nodes.parquet", "features.npz"]), data=st.data())
@settings(max_examples=120)
def test_files_with_any_content_never_give_another_error_than_ours(links: Path, name: str, data: st.DataObject) -> None:
    files = {file.name: file.read_bytes() for file in links.iterdir()}
    content = bytearray(files[name])
    how = data.draw(st.sampled_from(["any", "cut off", "changed"]))
    if how == "any":
        content = bytearray(data.draw(st.binary(max_size=60)))
    elif how == "cut off":
        del content[data.draw(st.integers(0, len(content) - 1)) :]
    else:
        content[data.draw(st.integers(0, len(content) - 1))] ^= data.draw(st.integers(1, 255))
    (links / name).write_bytes(content)
    sign(links)
    try:
        load_graph(links)
    except EdgeorbitError as error:
        assert "\n" not in str(error)
    except MemoryError:
        pass  # a damaged header may claim any size, and the command line has a sentence for that
    finally:
        for file, original in files.items():
            (links / file).write_bytes(original)
