"""Splits: which edges a model may see, and which are held out."""

from edgeorbit.data.splits.random import RATIOS, random_split
from edgeorbit.data.splits.split import LinkSplit, Negatives, Pairs, Part
from edgeorbit.data.splits.time import time_split
from edgeorbit.data.splits.twin import twin_split

__all__ = ["RATIOS", "LinkSplit", "Negatives", "Pairs", "Part", "random_split", "time_split", "twin_split"]
