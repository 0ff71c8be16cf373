"""A standalone Spark cluster on this machine: a master and a worker, whose executors are processes of their own."""

import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pyspark

LOOPBACK = "127.0.0.1"
QUICK = "-XX:+UseSerialGC -XX:TieredStopAtLevel=1"
PATIENCE = 120.0


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind((LOOPBACK, 0))
        return int(probe.getsockname()[1])


@contextmanager
def running_cluster(place: Path, cores: int = 2) -> Iterator[str]:
    """Give the address of a master with one worker; both end with the block."""
    home = Path(pyspark.__file__).parent
    port = free_port()
    address = f"spark://{LOOPBACK}:{port}"
    environment = os.environ | {
        "SPARK_HOME": str(home),
        "SPARK_LOCAL_IP": LOOPBACK,
        "SPARK_DAEMON_JAVA_OPTS": QUICK,
        "SPARK_DAEMON_MEMORY": "256m",
        "SPARK_LOCAL_DIRS": str(place / "local"),
    }
    deploy, host = "org.apache.spark.deploy", ["--host", LOOPBACK]
    no_page = ["--webui-port", str(free_port())]
    master = [f"{deploy}.master.Master", *host, "--port", str(port), *no_page]
    offered = ["--cores", str(cores), "--memory", "2g", "--work-dir", str(place / "workers")]
    worker = [f"{deploy}.worker.Worker", *host, *offered, "--webui-port", str(free_port()), address]
    # Where there is setpriv, nothing is left running even if the tests are killed.
    ending_with_us = ["setpriv", "--pdeathsig", "KILL"] if shutil.which("setpriv") else []
    started: list[subprocess.Popen[bytes]] = []
    try:
        for command in (master, worker):
            with (place / "cluster.log").open("ab") as log:
                started.append(
                    subprocess.Popen(
                        [*ending_with_us, str(home / "bin" / "spark-class"), *command],
                        env=environment,
                        stdout=log,
                        stderr=log,
                        start_new_session=True,
                    )
                )
            _await_port(port)
        yield address
    finally:
        for process in reversed(started):
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def executors(application: str) -> list[psutil.Process]:
    """The executor processes of an application on this machine."""
    found = []
    for process in psutil.process_iter(["cmdline"]):
        line = process.info["cmdline"] or []
        if any("CoarseGrainedExecutorBackend" in word for word in line) and application in line:
            found.append(process)
    return found


def _await_port(port: int) -> None:
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            socket.create_connection((LOOPBACK, port), 1).close()
            return
        except OSError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.1)
