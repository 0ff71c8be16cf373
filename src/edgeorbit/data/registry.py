"""The table of data sets: what each is called, where its files lie, what it cites.

To add a data set of a family that is here, add a row; for a new family, write a function that turns the content of
the files into a `Graph` and name it in the row.
"""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple

from edgeorbit.data.digests import PLANETOID, SEAL
from edgeorbit.data.directories import resolve_data_dir
from edgeorbit.data.download import Archive, FileSet, Remote
from edgeorbit.data.files import RawFile
from edgeorbit.data.ogb import OfficialSplit, ogb_files, parse_ogb
from edgeorbit.data.planetoid import PARTS, parse_planetoid
from edgeorbit.data.seal import parse_seal
from edgeorbit.graph.graph import Graph
from edgeorbit.graph.toys import TOYS

Parse = Callable[[Mapping[str, RawFile], str], Graph]


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
        parse_seal,
        {"net": f"seal/{title}.mat"},
        remote=FileSet(
            f"https://raw.githubusercontent.com/muhanzhang/SEAL/master/{folder}/data",
            {"net": f"{title}.mat"},
            {"net": SEAL[title]},
        ),
    )


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
