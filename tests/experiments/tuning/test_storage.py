"""Where trials are kept: faults of files and databases, passwords, and processes that are killed."""

import os
import subprocess
import sys
import time

import pytest

pytest.importorskip("optuna")

from edgeorbit.errors import EdgeorbitError, MissingExtraError
from edgeorbit.experiments.executors import LocalPool
from edgeorbit.experiments.tuning import Task, tune
from edgeorbit.experiments.tuning import storage as tuning_storage
from edgeorbit.experiments.tuning.storage import open_storage, without_password

KATZ = Task("karate", {"source": "karate"}, "katz", "constant")


@pytest.fixture(autouse=True)
def no_waiting_for_disks(monkeypatch) -> None:
    """A power cut is nothing that happens here, and a busy disk would take most of the time."""
    monkeypatch.setattr(os, "fsync", lambda descriptor: None)


def test_a_torn_line_is_cut_and_the_rest_is_kept(tmp_path) -> None:
    path = tmp_path / "a.journal"
    whole = tune(KATZ, path, trials=4)
    with path.open("ab") as file:
        file.write(b'{"op_code":5,"worker_id":"half')
    assert tune(KATZ, path, trials=4).entry() == whole.entry()
    assert tune(KATZ, path, trials=6).trials == 6


@pytest.mark.parametrize("text", ["my notes", "my notes\nline 2", '{"a": 1}\n{"b"', "\x00\x01"])
def test_a_file_of_something_else_is_refused_and_stays(text: str, tmp_path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text(text)
    with pytest.raises(EdgeorbitError, match=r"notes\.txt: is no journal of trials"):
        tune(KATZ, path, trials=2)
    assert path.read_text() == text


def test_a_place_that_cannot_be_written_gets_one_sentence(tmp_path) -> None:
    with pytest.raises(EdgeorbitError, match="is a directory"):
        open_storage(tmp_path)
    with pytest.raises(EdgeorbitError, match="cannot be written"):
        open_storage(tmp_path / "nowhere" / "a.journal")


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("postgresql://me:s3cret@host:5432/db", "postgresql://host:5432/db"),
        ("postgresql://me:s3c@ret@host/db", "postgresql://host/db"),
        ("postgresql://host/db?user=me&password=s3cret", "postgresql://host/db"),
        ("mysql+pymysql://me:s3cret@host", "mysql+pymysql://host"),
        ("http://me:s3cret@host", "http://host"),
    ],
)
def test_no_password_is_shown(address: str, shown: str) -> None:
    assert without_password(address) == shown


@pytest.mark.parametrize(
    "address",
    [
        "postgresql://me:s3cret@127.0.0.1:9/db",
        "postgresql://127.0.0.1:9/db?user=me&password=s3cret",
        "nosuch://me:s3cret@host/db",
        "sqlite:////nowhere/s3cret/a.db?password=s3cret",
        "postgresql+nosuchdriver://me:s3cret@host/db",
    ],
)
def test_a_data_base_that_does_not_answer_gets_one_sentence_without_its_password(address: str) -> None:
    pytest.importorskip("sqlalchemy")
    begun = time.monotonic()
    with pytest.raises(EdgeorbitError) as caught:
        open_storage(address)
    assert time.monotonic() - begun < 100
    text = str(caught.value)
    assert "\n" not in text and ":s3cret" not in text and "password=s3cret" not in text
    assert text.startswith(without_password(address))


def test_no_password_is_written(tmp_path) -> None:
    pytest.importorskip("sqlalchemy")
    # SQLite takes no password, but what would be written of the address would be written of any.
    address = f"sqlite:///{tmp_path}/a.db?cached_statements=77"
    tune(KATZ, address, trials=2, executor=LocalPool(2))
    assert all(b"cached_statements" not in file.read_bytes() for file in tmp_path.iterdir() if file.is_file())


def test_without_optuna_one_sentence_says_what_to_install(monkeypatch, tmp_path) -> None:
    monkeypatch.setitem(sys.modules, "optuna", None)
    with pytest.raises(MissingExtraError, match=r"tuning needs optuna; pip install 'edgeorbit\[boost\]'"):
        tuning_storage.load_optuna()


def test_processes_of_a_search_end_with_the_command_that_is_killed(tmp_path) -> None:
    psutil = pytest.importorskip("psutil")
    script = (
        "from edgeorbit.experiments.executors import LocalPool\n"
        "from edgeorbit.experiments.tuning import Task, tune\n"
        "from edgeorbit.experiments.tuning.space import Range\n"
        "if __name__ == '__main__':\n"
        "    task = Task('karate', {'source': 'karate'}, 'katz', 'constant', space={'beta': Range(0.001, 0.5)})\n"
        f"    tune(task, {str(tmp_path / 'j')!r}, trials=5000, executor=LocalPool(2))\n"
    )
    (tmp_path / "script.py").write_text(script)
    process = subprocess.Popen([sys.executable, str(tmp_path / "script.py")])
    children: list = []
    deadline = time.monotonic() + 60
    while len(children) < 2 and time.monotonic() < deadline:
        time.sleep(0.1)
        children = psutil.Process(process.pid).children(recursive=True)
    process.kill()
    process.wait()
    _, alive = psutil.wait_procs(children, timeout=30)
    assert len(children) >= 2 and not alive
