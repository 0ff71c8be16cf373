"""What a predictor returns: node pairs by the user's own ids, with scores."""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt


class Predictions(NamedTuple):
    """Pairs of nodes and their scores.

    Attributes
    ----------
    pairs : array of shape (k, 2)
        The nodes, by the user's own ids.
    scores : float array of length k
        Higher for likelier links.
    num_scored : int
        How many pairs were scored to find these.
    source : string array of length k
        How each was found: by `neighbourhood`, by `embedding`, by `both`, `exact` if all non-edges were scored, or
        `given`.
    probability : float array of length k, or None
        How likely each is a link, if that was asked for and the held-out links are enough to tell; NaN for known links.
    meaning : str
        What the probabilities mean, in a sentence, or why there are none; empty if they were not asked for.
    """

    pairs: npt.NDArray[Any]
    scores: npt.NDArray[np.floating[Any]]
    num_scored: int
    source: npt.NDArray[np.str_]
    probability: npt.NDArray[np.float64] | None = None
    meaning: str = ""
