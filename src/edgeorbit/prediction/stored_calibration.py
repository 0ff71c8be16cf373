"""`calibration.json` in the directory of a run: the probabilities that belong to its weights and its split."""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from pydantic import ValidationError

from edgeorbit._files import atomic_path
from edgeorbit.errors import GraphFormatError
from edgeorbit.graph.reading.source import Source
from edgeorbit.models.base import LinkModel
from edgeorbit.models.fitted import FittedModel
from edgeorbit.prediction.calibration import Calibration

CALIBRATION = "calibration.json"
DECISIVE = ("model", "settings", "training", "seed", "split_digest", "features_digest", "package_version")


def run_digest(info: Mapping[str, Any], model: LinkModel) -> str:
    """Return a digest of all that decides the scores of a run: what it is, and its weights."""
    about = {name: info.get(name) for name in DECISIVE}
    state = hashlib.sha256(json.dumps(about, sort_keys=True, default=dict).encode())
    if isinstance(model, FittedModel):
        state.update(model.weights().encode())
    elif model.trainable:
        for name, values in model.network.state_dict().items():  # type: ignore[attr-defined]
            state.update(name.encode())
            state.update(np.ascontiguousarray(values.detach().cpu().numpy()).tobytes())
    return state.hexdigest()[:32]


def read_calibration(directory: Path, run: str) -> Calibration | None:
    """Return the calibration of a run that its directory holds; None if there is none, or it is of another run.

    Raises
    ------
    GraphFormatError
        If the file is damaged.
    """
    file = directory / CALIBRATION
    if not file.is_file():
        return None
    try:
        found = Calibration.model_validate_json(Source(file).document())
    except GraphFormatError:
        raise
    except (OSError, ValidationError, ValueError) as error:
        place = ""
        if isinstance(error, ValidationError):
            place = f" ({'.'.join(map(str, error.errors()[0]['loc']))}: {error.errors()[0]['msg']})"
        raise GraphFormatError(f"{file}: is damaged{place[:200]}; delete it, and it is made again") from None
    return found if found.run == run else None


def write_calibration(directory: Path, calibration: Calibration) -> None:
    """Write `calibration.json`."""
    with atomic_path(directory / CALIBRATION) as temporary:
        temporary.write_text(calibration.model_dump_json() + "\n", encoding="utf-8")
