"""What short trials found, trained for longer beside the defaults: the better of the two is kept.

Settings that learn quickly win a search of few epochs, and may lose in the end.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from edgeorbit.errors import InvalidParameterError
from edgeorbit.experiments.tuning.settings_file import Entry, identity_of
from edgeorbit.experiments.tuning.space import Point
from edgeorbit.experiments.tuning.task import Task
from edgeorbit.models import resolve_model


class ToConfirm(NamedTuple):
    """Tasks, each with what was found for it as its candidate, and a line for each reason to leave others out."""

    tasks: list[Task]
    remarks: list[str]


def find_candidates(
    tasks: Sequence[Task], entries: Iterable[Entry], place: str, metric: str | None = None
) -> ToConfirm:
    """Return what there is to confirm of a settings file.

    Parameters
    ----------
    tasks
        What was tuned, with the epochs of the confirmation.
    entries
        Those of the settings file.
    place
        What remarks call that file.
    metric
        What is compared; by default what was searched by.

    Raises
    ------
    InvalidParameterError
        If the file has none of them.
    """
    known = {identity_of(entry): entry for entry in entries}
    found: list[Task] = []
    missing: list[str] = []
    untrained: list[str] = []
    defaults: list[str] = []
    for task in tasks:
        entry = known.get(identity_of({"data": task.data, "features": task.features, "model": task.model}))
        point = None if entry is None else _found_point(entry)
        if point is None:
            missing.append(str(task))
        elif not resolve_model(task.model).trainable:
            untrained.append(str(task))
        elif point == Point({}, {}):
            defaults.append(str(task))
        else:
            searched_by = (entry or {}).get("metric", task.metric)
            found.append(replace(task, candidate=point, metric=metric or searched_by))
    if len(missing) == len(tasks):
        raise InvalidParameterError(f"{place}: has no settings of {'; '.join(missing)}; search them first")
    reasons = (
        (f"Not in {place}, search it first", missing),
        ("Not trained, so that more epochs change nothing", untrained),
        ("The defaults were found best, there is nothing to compare them with", defaults),
    )
    return ToConfirm(found, [f"{reason}: {'; '.join(names)}" for reason, names in reasons if names])


def _found_point(entry: Entry) -> Point:
    """Return what the search found, whether or not it was kept since."""
    earlier: dict[str, Any] = entry.get("confirmed", {})  # a person may have written less than we do
    found = {**entry, **{name: earlier[f"found_{name}"] for name in Point._fields if f"found_{name}" in earlier}}
    return Point(dict(found.get("settings", {})), dict(found.get("training", {})))
