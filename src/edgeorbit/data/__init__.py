"""Data sets by name: the table of them, their files, and graphs parsed from them."""

from edgeorbit.data.loading import load_graph
from edgeorbit.data.registry import DATASETS, Dataset, Listing, datasets

__all__ = ["DATASETS", "Dataset", "Listing", "datasets", "load_graph"]
