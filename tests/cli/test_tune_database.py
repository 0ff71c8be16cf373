"""`edgeorbit tune --storage postgresql://...` on a server: one command at a time, resumed whoever is killed, whatever is lost."""

import importlib.util
import itertools
import json
import os
import signal
import socket
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

pytest.importorskip("optuna")
pytest.importorskip("psycopg2")

from optuna.trial import TrialState

from cli.forked_commands import Command, fork_server, wait_for
from cli.postgres_server import LOOPBACK, address, find_binaries, running_server
from edgeorbit.errors import MissingExtraError
from edgeorbit.experiments.tuning import Task, tune
from edgeorbit.experiments.tuning import search as tuning_search
from edgeorbit.experiments.tuning.space import Range
from edgeorbit.experiments.tuning.storage import open_storage

TRIALS = 8
KATZ = Task("karate", {"source": "karate"}, "katz", "constant", space={"beta": Range(0.0005, 0.5, log=True)})
COMMAND = ["tune", "karate", "--model", "katz", "--features", "constant", "--search", "beta=0.0005..0.5", "--json"]

# Each trial is written down when it begins.
PREPARE = """
import os, time
import optuna.importance, psycopg2, sqlalchemy.dialects.postgresql
import edgeorbit.prediction
from edgeorbit.experiments.tuning import search as tuning_search

real = tuning_search.judge

def judge(task, data, point, watch):
    with open(command["log"], "a") as file:
        file.write(f"{os.getpid()}\\n")
    time.sleep(command["pause"])
    return real(task, data, point, watch)

tuning_search.judge = judge
"""


@pytest.fixture(scope="module")
def loaded():
    """A process with all code in it, which commands are forked from."""
    with fork_server(PREPARE) as forking:
        yield forking


@pytest.fixture(scope="module")
def server():
    """A server of our own."""
    binaries = find_binaries()
    if binaries is None:
        pytest.skip("needs the programs of a PostgreSQL server (initdb, postgres)")
    try:
        with running_server(binaries) as running:
            yield running
    except (LookupError, PermissionError) as error:
        pytest.skip(f"a PostgreSQL server cannot be started here: {error}")


@pytest.fixture
def storage(server, request) -> str:
    """The address of an empty database."""
    name = f"d{abs(hash(request.node.name))}"
    server.execute(f"CREATE DATABASE {name}")
    return address(server.port, name)


@pytest.fixture
def start(tmp_path, loaded):
    """Start commands side by side; each has a settings file of its own."""
    numbers = itertools.count()

    def start_command(storage: str, pause: float) -> Command:
        place = tmp_path / f"command{next(numbers)}"
        place.mkdir()
        options = ["--storage", storage, "--trials", TRIALS, "-o", place / "tuned.toml"]
        told = {"log": str(tmp_path / "log"), "pause": pause}
        return loaded.start(place / "told", *COMMAND, *options, environment={}, **told)

    yield start_command
    loaded.kill_all()


def finish(command: Command) -> tuple[int, str, str]:
    """Return the exit code of a command and what it printed, after its end."""
    return command.finish(), command.read("out"), command.read("err")


def begun(tmp_path: Path) -> list[int]:
    """Return the process of every trial that was begun."""
    log = tmp_path / "log"
    return list(map(int, log.read_text().split())) if log.exists() else []


def trials_of(storage: str) -> list:
    opened = open_storage(storage)
    (study,) = opened.get_all_studies()
    return opened.get_all_trials(study._study_id)


def test_a_second_command_is_refused_and_resumes_when_the_first_one_was_killed(start, storage, tmp_path) -> None:
    killed = start(storage, 1000)
    wait_for(lambda: begun(tmp_path))
    code, out, err = finish(start(storage, 0))
    assert code == 2 and out == "" and "another tune is at work on this search" in err and "s3cret" not in err
    os.kill(killed.pid, signal.SIGKILL)
    killed.finish(30)
    code, out, err = finish(start(storage, 0))
    assert code == 0 and json.loads(out)["trials"] == TRIALS and json.loads(out)["failed"] == 0, err
    assert [trial.state for trial in trials_of(storage)] == [TrialState.COMPLETE] * TRIALS


def test_a_command_that_is_ended_is_resumed(start, storage, tmp_path) -> None:
    ended = start(storage, 1000)
    wait_for(lambda: begun(tmp_path))
    os.kill(ended.pid, signal.SIGTERM)
    assert ended.finish(30) == 128 + signal.SIGTERM
    code, out, err = finish(start(storage, 0))
    assert code == 0 and json.loads(out)["trials"] == TRIALS, err


def test_a_server_that_goes_away_gets_one_sentence_and_the_same_command_goes_on(
    start, storage, server, tmp_path
) -> None:
    lost = start(storage, 0.3)
    wait_for(lambda: len(begun(tmp_path)) >= 3)
    server.stop()
    code, out, err = finish(lost)
    server.start()
    *trials, sentence = err.splitlines()
    assert code == 2 and out == "" and "s3cret" not in err
    assert all(line.startswith("tuning katz on ") and line.endswith(f" of {TRIALS} trials") for line in trials)
    assert "no longer answers" in sentence and sentence.endswith("give the same command again later")
    finished = {trial.number for trial in trials_of(storage) if trial.state == TrialState.COMPLETE}
    assert len(finished) >= 2
    again = start(storage, 0)
    code, out, err = finish(again)
    assert code == 0 and json.loads(out)["trials"] == TRIALS, err
    assert begun(tmp_path).count(again.pid) == TRIALS - len(finished)


