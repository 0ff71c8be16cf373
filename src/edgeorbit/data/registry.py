"""The table of data sets: what each is called, where its files lie, what it cites.

To add a data set of a family that is here, add a row; for a new family, write a function that turns the content of
the files into a `Graph` and name it in the row.
"""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple

from edgeorbit.data.download import Archive, FileSet, Remote
from edgeorbit.data.files import RawFile, resolve_data_dir
from edgeorbit.data.ogb import OfficialSplit, ogb_files, parse_ogb
from edgeorbit.data.planetoid import PARTS, parse_planetoid
from edgeorbit.graph.graph import Graph
from edgeorbit.graph.toys import TOYS

Parse = Callable[[Mapping[str, RawFile], str], Graph]


# SHA-256 of the files that are fetched, and of Planetoid's raw files whichever way they came: those are pickles, and
# opened only if they are these very files.
PLANETOID: dict[str, dict[str, str]] = {
    "cora": {
        "x": "23cfa55d91c6f624233f5eb7b6e3f141f1bd2b2ae39608a63cf5d084bb27baab",
        "y": "94465c14eb53e04ca262198dcbb2521ee8af60fb3f3d546cd6ca24a511b0e7d1",
        "tx": "b9afbaa4a400df991f6f02ef677e1e44da55ffc04801fd02f9e673987829226a",
        "ty": "41f5ac76596a1699cc33f53084a2419e92961c42bb75f36fc38e616d348532ad",
        "allx": "9419ba2f26f5c35243db64aba110e0f35a04851609e0dc5433450676ca6b8543",
        "ally": "2b998f5cc7fedc86e7f97ca2498f47a1ffc1462c29e2d578b23bf3f62b6e7d71",
        "graph": "58f13302f39dde8852dad6fe6d15b89b077b6d7f837626bce671ef80344b383d",
        "test.index": "297ce89af2b51a6a194181c7dbe1796c6a1cf9cd9349a88383b1b1e227867875",
    },
    "citeseer": {
        "x": "d20de19150741e555de0ed037195630fc194114ebc7fd72ced62810148aa22f6",
        "y": "8ba87e515d8e3ee3cf52f6d2c5b86aa73f11ecad825a808455209ec26cd54924",
        "tx": "539a8906a2da97628d212f2fdd668c109a8b3f0d36574b59e5d3fd5b5303da21",
        "ty": "55e5bd1ba1e733a04598753ad1a8d57957f4b8f89e74519f41f4f4938767e4ce",
        "allx": "2ac30345d95c9ec933a817ee0bdd6a5f077f8c184a20e696910192d534414668",
        "ally": "f704b2d986dde6c2669934de1f3ae5696a6cf9455c0f6b2646a2d135ea0a1c95",
        "graph": "d79a4ef9d3e7169aee8946145f6b7306e35bc79bffad26346cfb94e10e9912a7",
        "test.index": "2af990671580b6b2df5d158d1038f8292e30c9cd821b5453f399659b25b723d4",
    },
    "pubmed": {
        "x": "fbe9cb5c47200d1b7769a26e579be3b7130b556831f9d850e77c4c74f2599b33",
        "y": "e6c807633307a07ed659249006536a147c7999c797f11a2560752990181b41b3",
        "tx": "4eb5f5d0f30f26497eb0ac6ac9719d09c67e284f1ed0385c93f3ef27a671da3d",
        "ty": "ee2e0d4819d9fbcc403689c3bf2e49face401b605932f093bc58ab6461130fdd",
        "allx": "508e538e2abdccdd54c4d3e9f49d638b4af7107d85845f66ddea5a5152658b7e",
        "ally": "0c37bbe3b5014ec365e9d393cf4791925e5ed94fb194305d74f064a8d7b50f0e",
        "graph": "5b89f0036ca22909471f1e6558eb42fa06e0c730a577bde5b058b40638f81dc9",
        "test.index": "b101d421688bbaecbd82e8a18f1e282378d6830f3a37666f28ebc47f844341b5",
    },
}
SEAL: dict[str, str] = {
    "USAir": "6b48a37e2bb398234e5383787c30dca087de704366a2b7b05d64cc2f53210e0b",
    "NS": "c69258a674e13115e34ec11343c92f352bcec635baf3fe40f0adf6e8a5037019",
    "PB": "c0eca0a3b5bac0ecd46491c2a1e080ec22e445d28f9975bc776dc07b3d672d88",
    "Yeast": "2d199acffa6cecd9dfd0d13f0c4eaecd34158e83f1a717e5da7e38089692e112",
    "Celegans": "450bb6f3ca833a65f53ee59103945ef87da70de2c6d262b1a760b9eefce287d6",
    "Power": "87d7b9d5449b6a18fad4fdd662efd33be84c805ea66692f9e2e0791569c5a478",
    "Router": "bae603199c2ddb0f8776acb1962c9c6ed89773da9d41377d6a7f8cc2b1e3a1c1",
    "Ecoli": "6701fdf0a01c01406e98f9874b04d4fbcae5786d71fad009f4501c0b6086df5e",
}


@dataclass(frozen=True, slots=True)
class Dataset:
    """One data set.

    Attributes
    ----------
    name : str
        The name it is asked for by, in lower case.
    family : str
        `planetoid`, `ogb`, `seal` or `toy`.
    num_nodes, num_edges : int
        The size of the graph, after merging and dropping; of a data set with an official split the number of edges in
        all of its parts as it is published, repeated ones included.
    source : str
        Where the files come from.
    citation : str
        What to cite.
    parse : callable
        Turns the files, by their keys in `files`, and the name into a graph.
    files : dict of str
        The path of every file, relative to the data directory, by its key.
    digests : dict of str
        The SHA-256 that a file must have, by its key; files without one are read as they are.
    num_features : int
        The number of features of every node.
    remote : Remote or None
        Where the files are fetched from if they are missing.
    official : OfficialSplit or None
        The split that comes with the data set.
    """

    name: str
    family: str
    num_nodes: int
    num_edges: int
    source: str
    citation: str
    parse: Parse
    files: Mapping[str, str] = field(default_factory=dict)
    digests: Mapping[str, str] = field(default_factory=dict)
    num_features: int = 0
    remote: Remote | None = None
    official: OfficialSplit | None = None


