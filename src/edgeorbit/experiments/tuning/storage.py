"""Where the trials of a search are kept: Optuna's own journal file or database.

Ours are the checks around it, which Optuna does not make: a file that is no journal is refused before it is written, a
line that a kill tore off is cut, one process at a time works on a search, a database that does not answer is given up
after `CONNECT_SECONDS`, and no message shows a password.
"""

import hashlib
import importlib.util
import logging
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlsplit

from edgeorbit._files import InUseError, locked
from edgeorbit._memory import require_memory
from edgeorbit._unfinished import HAS_LOCKS, lock_file
from edgeorbit.errors import EdgeorbitError, InvalidParameterError, MissingExtraError, naming_extras
from edgeorbit.graph.reading.source import Source

if TYPE_CHECKING:
    from types import ModuleType

    from optuna.storages import BaseStorage

JOURNAL_START = b'{"op_code"'
JOURNAL_BYTES = 16  # of memory for a byte of a journal, which Optuna reads whole
CONNECT_SECONDS = 10  # a database that is there answers sooner
WAIT_SECONDS = 60  # for others to finish their writing into an SQLite file, and for a network that is gone
KINDS = ("postgresql", "postgres", "sqlite")  # whose locks are known, so that one process works on a search
STORAGE_MODULES = ("sqlalchemy", "optuna")  # whose errors are the storage's and not the model's
DRIVERS = {"psycopg": "'psycopg[binary]'", "psycopg2": "psycopg2-binary"}  # of PostgreSQL, and what to install


def load_optuna() -> "ModuleType":
    """Return optuna, silenced: what it logs is for its own users.

    Raises
    ------
    MissingExtraError
        If it is not installed.
    """
    with naming_extras("tuning"):
        import optuna
    optuna.logging.set_verbosity(logging.ERROR)
    return optuna


def is_address(storage: str | os.PathLike[str]) -> bool:
    """Tell whether a storage is named by the address of a database, such as `postgresql://host/name`."""
    return "://" in str(storage)


def without_password(address: str | os.PathLike[str]) -> str:
    """Return an address as it may be shown: without user, password and options, where passwords can be too.

    >>> without_password("postgresql://me:secret@db.example.org:5432/studies?sslmode=require")
    'postgresql://db.example.org:5432/studies'
    >>> without_password("tuned.journal")
    'tuned.journal'
    """
    if not is_address(address):
        return str(address)
    scheme, _, rest = str(address).partition("://")
    place = rest.split("?", 1)[0].rpartition("@")[2]  # a password may hold anything, also a second @
    return f"{scheme}://{place}"


def open_storage(storage: str | os.PathLike[str]) -> "BaseStorage":
    """Open a journal file or a database, which is made if it is not there.

    Raises
    ------
    EdgeorbitError
        If it cannot be opened, holds something else or does not answer. The message has no password.
    """
    load_optuna()
    return _open_database(str(storage)) if is_address(storage) else _open_journal(Path(storage))


@contextmanager
def exclusive(opened: "BaseStorage", storage: str | os.PathLike[str], study: str) -> Iterator[None]:
    """Let one process at a time work on a search; a lock ends with the process that holds it.

    Raises
    ------
    EdgeorbitError
        If another process is at work on it.
    """
    shown = without_password(storage)
    digest = hashlib.blake2b(f"edgeorbit tune {study}".encode(), digest_size=8).digest()
    in_use = EdgeorbitError(f"{shown}: another tune is at work on this search; wait for it, or name another --storage")
    engine: Any = getattr(opened, "engine", None)
    if engine is not None and engine.dialect.name != "sqlite":
        connection = engine.connect()
        try:
            key = int.from_bytes(digest, signed=True)
            if not connection.exec_driver_sql(f"SELECT pg_try_advisory_lock({key})").scalar():
                raise in_use
            yield
        finally:
            connection.invalidate()  # the lock goes with the connection, which the server may have closed meanwhile
            connection.close()
        return
    place = Path(storage) if engine is None else _sqlite_file(engine)
    if place is None:  # in memory, where nobody else is
        yield
        return
    lock = place.with_name(f"{place.name}.{digest.hex()}.lock")
    try:
        with locked(lock, wait=False):
            try:
                yield
            finally:
                lock.unlink(missing_ok=True)
    except InUseError:
        raise in_use from None


def _sqlite_file(engine: Any) -> Path | None:
    with engine.connect() as connection:
        place = connection.exec_driver_sql("PRAGMA database_list").first()[2]
    return Path(place) if place else None


