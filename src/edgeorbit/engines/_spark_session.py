"""Starting Spark: whether there is one, whether its master answers, and where its messages go."""

import os
import shutil
import socket
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from edgeorbit._memory import available_memory
from edgeorbit.errors import EdgeorbitError, MissingExtraError, naming_extras

LOOPBACK = "127.0.0.1"
MASTER_SECONDS = 60.0  # Spark's own patience: three attempts of 20 seconds
EXECUTOR_SECONDS = 60.0
LOCAL_SECONDS = 300.0  # there is no master to wait for, only a busy machine on which Java starts slowly
LOCAL = "local"
SPARK_DEFAULT = 2**30  # bytes that Spark gives to a driver by default
# Settings of sessions that we start. What the session says goes into the log of the work directory.
SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.adaptive.enabled": "true",
}
LOCAL_SETTINGS = {"spark.driver.host": LOOPBACK, "spark.driver.bindAddress": LOOPBACK}


def start_session(master: str | None, log: Path, seconds: float | None = None) -> Any:
    """Start a session on a master, `local[*]` by default.

    Parameters
    ----------
    master
        As Spark writes it: `local[2]`, `spark://host:7077`, `yarn` ...
    log
        Where the messages of the Java machine go.
    seconds
        How long to wait for the master and then for an executor; by default a minute each, on this machine longer.

    Raises
    ------
    MissingExtraError
        If pyspark or Java is not installed.
    EdgeorbitError
        If the master does not answer, or no executor comes.
    """
    require_spark()
    where = master or "local[*]"
    patience = seconds or (LOCAL_SECONDS if where.startswith(LOCAL) else MASTER_SECONDS)
    _knock(where, patience)
    found: dict[str, Any] = {}

    def start() -> None:
        try:
            found["session"] = _build(where)
        except BaseException as error:
            found["error"] = error

    with _messages_to(log):
        thread = threading.Thread(target=start, daemon=True)
        thread.start()
        thread.join(patience)
    if "session" in found:
        session = found["session"]
        session.sparkContext.setLogLevel("OFF")
        _await_executor(session, where, EXECUTOR_SECONDS if seconds is None else seconds)
        return session
    _end_gateway()
    if thread.is_alive():
        raise _no_answer(where, patience)
    raise EdgeorbitError(
        f"Spark did not start on {where} ({_reason(found['error'], log)}); check the master's name and Java"
    )


def require_spark() -> None:
    """Raise an error that says what to install if pyspark or Java is missing."""
    with naming_extras("the engine spark"):
        import pyspark  # noqa: F401
    home = os.environ.get("JAVA_HOME")
    java = Path(home, "bin", "java") if home else None
    if shutil.which("java" if java is None else str(java)) is None:
        where = "on the path" if home is None else f"in JAVA_HOME {home}"
        raise MissingExtraError(f"the engine spark needs Java 17 or newer and there is none {where}; install it")


def _build(master: str) -> Any:
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master(master).appName("edgeorbit")
    settings = dict(SETTINGS)
    if master.startswith(LOCAL) or LOOPBACK in master:
        os.environ.setdefault("SPARK_LOCAL_IP", LOOPBACK)
        settings |= LOCAL_SETTINGS
    if master.startswith(LOCAL):
        os.environ.setdefault("SPARK_DRIVER_MEMORY", f"{_local_memory() >> 20}m")  # what a user configures comes first
        settings.setdefault("spark.sql.shuffle.partitions", str(2 * (os.cpu_count() or 1)))
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    for key, value in settings.items():
        builder = builder.config(key, value)
    return builder.getOrCreate()


def _local_memory() -> int:
    """Return the bytes that Java may take where everything runs in the driver: half of what is free."""
    return max(SPARK_DEFAULT, (available_memory() or 0) // 2)


def _knock(master: str, seconds: float) -> None:
    """Raise an error at once if nothing listens at the address of a standalone master."""
    if not master.startswith("spark://"):
        return
    try:
        places = [urlsplit(f"//{place}") for place in master.removeprefix("spark://").split(",")]
        addresses = [(place.hostname or "", place.port or 7077) for place in places]
    except ValueError:
        raise EdgeorbitError(f"{master}: is no address of a master; write it as spark://host:7077") from None
    for address in addresses:
        with suppress(OSError), socket.create_connection(address, min(seconds, 10.0)):
            return
    raise _no_answer(master, min(seconds, 10.0))


def _no_answer(master: str, seconds: float) -> EdgeorbitError:
    return EdgeorbitError(
        f"{master}: the master did not answer within {seconds:g} seconds; check the address, and that the cluster runs"
    )


def _await_executor(session: Any, master: str, seconds: float) -> None:
    """Wait until something can run; a job without executors would wait for ever."""
    if master.startswith(("local[", "local-cluster")) or master == LOCAL:
        return
    context = session.sparkContext._jsc.sc()
    deadline = time.monotonic() + seconds
    while context.getExecutorMemoryStatus().size() < 2:  # the driver is one of them
        if time.monotonic() > deadline:
            session.stop()
            raise EdgeorbitError(
                f"{master}: no executor came within {seconds:g} seconds; check that workers run and have memory left"
            )
        time.sleep(0.2)


def _end_gateway() -> None:
    """End the Java machine of a session that did not come about."""
    from pyspark import SparkContext

    gateway = SparkContext._gateway
    process = getattr(gateway, "proc", None)
    if process is not None:
        process.kill()
        process.wait()
    SparkContext._gateway = SparkContext._jvm = SparkContext._active_spark_context = None


def _reason(error: BaseException, log: Path) -> str:
    """Return what Java said last about an exception, else what Python did."""
    lines = log.read_text(errors="replace").splitlines() if log.exists() else []
    reasons = [line.strip() for line in lines if "Exception" in line and not line.lstrip().startswith("at ")]
    return (reasons or str(error).strip().splitlines() or [type(error).__name__])[-1][:200]


@contextmanager
def _messages_to(log: Path) -> Iterator[None]:
    """Let processes that are started here write to a file what they would write on our screen."""
    log.parent.mkdir(parents=True, exist_ok=True)
    sys.stdout.flush()
    sys.stderr.flush()
    saved = [os.dup(descriptor) for descriptor in (1, 2)]
    try:
        with log.open("ab") as file:
            for descriptor in (1, 2):
                os.dup2(file.fileno(), descriptor)
        yield
    finally:
        for descriptor, old in zip((1, 2), saved, strict=True):
            os.dup2(old, descriptor)
            os.close(old)