class Listing(NamedTuple):
    """A data set, and whether all of its files are in the data directory."""

    dataset: Dataset
    available: bool


def datasets(data_dir: str | os.PathLike[str] | None = None) -> list[Listing]:
    """Return all data sets, and whether their files are in the data directory.

    >>> [listing.dataset.name for listing in datasets() if listing.dataset.family == "planetoid"]
    ['cora', 'citeseer', 'pubmed']
    """
    directory = resolve_data_dir(data_dir)
    return [
        Listing(dataset, all((directory / path).is_file() for path in dataset.files.values()))
        for dataset in DATASETS.values()
    ]


def _planetoid(title: str, num_nodes: int, num_edges: int, num_features: int) -> Dataset:
    name = title.lower()
    return Dataset(
        name,
        "planetoid",
        num_nodes,
        num_edges,
        "https://github.com/kimiyoung/planetoid, folder data",
        "Yang, Cohen, Salakhutdinov: Revisiting semi-supervised learning with graph embeddings, ICML 2016",
        parse_planetoid,
        {part: f"planetoid/{title}/raw/ind.{name}.{part}" for part in PARTS},
        PLANETOID[name],
        num_features,
        FileSet(
            "https://raw.githubusercontent.com/kimiyoung/planetoid/master/data",
            {part: f"ind.{name}.{part}" for part in PARTS},
            PLANETOID[name],
        ),
    )


def _seal(title: str, num_nodes: int, num_edges: int, folder: str) -> Dataset:
    return Dataset(
        title.lower(),
        "seal",
        num_nodes,
        num_edges,
        f"https://github.com/muhanzhang/SEAL, folder {folder}/data",
        "Zhang, Chen: Link prediction based on graph neural networks, NeurIPS 2018",
        _parse_seal,
        {"net": f"seal/{title}.mat"},
        remote=FileSet(
            f"https://raw.githubusercontent.com/muhanzhang/SEAL/master/{folder}/data",
            {"net": f"{title}.mat"},
            {"net": SEAL[title]},
        ),
    )


def _parse_seal(raw: Mapping[str, RawFile], name: str) -> Graph:
    """Build a graph of the SEAL paper from its MATLAB file, which has the adjacency matrix in `net`."""
    from edgeorbit.graph.reading import read_graph

    return read_graph(raw["net"].path, format="mat").with_attributes(name=name)


def ogb_dataset(name: str, num_nodes: int, num_features: int, archive: str, official: OfficialSplit) -> Dataset:
    """Return the row of a data set in OGB's layout; `archive` is what OGB calls its zip file and the folder in it."""
    folder = name.replace("-", "_")
    url = f"https://snap.stanford.edu/ogb/data/linkproppred/{archive}.zip"
    return Dataset(
        name,
        "ogb",
        num_nodes,
        official.train + official.valid + official.test,
        f"{url}, whose folder {archive} becomes ogb/{folder}",
        "Hu et al.: Open Graph Benchmark: datasets for machine learning on graphs, NeurIPS 2020",
        partial(parse_ogb, official=official, num_features=num_features),
        ogb_files(folder, official.by, has_features=num_features > 0),
        num_features=num_features,
        remote=Archive(url, archive, f"ogb/{folder}"),
        official=official,
    )


def _toy(name: str) -> Dataset:
    toy = TOYS[name]
    return Dataset(name, "toy", toy.num_nodes, toy.num_edges, "built in", toy.citation, _build_toy)


def _build_toy(files: Mapping[str, RawFile], name: str) -> Graph:
    return TOYS[name].build()


DATASETS: dict[str, Dataset] = {
    dataset.name: dataset
    for dataset in [
        _planetoid("Cora", 2708, 5278, 1433),
        _planetoid("CiteSeer", 3327, 4552, 3703),
        _planetoid("PubMed", 19717, 44324, 500),
        ogb_dataset("ogbl-ddi", 4267, 0, "ddi", OfficialSplit("target", 1067911, 133489, 133489, 101882, 95599)),
        ogb_dataset("ogbl-collab", 235868, 128, "collab", OfficialSplit("time", 1179052, 60084, 46329, 100000, 100000)),
        ogb_dataset(
            "ogbl-ppa",
            576289,
            58,
            "ppassoc",
            OfficialSplit("throughput", 21231931, 6062562, 3031780, 3000000, 3000000),
        ),
        ogb_dataset(
            "ogbl-citation2",
            2927963,
            128,
            "citation-v2",
            OfficialSplit("time", 30387995, 86596, 86596, 1000, 1000, for_each=True),
        ),
        _seal("USAir", 332, 2126, "Python"),
        _seal("NS", 1589, 2742, "MATLAB"),
        _seal("PB", 1222, 16714, "MATLAB"),
        _seal("Yeast", 2375, 11693, "MATLAB"),
        _seal("Celegans", 297, 2148, "Python"),
        _seal("Power", 4941, 6594, "Python"),
        _seal("Router", 5022, 6258, "Python"),
        _seal("Ecoli", 1805, 14660, "Python"),
        *(_toy(name) for name in TOYS),
    ]
}