def _open_journal(path: Path) -> "BaseStorage":
    from optuna.storages import JournalStorage
    from optuna.storages.journal import JournalFileBackend, JournalFileOpenLock

    if path.is_dir():
        raise InvalidParameterError(f"{path}: is a directory; name a journal file in it")
    if not path.parent.is_dir():
        raise EdgeorbitError(f"{path}: cannot be written (there is no directory {path.parent}); create it first")
    if path.exists():
        source = Source(path)  # which says so if it is a pipe or a device
        if source.head and not source.head.startswith(JOURNAL_START):
            raise InvalidParameterError(f"{path}: is no journal of trials; name another file for --storage")
        require_memory(source.shown, JOURNAL_BYTES * source.size)
    try:
        lock: Any = _JournalLock(path) if HAS_LOCKS else JournalFileOpenLock(str(path))
        _cut_torn_line(path, lock)
        return JournalStorage(JournalFileBackend(str(path), lock_obj=lock))
    except OSError as error:
        raise EdgeorbitError(f"{path}: cannot be written ({error.strerror}); name another file for --storage") from None
    except (ValueError, KeyError, TypeError, AttributeError, AssertionError):
        raise InvalidParameterError(f"{path}: is no journal of trials; name another file for --storage") from None


def _open_database(address: str) -> "BaseStorage":
    from optuna.exceptions import OptunaError
    from optuna.storages import RDBStorage

    shown = without_password(address)
    try:
        from sqlalchemy.exc import SQLAlchemyError
    except ModuleNotFoundError:
        raise MissingExtraError(f"{shown} needs SQLAlchemy; pip install sqlalchemy, or name a file") from None
    kind, _, driver = address.partition("://")[0].partition("+")
    if kind not in KINDS or (kind != "sqlite" and driver not in {"", *DRIVERS}):
        raise InvalidParameterError(
            f"{shown}: no such database is known; give postgresql://..., sqlite:///... or a file"
        )
    try:
        return _with_tables(lambda: RDBStorage(_with_driver(address), engine_kwargs=_options(kind, address)))
    except ImportError as error:
        # Optuna wraps what is missing into a longer text; the name of the module is in its cause.
        missing = getattr(error.__cause__ or error, "name", None) or "its driver"
        way = f"pip install {DRIVERS[missing]}" if missing in DRIVERS else "install it"
        raise MissingExtraError(f"{shown} needs {missing}; {way}, or name a file") from None
    except (SQLAlchemyError, OptunaError, RuntimeError, ValueError) as error:
        reason = explain(error, address)
        raise EdgeorbitError(f"{shown}: cannot be used ({reason}); check the address, or name a file") from None


def _options(kind: str, address: str) -> dict[str, Any]:
    """Return how to connect so that nothing waits for ever; what the address says itself is left to it."""
    if kind == "sqlite":
        waiting = {"timeout": WAIT_SECONDS}
    else:
        # The second is for a network that is gone while we wait for an answer.
        waiting = {"connect_timeout": CONNECT_SECONDS, "tcp_user_timeout": 1000 * WAIT_SECONDS}
    said = parse_qs(urlsplit(address).query)
    # A connection may be lost during a long trial: it is tried before it is used.
    return {"pool_pre_ping": True, "connect_args": {key: value for key, value in waiting.items() if key not in said}}


def _with_driver(address: str) -> str:
    """Name the driver of PostgreSQL that is installed: versions of SQLAlchemy differ in the one they look for."""
    scheme, _, rest = address.partition("://")
    if scheme not in {"postgresql", "postgres"}:
        return address
    driver = next((name for name in DRIVERS if importlib.util.find_spec(name)), "psycopg2")
    return f"postgresql+{driver}://{rest}"


def _with_tables(connect: Callable[[], "BaseStorage"]) -> "BaseStorage":
    """Connect to a database, whose tables another process may be making just now."""
    from sqlalchemy.exc import IntegrityError, OperationalError, ProgrammingError

    for pause in (0.2, 0.5, 1.0, 2.0):
        try:
            return connect()
        except (IntegrityError, ProgrammingError) as error:
            if "permission denied" in str(error.orig):
                raise
            time.sleep(pause)
        except OperationalError as error:
            if not any(sign in str(error.orig) for sign in ("already exists", "locked")):
                raise
            time.sleep(pause)
    return connect()


def explain(error: BaseException, address: str = "") -> str:
    """Return the first line of what went wrong, without the password of an address."""
    cause = getattr(error, "orig", None) or getattr(
        error.__cause__, "orig", None
    )  # optuna wraps what the database said
    text = str(cause or error).strip() or type(error).__name__
    line = " ".join(text.splitlines()[0].split())
    secret = None
    with suppress(ValueError):
        secret = urlsplit(address).password
    hidden = line.replace(address, without_password(address)) if address else line
    return hidden.replace(secret, "***") if secret else hidden


class _JournalLock:
    """A lock of a journal that ends with the process.

    Optuna's own lock is a file that a killed process leaves behind: others wait 30 seconds for it, and for ever with
    Optuna 4.0.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._descriptor = -1

    def acquire(self) -> bool:
        """Wait for the lock."""
        self._descriptor = lock_file(self.path, wait=True)
        return True

    def release(self) -> None:
        """Let the next one in."""
        os.close(self._descriptor)


def _cut_torn_line(path: Path, lock: Any) -> None:
    """Remove the beginning of a line that a full disk or a power cut left: nothing behind it could be read."""
    lock.acquire()
    try:
        with path.open("rb+") as file:
            begin, last = 0, b"\n"
            for line in file:
                begin, last = file.tell() - len(line), line
            if not last.endswith(b"\n"):
                file.truncate(begin)
    finally:
        lock.release()
