"""One process at a time in a study: a lock beside its storage, which ends with whoever holds it.

To look for a ticket, to sign it and to take it are several transactions of the storage. Without a lock around them, one
who comes too late signs what another has just taken, who then believes it is lost: the trial would be made again.
"""

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from edgeorbit.files import locked

if TYPE_CHECKING:
    from optuna.storages import BaseStorage

# Whoever holds the lock and dies loses it at once; this is for one whose machine has gone and whose connection the
# server still takes for open.
TURN_SECONDS = 300


@contextmanager
def one_at_a_time(storage: "BaseStorage", journal: Path | None, study: str) -> Iterator[None]:
    """Let one process at a time into the block, of all on all machines that share a study.

    Parameters
    ----------
    storage
        What `open_storage` gave.
    journal
        The journal file, if it is one.
    study
        Name of the study: in PostgreSQL other studies do not wait.
    """
    if journal is not None:
        with _file_lock(journal):
            yield
        return
    engine: Any = storage.engine  # type: ignore[attr-defined]
    if engine.dialect.name == "sqlite":
        with engine.connect() as connection:
            place = connection.exec_driver_sql("PRAGMA database_list").first()[2]
        if not place:  # in memory, where nobody else is
            yield
            return
        with _file_lock(Path(place)):
            yield
        return
    with engine.begin() as connection:  # the lock goes with the transaction, and that with the connection
        connection.exec_driver_sql(f"SET LOCAL lock_timeout = '{TURN_SECONDS}s'")
        connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({_key(study)})")
        yield


@contextmanager
def _file_lock(path: Path) -> Iterator[None]:
    lock = path.with_name(f"{path.name}.lock")
    with locked(lock):
        try:
            yield
        finally:
            lock.unlink(missing_ok=True)


def _key(study: str) -> int:
    """Return what PostgreSQL knows a lock by: a signed number of 64 bits."""
    digest = hashlib.blake2b(f"edgeorbit tune {study}".encode(), digest_size=8).digest()
    return int.from_bytes(digest, signed=True)