def test_a_server_that_is_started_again_during_a_trial_changes_nothing(storage, server, monkeypatch, tmp_path) -> None:
    expected = tune(KATZ, tmp_path / "a.journal", trials=3)
    real, judged = tuning_search.judge, []

    def judge(*given: object) -> float:
        judged.append(given)
        if len(judged) == 2:
            server.stop()
            server.start()
        return real(*given)

    monkeypatch.setattr(tuning_search, "judge", judge)
    assert tune(KATZ, storage, trials=3).entry() | {"seconds": 0} == expected.entry() | {"seconds": 0}
    assert len(judged) == 3


def test_processes_of_one_command_share_the_server(storage, run, tmp_path) -> None:
    outcome = run(*COMMAND, "--storage", storage, "--trials", 4, "--jobs", 2, "-o", tmp_path / "tuned.toml")
    assert outcome.code == 0 and json.loads(outcome.out)["trials"] == 4
    assert "s3cret" not in (tmp_path / "tuned.toml").read_text()
    found = trials_of(storage)
    assert [trial.state for trial in found] == [TrialState.COMPLETE] * 4


def refused(run, storage: str, *more: object) -> str:
    """Return the one sentence with which an address is refused."""
    since = time.monotonic()
    outcome = run(*COMMAND, "--storage", storage, *more)
    assert time.monotonic() - since < 100
    assert outcome.code == 2 and outcome.out == "" and outcome.err.count("\n") == 1
    assert "s3cret" not in outcome.err and "wr0ng" not in outcome.err and "Traceback" not in outcome.err
    return outcome.err


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    yield tmp_path
    assert not list(tmp_path.glob("tuned.*"))


def test_a_wrong_password_or_data_base_is_said(run, server, here) -> None:
    sentence = refused(run, address(server.port, password="wr0ng"))
    assert f"postgresql://{LOOPBACK}:{server.port}/postgres: cannot be used" in sentence
    assert "password authentication failed" in sentence
    assert 'database "nowhere" does not exist' in refused(run, address(server.port, "nowhere"))


def test_a_password_can_be_left_to_the_environment(storage, monkeypatch) -> None:
    monkeypatch.setenv("PGPASSWORD", "s3cret")
    assert open_storage(storage.replace(":s3cret@", "@")).get_all_studies() == []


def test_someone_who_may_not_make_tables_is_told_so(run, storage, server, here) -> None:
    server.execute("CREATE ROLE guest LOGIN PASSWORD 's3cret'")
    name = storage.rpartition("/")[2]
    assert "permission denied" in refused(run, address(server.port, name, user="guest"))


def connections(listening: socket.socket) -> int:
    """Return how many clients have come to a socket since the last call."""
    listening.setblocking(False)
    number = 0
    with suppress(BlockingIOError):
        while True:
            listening.accept()[0].close()
            number += 1
    return number


def test_a_server_that_says_nothing_is_given_up_at_once_for_all_searches(run, here) -> None:
    (here / "e.toml").write_text('models = ["katz", "ppr"]\n[[data]]\nname = "K"\nsource = "karate"\n')
    with socket.create_server((LOOPBACK, 0)) as silent:
        place = address(silent.getsockname()[1]) + "?connect_timeout=2"
        assert "timeout expired" in refused(run, place)
        once = connections(silent)
        outcome = run("tune", "--from", "e.toml", "--storage", place)
        assert outcome.code == 2 and outcome.err.count("\n") == 1
        assert connections(silent) == once >= 1  # two searches have no more patience than one


def test_the_default_patience_with_a_silent_server_is_short() -> None:
    from edgeorbit.experiments.tuning import storage as tuning_storage

    options = tuning_storage._options("postgresql", "postgresql://host/db")["connect_args"]
    assert 1 <= options["connect_timeout"] <= 15
    assert "connect_timeout" not in tuning_storage._options("postgresql", "postgresql://h/d?connect_timeout=2")


def test_a_driver_that_is_missing_is_named(run, here, monkeypatch) -> None:
    real = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name, *more: None if name.startswith("psycopg") else real(name, *more)
    )
    monkeypatch.setitem(sys.modules, "psycopg2", None)
    assert "needs psycopg2; pip install psycopg2-binary, or name a file" in refused(run, address(9))
    with pytest.raises(MissingExtraError):
        open_storage(address(9))


@pytest.mark.parametrize("kind", ["mysql", "mysql+pymysql", "postgresql+pg8000", "nosuch", ""])
def test_a_data_base_without_a_lock_that_is_known_is_refused(kind: str, run, here) -> None:
    assert "give postgresql://..., sqlite:///... or a file" in refused(run, f"{kind}://me:s3cret@host/db")
