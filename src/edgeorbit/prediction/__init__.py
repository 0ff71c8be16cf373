"""Link prediction from end to end: a split with features, a trained model, its evaluation, and the likeliest links."""

from edgeorbit.prediction.predictions import Predictions
from edgeorbit.prediction.predictor import LinkPredictor

__all__ = ["LinkPredictor", "Predictions"]
