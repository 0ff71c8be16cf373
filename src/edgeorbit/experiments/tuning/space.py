"""What `edgeorbit tune` searches: the same ranges for all models, and beside them what a model declares itself."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from edgeorbit.errors import InvalidParameterError
from edgeorbit.models import resolve_model
from edgeorbit.models.base import LinkModel
from edgeorbit.training.settings import setting_names, training_class

if TYPE_CHECKING:
    from optuna.trial import Trial

FIXED = ("select_on", "metric", "epochs")  # settings of training that a search has once for all
MOST_STEPS = 200  # of an epoch: a batch of 32 on a large graph would take hours on a CPU


@dataclass(frozen=True)
class Range:
    """All numbers from `low` to `high`, whole ones if both are; `log` if their magnitude is what counts.

    >>> Range(1e-4, 1e-2, log=True)
    Range(low=0.0001, high=0.01, log=True)
    """

    low: float
    high: float
    log: bool = False

    def __post_init__(self) -> None:
        """Refuse a range without numbers."""
        if not -math.inf < self.low <= self.high < math.inf or (self.log and self.low <= 0):
            least = " above 0" if self.log else ""
            raise InvalidParameterError(
                f"a range goes from a number{least} to a larger one, not {self.low}..{self.high}"
            )


Space = Mapping[str, Range | list[Any]]  # by setting: a range, or the values to choose from

# The ranges of the paper, and whether layers are normalised, which the paper leaves out: it helps on real features, and
# of constant ones it leaves nothing in a first layer, because rows that differ by a factor alone become equal.
COMMON: Space = {
    "learning_rate": Range(1e-4, 1e-2, log=True),
    "dropout": Range(0.0, 0.3),
    "batch_size": [2**power for power in range(5, 16)],
    "hidden_channels": [16, 32, 64, 128],
    "num_layers": [1, 2, 3],
    "layer_norm": [True, False],
}


class Searched(NamedTuple):
    """A search space, and what should be said about it, a sentence each."""

    space: Space
    remarks: list[str]


class Point(NamedTuple):
    """A point of a search space: settings of the model and of training in the place of their defaults."""

    settings: dict[str, Any]
    training: dict[str, Any]


def search_space(
    model: str, num_edges: int, given: Space | None = None, fixed: Mapping[str, Any] | None = None
) -> Searched:
    """Return what to search for a model on a graph.

    Parameters
    ----------
    model
        A name of `edgeorbit.models.MODELS`. Where it declares a range of its own for a setting, that one counts.
    num_edges
        Training edges of an epoch. The smallest batches are left out where an epoch would have more than 200 steps,
        and those that are larger than half of the edges too, which training never takes.
    given
        Ranges in the place of those, or beside them; they are taken as they are.
    fixed
        Settings that are not searched.

    Raises
    ------
    InvalidParameterError
        If the model has no such setting, or does not take a value of it.

    Examples
    --------
    >>> search_space("katz", 100)
    Searched(space={'beta': [0.0005, 0.005, 0.05], 'max_length': [2, 3, 4]}, remarks=[])
    """
    found, given = resolve_model(model), given or {}
    own, training = setting_names(found)
    for name, one in given.items():
        if name not in own | training:
            known = ", ".join(sorted(own | training)) or "none"
            raise InvalidParameterError(f"{model} has no setting {name!r} to search; its settings are: {known}")
        if name in FIXED and name not in own:
            raise InvalidParameterError(f"{name} is the same in all trials, which are compared by it; do not search it")
        _check_values(found, name, one, name in own)
    space = searchable(COMMON, model) | dict(found.search_space)
    remarks: list[str] = []
    if "batch_size" in space:
        space["batch_size"], remarks = _clip_batches(space["batch_size"], num_edges)  # type: ignore[arg-type]
    space |= given
    space = {name: one for name, one in space.items() if name not in (fixed or {}) or name in given}
    return Searched(space, remarks if "batch_size" in space and "batch_size" not in given else [])


def searchable(space: Space, model: str) -> dict[str, Range | list[Any]]:
    """Return the part of a space that a model has, by itself or in its training."""
    own, training = setting_names(resolve_model(model))
    return {name: one for name, one in space.items() if name in own | training}


def suggest(trial: "Trial", model: str, space: Space) -> Point:
    """Choose a point of a space by a trial of optuna.

    Lists of numbers are ordered, so that what is learned of one value counts for its neighbours; their place in the
    list is what optuna sees, which also spaces powers evenly.
    """
    point = Point({}, {})
    own, _ = setting_names(resolve_model(model))
    for name, one in space.items():
        value: Any
        if isinstance(one, list):
            if all(isinstance(choice, int | float) and not isinstance(choice, bool) for choice in one):
                value = one[trial.suggest_int(name, 0, len(one) - 1)]
            else:
                value = trial.suggest_categorical(name, one)
        elif isinstance(one.low, int) and isinstance(one.high, int):
            value = trial.suggest_int(name, one.low, one.high, log=one.log)
        else:
            value = trial.suggest_float(name, one.low, one.high, log=one.log)
        (point.settings if name in own else point.training)[name] = value
    return point


def parse_range(text: str) -> tuple[str, Range | list[Any]]:
    """Read `NAME=LOW..HIGH`, which is logarithmic if it spans a hundredfold or more, or `NAME=VALUE,VALUE`.

    >>> parse_range("learning_rate=1e-4..1e-2")
    ('learning_rate', Range(low=0.0001, high=0.01, log=True))
    >>> parse_range("hidden_channels=32,64")
    ('hidden_channels', [32, 64])
    """
    name, _, said = text.partition("=")
    if not name or not said:
        raise InvalidParameterError(f"--search {text}: give for instance dropout=0..0.5 or hidden_channels=32,64")
    if ".." not in said:
        return name, sorted_numbers([_value(part) for part in said.split(",")])
    try:
        return name, _range(said)
    except InvalidParameterError as error:
        raise InvalidParameterError(f"--search {text}: {error}") from None


def read_range(said: Any) -> Range | list[Any]:
    """Read what an experiment file says of a setting: a list of values, or a range as `parse_range` takes it.

    >>> read_range("0.001..0.01"), read_range([64, 32])
    (Range(low=0.001, high=0.01, log=False), [32, 64])
    """
    if isinstance(said, list) and said:
        if not all(isinstance(value, bool | int | float | str) for value in said):
            raise InvalidParameterError(
                "a list of values holds numbers, words and true or false, and no lists or tables"
            )
        return sorted_numbers(said)
    if isinstance(said, str) and ".." in said:
        return _range(said)
    raise InvalidParameterError(f'give a list of values, or a range such as "0.001..0.01", not {said!r}')


def _range(said: str) -> Range:
    low, high = (_value(end) for end in said.split("..", 1))
    if not all(isinstance(end, int | float) and not isinstance(end, bool) for end in (low, high)):
        raise InvalidParameterError("the ends of a range are numbers, for instance 0..0.5")
    if isinstance(low, float) or isinstance(high, float):
        low, high = float(low), float(high)
    return Range(low, high, log=low > 0 and high >= 100 * low)


def sorted_numbers(values: list[Any]) -> list[Any]:
    """Return the values once each, in order if all of them are numbers."""
    once = list(dict.fromkeys(values))
    if all(isinstance(value, int | float) and not isinstance(value, bool) for value in once):
        once.sort()
    return once


def _value(text: str) -> Any:
    if text.strip().lower() in {"true", "false"}:
        return text.strip().lower() == "true"
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text.strip()


def _clip_batches(choices: list[int], num_edges: int) -> tuple[list[int], list[str]]:
    """Leave out batches of which an epoch has too many, and those that training would not take."""
    least, most = math.ceil(num_edges / MOST_STEPS), math.ceil(num_edges / 2)
    useful = [size for size in choices if size // 2 < most] or choices[:1]
    kept = [size for size in useful if size >= least] or useful[-1:]
    if kept[0] == useful[0]:
        return kept, []
    return kept, [
        f"batches of {useful[0]} to {kept[0] // 2} are left out: an epoch over {num_edges:,} edges would have "
        f"more than {MOST_STEPS} steps"
    ]


def _check_values(model: type[LinkModel], name: str, one: Range | list[Any], own: bool) -> None:
    """Refuse values that a model or training does not take, before hours are spent on the others."""
    kind = training_class(model)
    for value in one if isinstance(one, list) else (one.low, one.high):
        if own:
            model(**{name: value})
        elif kind is not None:
            kind.from_mapping({name: value}, "training")
