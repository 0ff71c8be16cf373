"""How processes are counted, waited for, and blamed; real ones are killed in `tests/cli/test_train_devices.py`."""

import os
import pickle
import signal
from types import SimpleNamespace
from typing import Any

import pytest

from edgeorbit.errors import EdgeorbitError, InvalidParameterError
from edgeorbit.training.devices import Processes, check_devices, heed_launcher, launched_size
from edgeorbit.training.group import LostProcessError

LAUNCHED = {"RANK": "1", "WORLD_SIZE": "4", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": "29500"}


def workers(*codes: int | None, error_files: tuple[Any, ...] = ()) -> Any:
    files = [*error_files, *["missing"] * (len(codes) - len(error_files))]
    return SimpleNamespace(processes=[SimpleNamespace(exitcode=code) for code in codes], error_files=files)


class Store:
    """Says that so many processes are ready."""

    def __init__(self, ready: int) -> None:
        self.ready = ready

    def add(self, key: str, amount: int) -> int:
        return self.ready + amount


@pytest.mark.parametrize("given", [0, -3, 1.5, "", "0", "many", "2.0x"])
def test_what_is_no_number_of_processes_is_refused(given) -> None:
    with pytest.raises(InvalidParameterError, match="whole number from 1, or auto"):
        check_devices(given)


def test_an_environment_counts_only_where_it_is_asked_for_and_complete() -> None:
    assert launched_size(LAUNCHED) == 4 and Processes(None, LAUNCHED).size == 4
    assert Processes(1, LAUNCHED).size == 1 and Processes("auto", LAUNCHED).size == 1
    for name in LAUNCHED:
        assert launched_size({key: value for key, value in LAUNCHED.items() if key != name}) == 1
    assert heed_launcher("auto", LAUNCHED) is None and heed_launcher("4", LAUNCHED) is None
    assert heed_launcher("3", {}) == 3 and heed_launcher(None, {}) is None
    with pytest.raises(InvalidParameterError, match="4 processes were started and 1 are asked for"):
        heed_launcher("1", LAUNCHED)


@pytest.mark.parametrize(("threads", "devices", "each"), [(8, 2, 4), (2, 3, 1), (7, 2, 3), (1, 1, 1)])
def test_processes_share_the_threads_of_their_machine(threads: int, devices: int, each: int) -> None:
    assert Processes(devices).threads_each(threads) == each
    assert Processes(None, LAUNCHED | {"LOCAL_WORLD_SIZE": str(devices)}).threads_each(threads) == each


def test_processes_that_do_not_start_in_time_or_end_are_not_waited_for(monkeypatch) -> None:
    processes = pytest.importorskip("edgeorbit.training.processes")
    processes._await(workers(None, None), Store(2))
    with pytest.raises(LostProcessError):
        processes._await(workers(None, -9), Store(1))
    monkeypatch.setattr(processes, "START_SECONDS", 0.0)
    with pytest.raises(EdgeorbitError, match="2 more processes did not start within 0 s"):
        processes._await(workers(None, None), Store(1))


def test_the_process_that_ended_first_is_blamed_and_not_those_that_noticed(tmp_path, monkeypatch) -> None:
    processes = pytest.importorskip("edgeorbit.training.processes")
    monkeypatch.setattr(processes, "FAREWELL_SECONDS", 0.1)
    lost = processes.LOST
    assert processes._tell_loss(workers(lost, -signal.SIGKILL, None)).startswith("process 3 of 4 was ended by SIGKILL")
    assert processes._tell_loss(workers(3)).startswith("process 2 of 2 ended with exit code 3")
    assert processes._tell_loss(workers(None, lost)).startswith("a process does not answer")
    told = tmp_path / "told"
    told.write_bytes(pickle.dumps("Traceback (most recent call last):\n  ...\nMemoryError: no room\n"))
    sentence = processes._tell_loss(workers(1, error_files=(told,)))
    assert sentence.startswith("process 2 of 2 failed with MemoryError: no room; ") and "\n" not in sentence


def test_gloo_is_told_of_the_loopback_interface_only_where_processes_meet_there(monkeypatch) -> None:
    joined_group = pytest.importorskip("edgeorbit.training.joined_group")
    monkeypatch.delenv("GLOO_SOCKET_IFNAME", raising=False)
    for address, told in (("127.0.0.1", True), ("localhost", True), ("10.0.0.7", False)):
        with joined_group._on_loopback(address):
            assert (os.environ.get("GLOO_SOCKET_IFNAME", "") in {"lo", "lo0"}) is told
        assert "GLOO_SOCKET_IFNAME" not in os.environ
    monkeypatch.setenv("GLOO_SOCKET_IFNAME", "eth7")
    with joined_group._on_loopback("127.0.0.1"):
        assert os.environ["GLOO_SOCKET_IFNAME"] == "eth7"
