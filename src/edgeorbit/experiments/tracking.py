"""Optional tracking: runs are shown to mlflow too, beside the plain files, which stay the truth."""

import math
import os
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from edgeorbit.errors import naming_extras
from edgeorbit.experiments.tuning.storage import explain, without_password

# mlflow reports how it is used to its makers, waits minutes for a server that is down, and keeps a folder of plain
# files, the one store that needs no database, only with this setting. Values that the user has set stay.
ENVIRONMENT = {
    "MLFLOW_DISABLE_TELEMETRY": "true",
    "DO_NOT_TRACK": "true",
    "MLFLOW_HTTP_REQUEST_MAX_RETRIES": "1",
    "MLFLOW_HTTP_REQUEST_TIMEOUT": "10",
    "MLFLOW_ALLOW_FILE_STORE": "true",
}
LONGEST = 500  # characters of a parameter that every version takes


class Tracker:
    """Shows runs to mlflow.

    Whatever goes wrong with it is told once, and stops no run: from then on nothing is sent.

    Parameters
    ----------
    uri
        A folder, the address of a server (`http://...`) or of a database (`sqlite:///...`).
    experiment
        What mlflow calls all these runs together.
    warn
        Called with one sentence if tracking does not work; by default a warning of Python.

    Raises
    ------
    MissingExtraError
        If mlflow is not installed.
    """

    def __init__(self, uri: str | os.PathLike[str], experiment: str, warn: Callable[[str], None] | None = None) -> None:
        for name, value in ENVIRONMENT.items():
            os.environ.setdefault(name, value)
        with naming_extras("tracking"):
            import mlflow
        self._mlflow = mlflow
        address = str(uri)
        self.uri = address if "://" in address or address.startswith("file:") else Path(address).absolute().as_uri()
        self.experiment, self._warn = experiment, warn or _warn
        self._client: Any = None
        self._experiment_id = ""
        self.works = True

    def log(
        self,
        run: object,
        params: Mapping[str, Any],
        metrics: Mapping[str, Any],
        artifacts: Iterable[str | os.PathLike[str]] = (),
    ) -> None:
        """Show one run.

        Parameters
        ----------
        run
            What it is called: a description, or a cell of an experiment.
        params
            Settings; tables within them become `table.name`.
        metrics
            Numbers; what is no finite number is left out.
        artifacts
            Files to keep with it.
        """
        if not self.works:
            return
        try:
            self._send(str(run), _flat(params), metrics, artifacts)
        except Exception as error:  # whatever a server or a disk does, results are in plain files
            self.works = False
            reason = explain(error, self.uri)[:300]
            shown = without_password(self.uri)
            self._warn(f"{shown}: tracking does not work ({reason}); runs go on, and results are kept in files as ever")

    def _send(
        self,
        name: str,
        params: Mapping[str, Any],
        metrics: Mapping[str, Any],
        artifacts: Iterable[str | os.PathLike[str]],
    ) -> None:
        from mlflow.entities import Metric, Param

        if self._client is None:
            self._client = self._mlflow.MlflowClient(tracking_uri=self.uri)
            self._experiment_id = self._find_experiment()
        now = int(time.time() * 1000)
        run = self._client.create_run(self._experiment_id, run_name=name).info.run_id
        self._client.log_batch(
            run,
            params=[Param(_name(key), str(value)[:LONGEST]) for key, value in params.items()],
            metrics=[
                Metric(_name(key), float(value), now, 0)
                for key, value in metrics.items()
                if isinstance(value, int | float) and math.isfinite(value)
            ],
        )
        for file in artifacts:
            self._client.log_artifact(run, str(file))
        self._client.set_terminated(run)

    def _find_experiment(self) -> str:
        found = self._client.get_experiment_by_name(self.experiment)
        if found is not None:
            return str(found.experiment_id)
        try:
            return str(self._client.create_experiment(self.experiment))
        except self._mlflow.exceptions.MlflowException:  # another process was quicker
            return str(self._client.get_experiment_by_name(self.experiment).experiment_id)


def _flat(params: Mapping[str, Any], before: str = "") -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for key, value in params.items():
        flat |= _flat(value, f"{before}{key}.") if isinstance(value, Mapping) else {f"{before}{key}": value}
    return flat


def _name(text: str) -> str:
    """Return a name that mlflow takes: letters, digits and a few signs; hits@10 becomes hits_at_10.

    >>> _name("test_hits@10")
    'test_hits_at_10'
    """
    return "".join(sign if sign.isalnum() or sign in "_-. /" else "_" for sign in text.replace("@", "_at_"))


def _warn(sentence: str) -> None:
    import warnings

    warnings.warn(sentence, stacklevel=3)
