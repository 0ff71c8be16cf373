"""Tuning: settings that validate best, found by Optuna with the same budget for every model.

A search has a number of trials; a trial trains a model on the training edges of one split, whose seed no experiment
has, and is judged by its validation edges (`task`). The first trial has the model's defaults and is never pruned, so
that a search ends with nothing worse on validation. Others are chosen from the `space` by the tree-structured Parzen
estimator, and pruned where they fall below the median of those before them (`search`). They run in processes or on a
cluster, and are kept in a journal or a database (`storage`), from which a killed search resumes. What is found becomes
a `result` and an entry of a `settings_file`, which can be compared with the defaults once more, at full length.
"""

from edgeorbit.experiments.tuning.result import TuningResult
from edgeorbit.experiments.tuning.search import TRIALS, is_tunable, tune
from edgeorbit.experiments.tuning.task import Task

__all__ = ["TRIALS", "Task", "TuningResult", "is_tunable", "tune"]
