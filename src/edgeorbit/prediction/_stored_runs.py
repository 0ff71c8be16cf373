"""Runs in their directories: how one is begun, found again, finished, and given its weights back."""

import hashlib
import json
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from edgeorbit import __version__
from edgeorbit._files import atomic_path, check_free_directory
from edgeorbit._text import shown
from edgeorbit._unfinished import is_temporary, remove_leftovers
from edgeorbit.data.splits.split import LinkSplit
from edgeorbit.errors import EdgeorbitError, GraphFormatError, InvalidParameterError
from edgeorbit.graph.graph import Graph
from edgeorbit.graph.reading.source import Source
from edgeorbit.models import MODELS, installed_models
from edgeorbit.models.base import LinkModel, Settings
from edgeorbit.models.fitted import FittedModel
from edgeorbit.prediction.evaluating import selection_negatives
from edgeorbit.prediction.result import describe_split
from edgeorbit.prediction.run_directory import (
    CHECKPOINT,
    GRAPH,
    INFO,
    SPLIT,
    WEIGHTS,
    WEIGHTS_TEXT,
    read_info,
    write_info,
    write_split,
)
from edgeorbit.prediction.stored_calibration import CALIBRATION

MOST_TEXT = 256 << 20  # bytes of weights that are text
INCIDENTAL = {"finished", "package_version"}  # what may differ between two looks at the same run


def describe_run(
    model: LinkModel,
    reference: str,
    training: Settings | None,
    split: LinkSplit,
    seed: int,
    threads: int,
) -> dict[str, Any]:
    """Return what makes a run the one it is; `reference` is the name that the model is found by."""
    return {
        "package_version": __version__,
        **describe_split(split),
        "model": reference,
        "settings": asdict(model.settings),
        "training": None if training is None else asdict(training),
        "seed": seed,
        "threads": threads,
        "features_digest": _features_digest(split.graph),
        "validation_negatives": selection_negatives(split, training),
        "finished": False,
    }


def model_of_run(directory: Path, name: str, given: Any) -> Any:
    """Return the model that a run is of, without importing what a file names.

    Raises
    ------
    InvalidParameterError
        If it is the user's own, and was not given.
    GraphFormatError
        If no installed package offers it.
    """
    if given is not None:
        return given
    if name.lower() in MODELS or name in installed_models():
        return name
    if ":" not in name:
        raise GraphFormatError(
            f"{directory / INFO}: there is no model {shown(name)!r}; install the package that offers it, or train again"
        )
    raise InvalidParameterError(
        f"{directory / INFO}: was trained with {shown(name)}, which is not part of edgeorbit; give it by "
        f"LinkPredictor.load(..., model=...), or on the command line by --model {shown(name)}"
    )


def find_run(directory: Path, info: dict[str, Any], force: bool) -> dict[str, Any] | None:
    """Return what `run.json` says if the directory holds this very run, finished or not; None if it is free for it.

    Nothing is written or removed.

    Raises
    ------
    EdgeorbitError
        If something else is in the directory, unless it may be replaced.
    """
    if (directory / INFO).is_file():
        try:
            there = read_info(directory)
        except GraphFormatError:
            if force:
                return None
            raise
        other = next((key for key in info if key not in INCIDENTAL and there.get(key) != _as_json(info[key])), None)
        if other is None:
            return there
        if not force:
            raise InvalidParameterError(
                f"{directory}: holds another run (its {other} differs); choose another directory, or add --force"
            )
    elif not _was_just_begun(directory):
        check_free_directory(directory, force)
    return None


def _was_just_begun(directory: Path) -> bool:
    """Tell whether a directory has nothing but what a run leaves that is killed before it says what it is."""
    return directory.is_dir() and all(
        entry.name in {GRAPH, SPLIT} or is_temporary(entry) for entry in directory.iterdir()
    )


def tidy_run(directory: Path) -> None:
    """Remove what a finished run needs no more: its checkpoint, and what a kill left unfinished."""
    remove_leftovers(directory)
    with suppress(OSError):
        (directory / CHECKPOINT).unlink(missing_ok=True)


def begin_run(directory: Path, info: dict[str, Any], split: LinkSplit) -> None:
    """Write the split and what the run is, instead of another run."""
    try:
        directory.mkdir(parents=True, exist_ok=True)
        for name in (INFO, CHECKPOINT, WEIGHTS, WEIGHTS_TEXT, CALIBRATION):
            (directory / name).unlink(missing_ok=True)
    except OSError as error:
        raise EdgeorbitError(f"{directory}: cannot be written ({error.strerror}); choose another directory") from None
    write_split(directory, split)
    write_info(directory, info)


def finish_run(directory: Path, info: dict[str, Any], model: LinkModel) -> None:
    """Write the weights, and then that the run is finished."""
    if isinstance(model, FittedModel):
        with atomic_path(directory / WEIGHTS_TEXT) as temporary:
            temporary.write_text(model.weights(), encoding="utf-8")
    elif model.trainable:
        from edgeorbit.training.checkpoint import write_tensors

        weights = model.network.state_dict()  # type: ignore[attr-defined]
        write_tensors(directory / WEIGHTS, weights, {"model": info["model"]})
    write_info(directory, info)
    tidy_run(directory)


def load_weights(directory: Path, model: LinkModel, reference: str, split: LinkSplit, seed: int) -> None:
    """Give a model the weights of a finished run, if it has any; a network is built before.

    Raises
    ------
    GraphFormatError
        If the file is missing, damaged or of another model.
    """
    if not model.trainable:
        return
    if isinstance(model, FittedModel):
        _load_text(directory / WEIGHTS_TEXT, model)
        return
    from edgeorbit.training.checkpoint import put_weights, read_tensors

    tensors, meta = read_tensors(directory / WEIGHTS, "train again")
    network = model.build(split.graph, seed)  # type: ignore[attr-defined]
    try:
        if meta.get("model") != reference:
            raise ValueError
        put_weights(network, tensors)
    except (RuntimeError, ValueError):
        raise GraphFormatError(f"{directory / WEIGHTS}: holds the weights of another model; train again") from None


def _load_text(file: Path, model: FittedModel) -> None:
    """Give a model that fits itself its weights."""
    if not file.is_file():
        raise GraphFormatError(f"{file}: is missing; train again")
    source = Source(file)
    size = file.stat().st_size
    if size > MOST_TEXT:
        raise GraphFormatError(f"{file}: has {size:,} bytes, more than the {MOST_TEXT:,} of any model; train again")
    try:
        if source.compression:
            raise ValueError("it is compressed")
        model.load_weights(source.content().decode("utf-8"))
    except EdgeorbitError:
        raise
    except (OSError, ValueError) as error:
        raise GraphFormatError(f"{file}: is damaged or of another model ({error}); train again") from None


def _features_digest(graph: Graph) -> str:
    """Return the SHA-256 of the features: a run with a changed feature file is another run."""
    x: Any = graph.x
    state = hashlib.sha256(str(x.shape).encode())
    for part in (x,) if isinstance(x, np.ndarray) else (x.indptr, x.indices, x.data):
        state.update(f"{part.dtype}|".encode())
        state.update(np.ascontiguousarray(part).tobytes())
    return state.hexdigest()


def _as_json(value: Any) -> Any:
    """Return a value as it comes back from a JSON file."""
    return json.loads(json.dumps(value))
