"""A PostgreSQL server of the tests' own: on loopback, in a temporary directory, gone with the block."""

import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

LOOPBACK = "127.0.0.1"
USER, PASSWORD = "tuner", "s3cret"
PATIENCE = 60.0
# There is nothing to keep here, and a busy disk would take most of the time.
QUICK = ["-c", "fsync=off", "-c", "shared_buffers=16MB", "-c", "max_connections=40"]


def find_binaries() -> Path | None:
    """Return the directory with initdb and postgres, or None; Debian has them beside the path."""
    found = shutil.which("initdb")
    places = [Path(found).resolve().parent] if found else []
    places += sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    return next((place for place in places if (place / "initdb").exists() and (place / "postgres").exists()), None)


def find_user() -> str | None:
    """Return whom a server can run as: it refuses to run as root. None is the one who asks."""
    if os.geteuid() != 0:
        return None
    for name in ("postgres", "nobody"):
        with suppress(KeyError):
            return pwd.getpwnam(name).pw_name
    raise LookupError("there is no user postgres or nobody to run the server")


def address(port: int, database: str = "postgres", user: str = USER, password: str = PASSWORD) -> str:
    """Return what `--storage` takes."""
    return f"postgresql://{user}:{password}@{LOOPBACK}:{port}/{database}"


class Server:
    """A cluster that can be stopped and started again."""

    def __init__(self, binaries: Path, place: Path, user: str | None) -> None:
        self.place, self._binaries = place, binaries
        self._as: dict[str, Any] = {"cwd": place, "stdin": subprocess.DEVNULL}
        if user is not None:
            entry = pwd.getpwnam(user)
            self._as |= {"user": entry.pw_uid, "group": entry.pw_gid, "extra_groups": []}
            os.chown(place, entry.pw_uid, entry.pw_gid)
        secret = place / "password"
        secret.write_text(PASSWORD)
        secret.chmod(0o644)
        told = ["--username", USER, "--pwfile", str(secret), "--auth", "scram-sha-256"]
        quickly = ["--encoding", "UTF8", "--locale", "C", "--no-sync"]
        command = [str(binaries / "initdb"), "-D", str(place / "data"), *told, *quickly]
        subprocess.run(command, **self._as, check=True, capture_output=True)
        with socket.socket() as probe:
            probe.bind((LOOPBACK, 0))
            self.port = int(probe.getsockname()[1])
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start the server and wait until it takes connections."""
        # Where there is setpriv, nothing is left running even if the tests are killed.
        ending_with_us = ["setpriv", "--pdeathsig", "QUIT"] if shutil.which("setpriv") else []
        where = ["-p", str(self.port), "-c", f"listen_addresses={LOOPBACK}", "-c", "unix_socket_directories="]
        command = [*ending_with_us, str(self._binaries / "postgres"), "-D", str(self.place / "data"), *where, *QUICK]
        with (self.place / "log").open("ab") as log:
            self._process = subprocess.Popen(command, **self._as, stdout=log, stderr=log)
        deadline = time.monotonic() + PATIENCE
        while not self._answers():
            if self._process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError("the server did not start: " + (self.place / "log").read_text())
            time.sleep(0.05)

    def stop(self) -> None:
        """End the server and all connections at once."""
        if self._process is not None:
            self._process.send_signal(signal.SIGINT)
            self._process.wait()
            self._process = None

    def execute(self, *statements: str) -> None:
        """Execute statements of SQL, each on its own."""
        import psycopg2

        connection = psycopg2.connect(address(self.port))
        try:
            connection.autocommit = True  # a data base is not made within a transaction
            with connection.cursor() as cursor:
                for statement in statements:
                    cursor.execute(statement)
        finally:
            connection.close()

    def _answers(self) -> bool:
        import psycopg2

        try:
            psycopg2.connect(address(self.port), connect_timeout=5).close()
        except psycopg2.OperationalError:
            return False
        return True


@contextmanager
def running_server(binaries: Path) -> Iterator[Server]:
    """Give a server that runs; it and its directory are gone at the end."""
    # Not below pytest's directory, into which the server's user may not look.
    with tempfile.TemporaryDirectory(prefix="edgeorbit-postgres-", ignore_cleanup_errors=True) as place:
        server = Server(binaries, Path(place), find_user())
        server.start()
        try:
            yield server
        finally:
            server.stop()
