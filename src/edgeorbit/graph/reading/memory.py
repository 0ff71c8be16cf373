"""Whether a file will fit into memory, asked before it is read."""

from edgeorbit.errors import LimitExceededError
from edgeorbit.memory import available_memory, size_in_words


def require_memory(name: str, needed: int) -> None:
    """Raise an error that names the file if `needed` bytes are more than there are."""
    available = available_memory()
    if available is not None and needed > available:
        raise LimitExceededError(
            f"{name}: reading it takes about {size_in_words(needed)} of memory and {size_in_words(available)} are "
            "available; use a larger machine or a part of the graph"
        )
