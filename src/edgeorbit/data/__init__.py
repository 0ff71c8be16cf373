"""Data sets by name: the table of them, their files, graphs parsed from them, and the splits that come with them."""

from edgeorbit.data.loading import load_graph
from edgeorbit.data.registry import DATASETS, Dataset, Listing, datasets
from edgeorbit.data.splits.official import has_official_split, official_split

__all__ = ["DATASETS", "Dataset", "Listing", "datasets", "has_official_split", "load_graph", "official_split"]
