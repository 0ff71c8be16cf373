"""Link prediction from end to end: a split with features, a trained model, its evaluation, and the likeliest links."""

from edgeorbit.prediction.predictions import Predictions
from edgeorbit.prediction.predictor import LinkPredictor
from edgeorbit.prediction.preparing import prepare_split

__all__ = ["LinkPredictor", "Predictions", "prepare_split"]
