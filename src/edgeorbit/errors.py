"""What can go wrong, said in one sentence.

Every error that a user can cause derives from `EdgeorbitError`. Its message is a single sentence that names the
file or value, the bound and the way out; the command line prints it and exits with code 2.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from edgeorbit._text import sentence

# The extra that installs a module.
EXTRA_OF = {
    **dict.fromkeys(("torch", "torch_geometric", "safetensors"), "pyg"),
    **dict.fromkeys(("lightgbm", "sklearn", "optuna"), "boost"),
    "igraph": "exact",
    "pyspark": "spark",
    "mlflow": "mlflow",
    "distributed": "dask",
}


class EdgeorbitError(Exception):
    """Base of all errors that the caller can repair.

    A message may repeat what a file says: as text it is one printable line, in which long values are shortened.
    """

    def __str__(self) -> str:
        """Return the message."""
        return sentence(super().__str__())


class GraphFormatError(EdgeorbitError, ValueError):
    """A file or an array does not describe a graph."""


class InvalidParameterError(EdgeorbitError, ValueError):
    """An argument lies outside its range."""


class BadScoresError(InvalidParameterError):
    """A scorer or a module does not return one finite number for every pair."""


class DatasetNotFoundError(EdgeorbitError, LookupError):
    """A data set is unknown, or its files are not in the data directory."""


class MissingExtraError(EdgeorbitError, ImportError):
    """An optional dependency is needed and not installed."""


@contextmanager
def naming_extras(what: str) -> Iterator[None]:
    """Turn the failed import of an optional dependency into a `MissingExtraError`: what needs it, and how to get it.

    >>> with naming_extras("this model"):
    ...     raise ModuleNotFoundError(name="torch.nn")
    Traceback (most recent call last):
    edgeorbit.errors.MissingExtraError: this model needs torch; pip install 'edgeorbit[pyg]'
    """
    try:
        yield
    except ModuleNotFoundError as error:
        module = (error.name or "").split(".")[0]
        if module not in EXTRA_OF:
            raise
        raise MissingExtraError(f"{what} needs {module}; pip install 'edgeorbit[{EXTRA_OF[module]}]'") from None


class LimitExceededError(EdgeorbitError, RuntimeError):
    """A limit on time or memory was reached before the answer was."""


class UnreachableTargetError(InvalidParameterError):
    """No graph of the asked kind has the wanted EAR; `nearest` is the nearest one that was found."""

    def __init__(self, message: str, nearest: float) -> None:
        super().__init__(message)
        self.nearest = nearest
