"""Settings that a search found, by graph, features and model, for cells whose file does not say otherwise."""

from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from edgeorbit.experiments.schema import TunedEntry

Tuned: TypeAlias = "dict[tuple[str, str, str], TunedEntry]"  # by graph in lower case, features and model


def read_tuned(path: str | Path) -> Tuned:
    """Read a file of tuned settings, which is TOML: a table `[[tuned]]` for every graph, features and model.

    Raises
    ------
    InvalidParameterError
        If the file cannot be read, or has no tuned settings; the message names the line and the key.
    """
    from edgeorbit.experiments.checking import check_tuned
    from edgeorbit.experiments.schema import TunedFile
    from edgeorbit.experiments.validated_toml import read_validated

    return {
        (entry.data.lower(), entry.features, entry.model): entry
        for entry in read_validated(path, TunedFile, check_tuned).tuned
    }
