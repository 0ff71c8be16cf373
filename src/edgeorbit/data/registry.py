"""The table of data sets: what each is called, where its files lie, what it cites.

To add a data set of a family that is here, add a row; for a new family, write a function that turns the content of
the files into a `Graph` and name it in the row.
"""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from edgeorbit.data.digests import PLANETOID
from edgeorbit.data.directories import resolve_data_dir
from edgeorbit.data.files import RawFile
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
        `planetoid`, `seal` or `toy`.
    num_nodes, num_edges : int
        The size of the graph, after merging and dropping.
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


class Listing(NamedTuple):
    """A data set, and whether all of its files are in the data directory."""

    dataset: Dataset
    available: bool


def _planetoid(title: str, num_nodes: int, num_edges: int) -> Dataset:
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
    )


def _seal(title: str, num_nodes: int, num_edges: int) -> Dataset:
    return Dataset(
        title.lower(),
        "seal",
        num_nodes,
        num_edges,
        "https://github.com/muhanzhang/SEAL, folder Python/data or MATLAB/data",
        "Zhang, Chen: Link prediction based on graph neural networks, NeurIPS 2018",
        parse_seal,
        {"net": f"seal/{title}.mat"},
    )


def _toy(name: str) -> Dataset:
    toy = TOYS[name]
    return Dataset(name, "toy", toy.num_nodes, toy.num_edges, "built in", toy.citation, _build_toy)


def _build_toy(files: Mapping[str, RawFile], name: str) -> Graph:
    return TOYS[name].build()


DATASETS: dict[str, Dataset] = {
    dataset.name: dataset
    for dataset in [
        _planetoid("Cora", 2708, 5278),
        _planetoid("CiteSeer", 3327, 4552),
        _planetoid("PubMed", 19717, 44324),
        _seal("USAir", 332, 2126),
        _seal("NS", 1589, 2742),
        _seal("PB", 1222, 16714),
        _seal("Yeast", 2375, 11693),
        _seal("Celegans", 297, 2148),
        _seal("Power", 4941, 6594),
        _seal("Router", 5022, 6258),
        _seal("Ecoli", 1805, 14660),
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
