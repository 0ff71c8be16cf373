"""How processes are counted, started and lost; a whole run is killed in `tests/cli/test_train_devices.py`."""

import multiprocessing
import os
import signal
import threading
import time

import pytest

pytest.importorskip("torch_geometric")

from edgeorbit.errors import EdgeorbitError, InvalidParameterError
from edgeorbit.models import MODELS, make_model, resolve_model
from edgeorbit.training import processes
from edgeorbit.training.devices import (
    Placement,
    Processes,
    check_devices,
    devices_to_start,
    launched_size,
)
from edgeorbit.training.processes import LostProcessError, started_processes
from edgeorbit.training.settings import TrainingSettings, training_class
from training.parallel_steps import FailingModel, make_trainer, split_of_karate

LAUNCHED = {"RANK": "1", "WORLD_SIZE": "4", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": "29500"}


@pytest.mark.parametrize("given", [0, -3, 1.5, "", "0", "many", "2.0x"])
def test_what_is_no_number_of_processes_is_refused(given) -> None:
    with pytest.raises(InvalidParameterError, match="integer >= 1, or auto"):
        check_devices(given)


def test_an_environment_counts_only_where_it_is_asked_for_and_complete() -> None:
    assert launched_size(LAUNCHED) == 4 and Processes.of(None, LAUNCHED).size == 4
    assert Processes.of(1, LAUNCHED).size == 1 and Processes.of("auto", LAUNCHED).size == 1
    for name in LAUNCHED:
        assert launched_size({key: value for key, value in LAUNCHED.items() if key != name}) == 1
    assert devices_to_start("auto", LAUNCHED) is None and devices_to_start("4", LAUNCHED) is None
    assert devices_to_start("3", {}) == 3 and devices_to_start(None, {}) is None
    with pytest.raises(InvalidParameterError, match="4 processes were launched, but 1 devices requested"):
        devices_to_start("1", LAUNCHED)


@pytest.mark.parametrize(("threads", "devices", "each"), [(8, 2, 4), (2, 3, 1), (7, 2, 3), (1, 1, 1)])
def test_processes_share_the_threads_of_their_machine(threads: int, devices: int, each: int) -> None:
    assert Processes.of(devices).threads_each(threads) == each
    assert Processes.of(None, LAUNCHED | {"LOCAL_WORLD_SIZE": str(devices)}).threads_each(threads) == each


@pytest.mark.parametrize("name", [name for name in MODELS if training_class(resolve_model(name)) is TrainingSettings])
def test_models_that_normalize_over_pairs_are_refused_and_no_others(name: str) -> None:
    """A batch norm in a decoder sees the pairs of one process only."""
    network = make_model(name).build(split_of_karate()[0].graph, 0)
    normalizes = any("BatchNorm" in type(module).__name__ for module in network.modules())
    assert normalizes is not resolve_model(name).trains_in_parallel
    Processes.of(1).check_model(make_model(name))
    if normalizes:
        with pytest.raises(InvalidParameterError, match=f"{name} normalizes over all pairs of a batch"):
            Processes.of(2).check_model(make_model(name))


def start_two(model: str = "gcn") -> None:
    with started_processes(make_trainer(model), 2, 1, Placement()):
        pytest.fail("training began")


def test_processes_that_do_not_start_in_time_are_not_waited_for(monkeypatch) -> None:
    monkeypatch.setattr(processes, "START_SECONDS", 0.0)
    with pytest.raises(EdgeorbitError, match="1 more processes did not start within 0 s"):
        start_two()
    assert not multiprocessing.active_children()


def test_a_process_that_is_killed_while_it_starts_is_named() -> None:
    def kill() -> None:
        while not (children := multiprocessing.active_children()):
            time.sleep(0.01)
        os.kill(children[0].pid, signal.SIGKILL)

    killer = threading.Thread(target=kill)
    killer.start()
    with pytest.raises(LostProcessError, match=r"^process 2 of 2 was ended by SIGKILL .*; give the same command again"):
        start_two()
    killer.join()


def test_an_error_in_another_process_is_reported_in_one_sentence() -> None:
    trainer = make_trainer("gcn")
    trainer.model = FailingModel()
    with (
        pytest.raises(LostProcessError, match=r"^process 3 of 3 failed with MemoryError: no room; give") as caught,
        started_processes(trainer, 3, 1, Placement()) as trainer.world,
    ):
        trainer.train()
    assert "\n" not in str(caught.value) and not multiprocessing.active_children()


def test_without_distributed_several_devices_are_refused(monkeypatch) -> None:
    monkeypatch.setattr("torch.distributed.is_available", lambda: False)
    with pytest.raises(EdgeorbitError, match="several devices need Linux or macOS"):
        start_two()


def test_gloo_uses_the_loopback_interface_only_where_processes_meet_there(monkeypatch) -> None:
    interfaces = []
    distributed = processes.distributed
    monkeypatch.delenv("GLOO_SOCKET_IFNAME", raising=False)
    monkeypatch.setattr(processes, "_connect_gpus", lambda size, device: None)
    monkeypatch.setattr(
        distributed, "init_process_group", lambda *_, **__: interfaces.append(os.environ.get("GLOO_SOCKET_IFNAME"))
    )
    for address in ("127.0.0.1", "localhost", "10.0.0.7"):
        with processes.connected(0, 2, None, address, "cpu"):
            pass
        assert "GLOO_SOCKET_IFNAME" not in os.environ
    monkeypatch.setenv("GLOO_SOCKET_IFNAME", "eth7")
    with processes.connected(0, 2, None, "127.0.0.1", "cpu"):
        pass
    assert os.environ["GLOO_SOCKET_IFNAME"] == "eth7"
    assert interfaces[0] in {"lo", "lo0"} and interfaces[1:] == [interfaces[0], None, "eth7"]
