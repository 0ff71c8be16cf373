"""What can go wrong, said in one sentence.

Every error that a user can cause derives from `EdgeorbitError`. Its message is a single sentence that names the
file or value, the bound and the way out; the command line prints it and exits with code 2.
"""


class EdgeorbitError(Exception):
    """Base of all errors that the caller can repair."""


class GraphFormatError(EdgeorbitError, ValueError):
    """A file or an array does not describe a graph."""


class InvalidParameterError(EdgeorbitError, ValueError):
    """An argument lies outside its range."""


class DatasetNotFoundError(EdgeorbitError, LookupError):
    """A data set is unknown, or its files are not in the data directory."""


class MissingExtraError(EdgeorbitError, ImportError):
    """An optional dependency is needed and not installed."""


class LimitExceededError(EdgeorbitError, RuntimeError):
    """A limit on time or memory was reached before the answer was."""


class UnreachableTargetError(InvalidParameterError):
    """No graph of the asked kind has the wanted EAR; `nearest` is the nearest one that was found."""

    def __init__(self, message: str, nearest: float) -> None:
        super().__init__(message)
        self.nearest = nearest
