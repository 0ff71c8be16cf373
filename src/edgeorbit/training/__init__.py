"""Training: one loop for all models with weights, its settings, and checkpoints that a killed run resumes from."""

from edgeorbit.training.settings import TrainingSettings

__all__ = ["TrainingSettings"]
