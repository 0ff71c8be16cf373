"""What a killed process leaves unfinished is removed by the next one; what a living process is at stays."""

import os
import shutil
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import pytest

from edgeorbit._files import atomic_directory, atomic_path, check_free_directory
from edgeorbit._unfinished import remove_leftovers
from edgeorbit.errors import EdgeorbitError

WRITER = """
import sys
from edgeorbit._files import atomic_directory, atomic_path
kind, path = sys.argv[1:]
with (atomic_path if kind == "file" else atomic_directory)(path) as temporary:
    file = temporary if kind == "file" else temporary / "part"
    file.write_text("half")
    print("begun", flush=True)
    sys.stdin.read()
    file.write_text("whole")
"""


def begin(kind: str, path: Path) -> subprocess.Popen:
    """Start a process that writes half of it, and the rest when its input ends."""
    pipe = subprocess.PIPE
    process = subprocess.Popen([sys.executable, "-c", WRITER, kind, path], stdin=pipe, stdout=pipe, text=True)
    assert process.stdout.readline() == "begun\n"
    return process


def unfinished(directory: Path) -> int:
    return len(list(directory.glob(".edgeorbit-*")))


def write_file(directory: Path) -> None:
    with atomic_path(directory / "other") as temporary:
        temporary.write_text("x")


def write_directory(directory: Path) -> None:
    with atomic_directory(directory / "others") as temporary:
        (temporary / "x").write_text("x")


@pytest.mark.parametrize(
    "next_one", [write_file, write_directory, lambda directory: check_free_directory(directory / "o")]
)
@pytest.mark.parametrize("kind", ["file", "directory"])
def test_the_next_one_removes_what_a_kill_left_and_nothing_of_the_living(tmp_path: Path, kind, next_one) -> None:
    dead, living = begin(kind, tmp_path / "dead"), begin(kind, tmp_path / "living")
    dead.send_signal(signal.SIGKILL)
    dead.communicate()
    assert unfinished(tmp_path) == 2 and not (tmp_path / "dead").exists()
    next_one(tmp_path)
    assert unfinished(tmp_path) == 1
    living.communicate("")
    written = tmp_path / "living" if kind == "file" else tmp_path / "living" / "part"
    assert living.returncode == 0 and written.read_text() == "whole"
    assert unfinished(tmp_path) == 0


def test_what_others_call_so_stays(tmp_path: Path) -> None:
    (tmp_path / ".edgeorbit-0123456789ab").write_text("mine")
    for name in (".edgeorbit-mine", "elsewhere"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "lock").write_text("mine")
    (tmp_path / ".edgeorbit-ab0123456789").symlink_to(tmp_path / "elsewhere")
    (tmp_path / ".edgeorbit-ba0123456789").mkdir()
    (tmp_path / ".edgeorbit-ba0123456789" / "notes").write_text("no lock, so nobody knows")
    before = sorted(tmp_path.rglob("*"))
    remove_leftovers(tmp_path)
    assert sorted(tmp_path.rglob("*")) == before
    remove_leftovers(tmp_path / "nowhere")


def test_files_that_are_written_within_each_other_stay(tmp_path: Path) -> None:
    with ExitStack() as stack:
        for number in range(5):
            stack.enter_context(atomic_path(tmp_path / str(number))).write_text(str(number))
    assert sorted(entry.name for entry in tmp_path.iterdir()) == list("01234")


@pytest.mark.parametrize("steps", range(6))
def test_a_kill_while_leftovers_are_removed_hides_none_of_them(tmp_path: Path, steps: int) -> None:
    dead = begin("directory", tmp_path / "dead")
    dead.send_signal(signal.SIGKILL)
    dead.communicate()
    code = """
import os, shutil, signal, sys
from pathlib import Path
steps = int(sys.argv[2])
def counted(function):
    def step(*arguments, **named):
        global steps
        steps -= 1
        if steps < 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return function(*arguments, **named)
    return step
os.unlink, os.rmdir = counted(os.unlink), counted(os.rmdir)
from edgeorbit._unfinished import remove_leftovers
remove_leftovers(Path(sys.argv[1]))
"""
    subprocess.run([sys.executable, "-c", code, tmp_path, str(steps)], check=False)
    remove_leftovers(tmp_path)
    assert unfinished(tmp_path) == 0


def test_many_that_write_and_remove_at_once_lose_nothing(tmp_path: Path) -> None:
    def write(number: int) -> None:
        for turn in range(60):
            with atomic_path(tmp_path / str(number)) as temporary:
                temporary.write_text(f"{number} {turn}")

    def clean(_: int) -> None:
        for _ in range(1000):
            remove_leftovers(tmp_path)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda number: (clean if number % 2 else write)(number), range(8)))
    assert {entry.name: entry.read_text() for entry in tmp_path.iterdir()} == {n: f"{n} 59" for n in "0246"}


def test_without_locks_files_are_written_and_nothing_is_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fcntl = pytest.importorskip("fcntl")
    dead = begin("file", tmp_path / "dead")
    dead.send_signal(signal.SIGKILL)
    dead.communicate()

    def refuse(descriptor: int, how: int) -> None:
        raise OSError(38, os.strerror(38))

    monkeypatch.setattr(fcntl, "flock", refuse)
    write_file(tmp_path)
    write_directory(tmp_path)
    assert (tmp_path / "other").read_text() == (tmp_path / "others" / "x").read_text() == "x"
    assert unfinished(tmp_path) == 1


def test_a_place_that_cannot_be_written_is_told_by_its_own_name(tmp_path: Path) -> None:
    told = rf"^{tmp_path}/none/a: cannot be written .* create the directory first$"
    with pytest.raises(EdgeorbitError, match=told), atomic_path(tmp_path / "none" / "a"):
        pass
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=8k", "tmpfs", disk]
    if shutil.which("mount") is None or subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("a small disk cannot be mounted here")
    try:
        told = rf"^{disk}/a: cannot be written \(No space left on device\)"
        with pytest.raises(EdgeorbitError, match=told), atomic_path(disk / "a") as temporary:
            temporary.write_bytes(bytes(100_000))
        assert list(disk.iterdir()) == []
    finally:
        subprocess.run(["umount", disk], check=True)
