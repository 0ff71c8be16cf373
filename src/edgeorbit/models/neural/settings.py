"""Checks that the settings of several models share."""

import math

from edgeorbit.errors import InvalidParameterError
from edgeorbit.models.base import Settings


def require_positive(settings: Settings, *names: str) -> None:
    """Raise `InvalidParameterError` unless these settings are at least 1 or, if they are no whole numbers, above 0."""
    for name in names:
        value = getattr(settings, name)
        if isinstance(value, int) and value < 1:
            raise InvalidParameterError(f"{name} must be at least 1, not {value}")
        if not 0 < value < math.inf:
            raise InvalidParameterError(f"{name} must be above 0 and finite, not {value}")
