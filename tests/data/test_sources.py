"""`eo.load`: the same graph, whatever it comes as."""

from pathlib import Path

import networkx as nx
import numpy as np
import pyarrow as pa
import pytest

import edgeorbit as eo
from edgeorbit.errors import DatasetNotFoundError, EdgeorbitError, GraphFormatError, InvalidParameterError

pandas = pytest.importorskip("pandas")
torch = pytest.importorskip("torch")
data = pytest.importorskip("torch_geometric.data")

EDGES = [(0, 1), (0, 2), (1, 2), (2, 3), (3, 4), (1, 5)]
COLUMNS = {"source": [u for u, _ in EDGES], "target": [v for _, v in EDGES]}
EDGE_INDEX = np.array(EDGES).T


def written(folder: Path) -> Path:
    (folder / "links.csv").write_text("source,target\n" + "".join(f"{u},{v}\n" for u, v in EDGES))
    return folder / "links.csv"


SOURCES = {
    "graph": lambda folder: eo.Graph.from_edges(EDGES),
    "path": written,
    "text": lambda folder: str(written(folder)),
    "list of pairs": lambda folder: EDGES,
    "array of pairs": lambda folder: EDGE_INDEX.T,
    "edge_index array": lambda folder: EDGE_INDEX,
    "edge_index tensor": lambda folder: torch.tensor(EDGE_INDEX),
    "tensor of pairs": lambda folder: torch.tensor(EDGES),
    "both directions": lambda folder: torch.tensor(np.concatenate([EDGE_INDEX, EDGE_INDEX[::-1]], axis=1)),
    "Data": lambda folder: data.Data(edge_index=torch.tensor(EDGE_INDEX), num_nodes=6),
    "networkx": lambda folder: nx.Graph([(0, 1), (0, 2), (1, 2), (2, 3), (3, 4), (1, 5)]),
    "networkx, directed": lambda folder: nx.DiGraph(EDGES),
    "scipy": lambda folder: nx.to_scipy_sparse_array(nx.Graph(EDGES), nodelist=range(6)),
    "pandas": lambda folder: pandas.DataFrame(COLUMNS),
    "pyarrow": lambda folder: pa.table(COLUMNS),
    "polars": lambda folder: pytest.importorskip("polars").DataFrame(COLUMNS),
}


@pytest.mark.parametrize("kind", SOURCES)
def test_every_kind_of_source_gives_the_same_graph(kind: str, tmp_path: Path) -> None:
    graph = eo.load(SOURCES[kind](tmp_path))
    assert graph.num_nodes == 6
    assert {frozenset(pair) for pair in graph.names(graph.edges).astype(int).tolist()} == set(map(frozenset, EDGES))


@pytest.mark.parametrize("kind", SOURCES)
def test_what_can_be_loaded_can_be_split_and_fitted(kind: str, tmp_path: Path) -> None:
    source = SOURCES[kind](tmp_path)
    ratios = (0.6, 0.2, 0.2)
    split = eo.split(source, "random", ratios=ratios, seed=1)
    assert (split.graph.num_edges, len(split.valid), len(split.test)) == (4, 1, 1)
    fitted = eo.LinkPredictor("ra", seed=1).fit(source, kind="random", ratios=ratios)
    assert fitted.split.digest == split.digest


def test_features_and_names_come_with_a_data_set_of_pyg() -> None:
    x = torch.rand(6, 3)
    graph = eo.load(data.Data(x=x, edge_index=torch.tensor(EDGE_INDEX)), name="mine")
    assert np.array_equal(graph.x, x.numpy()) and graph.name == "mine"


@pytest.mark.parametrize(
    ("source", "options", "error", "message"),
    [
        (3.5, {}, InvalidParameterError, "cannot load a graph from a float; give a path, the name of a data set"),
        ("karatee", {}, DatasetNotFoundError, "karate"),
        (data.Data(x=torch.ones(3, 1)), {}, GraphFormatError, "this Data has no edge_index"),
        (np.array(EDGES), {"columns": "ab"}, InvalidParameterError, "option 'columns' does not go with a ndarray"),
        ("karate", {"split": "random"}, InvalidParameterError, "option 'split' does not go with a path or name"),
        (
            torch.ones(3, 4).long(),
            {},
            GraphFormatError,
            r"edge_index must have shape \(k, 2\) or \(2, k\), got \(3, 4\)",
        ),
        (torch.ones(2, 4), {}, GraphFormatError, "edge_index must be integers, got an array of float32"),
        (torch.eye(4).to_sparse(), {}, GraphFormatError, "must be a dense tensor, got layout sparse_coo"),
        ([[0, 1], [1]], {}, GraphFormatError, "rows of different lengths"),
        (data.HeteroData(), {}, GraphFormatError, "a HeteroData has several types of edges; give data.to_homogeneous"),
        (
            pandas.DataFrame({"id": [1]}),
            {},
            GraphFormatError,
            "the pandas frame: the only column is id; give two columns",
        ),
        (pandas.DataFrame(COLUMNS), {"columns": ["source"]}, InvalidParameterError, "must name two columns, got 1"),
    ],
)
def test_what_is_no_graph_gets_one_sentence(source, options, error, message) -> None:
    with pytest.raises(error, match=message) as caught:
        eo.load(source, **options)
    assert isinstance(caught.value, EdgeorbitError)
