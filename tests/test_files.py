"""`atomic_directory`: a directory appears whole or not at all, and nothing of somebody else's is lost."""

import os
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from edgeorbit._files import InUseError, atomic_directory, check_free_directory, locked
from edgeorbit.errors import EdgeorbitError


def content(directory: Path) -> dict[str, str]:
    """All files below a directory, hidden ones too, and empty directories."""
    return {
        str(path.relative_to(directory)): path.read_text() if path.is_file() else "(empty)"
        for path in directory.rglob("*")
        if path.is_file() or not any(path.iterdir())
    }


def ours(entry: Path) -> bool:
    return entry.name in {"card", "data", "more", "part"}


def write(path: Path, text: str, *, force: bool = False, names: tuple[str, ...] = ("card", "data")) -> None:
    with atomic_directory(path, force=force, ours=ours, last="card") as directory:
        for name in names:
            (directory / name).parent.mkdir(exist_ok=True)
            (directory / name).write_text(text)


def test_a_directory_appears_when_it_is_complete(tmp_path: Path) -> None:
    target = tmp_path / "a" / "b" / "c"
    with atomic_directory(target) as directory:
        (directory / "inner").mkdir()
        (directory / "inner" / "file").write_text("x")
        assert not target.exists()
    assert content(tmp_path) == {"a/b/c/inner/file": "x"}


@pytest.mark.parametrize("problem", [RuntimeError, KeyboardInterrupt, EdgeorbitError])
@pytest.mark.parametrize("there", [False, True])
def test_a_failure_leaves_nothing_behind(tmp_path: Path, problem: type[BaseException], there: bool) -> None:
    target = tmp_path / "a" / "b" / "c"
    if there:
        target.mkdir(parents=True)
    with pytest.raises(problem), atomic_directory(target) as directory:
        (directory / "half").write_text("x")
        raise problem
    assert content(tmp_path) == ({"a/b/c": "(empty)"} if there else {})
    assert tmp_path.exists()


def test_a_failure_leaves_directories_that_were_there(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    with pytest.raises(RuntimeError), atomic_directory(tmp_path / "a" / "b" / "c"):
        raise RuntimeError
    assert content(tmp_path) == {"a": "(empty)"}


def test_an_empty_directory_is_filled_and_stays_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "here"
    target.mkdir(mode=0o750)
    before = target.stat()
    monkeypatch.chdir(target)
    write(Path(), "new")
    assert sorted(entry.name for entry in Path().iterdir()) == ["card", "data"]
    assert target.stat().st_ino == before.st_ino
    assert stat.S_IMODE(target.stat().st_mode) == 0o750


def test_a_directory_that_exists_is_filled_from_within_for_it_may_be_a_disk_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "disk").mkdir()
    with atomic_directory(tmp_path / "disk") as directory:
        assert directory.is_relative_to(tmp_path / "disk")
    with atomic_directory(tmp_path / "new") as directory:
        assert directory.is_relative_to(tmp_path)
    assert content(tmp_path) == {"disk": "(empty)", "new": "(empty)"}


def test_a_link_to_a_directory_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    (tmp_path / "nowhere").symlink_to(tmp_path / "later")
    for name in ("link", "nowhere"):
        write(tmp_path / name, "new")
        assert (tmp_path / name).is_symlink()
        assert content(tmp_path / name) == {"card": "new", "data": "new"}


def test_a_directory_with_something_in_it_is_refused(tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("mine")
    expected = f"^{tmp_path}: is not empty; choose another directory, or add --force to write into it$"
    with pytest.raises(EdgeorbitError, match=expected):
        check_free_directory(tmp_path)
    with pytest.raises(EdgeorbitError, match=expected):
        write(tmp_path, "new")
    assert content(tmp_path) == {"mine": "mine"}


def test_force_replaces_what_is_ours_and_leaves_what_is_not(tmp_path: Path) -> None:
    write(tmp_path / "out", "old", names=("card", "data", "more", "part/inner"))
    (tmp_path / "out" / "mine").write_text("mine")
    write(tmp_path / "out", "new", force=True)
    assert content(tmp_path / "out") == {"card": "new", "data": "new", "mine": "mine"}
    write(tmp_path / "out", "newer", force=True, names=("card", "part/inner"))
    assert content(tmp_path / "out") == {"card": "newer", "part/inner": "newer", "mine": "mine"}


def test_what_is_in_the_way_and_not_ours_is_never_replaced(tmp_path: Path) -> None:
    write(tmp_path / "out", "old")
    (tmp_path / "out" / "mine").write_text("mine")
    before = content(tmp_path)
    with pytest.raises(EdgeorbitError, match=r"out/mine: is in the way, .* move it away$"):
        write(tmp_path / "out", "new", force=True, names=("card", "data", "mine"))
    assert content(tmp_path) == before


def test_what_tells_of_completeness_goes_first_and_comes_last(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    moves: list[str] = []
    rename = Path.rename
    monkeypatch.setattr(Path, "rename", lambda self, target: moves.append(self.name) or rename(self, target))
    for names in (("a", "card", "data"), ("card", "data", "more")):
        write(tmp_path / "out", "x", force=True, names=names)
    del moves[:]
    write(tmp_path / "out", "new", force=True, names=("card", "data", "part"))
    assert moves[0] == moves[-1] == "card"
    assert sorted(moves) == ["card", "card", "data", "data", "more", "part"]


@pytest.mark.parametrize("failing", range(5))
@pytest.mark.parametrize("problem", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_an_exchange_that_fails_is_taken_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failing: int, problem: BaseException
) -> None:
    write(tmp_path / "out", "old", names=("card", "data", "more"))
    (tmp_path / "out" / "mine").write_text("mine")
    before = content(tmp_path)
    calls = iter(range(100))
    rename = Path.rename

    def fail(self: Path, target: Path) -> Path:
        if next(calls) == failing:
            raise problem
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", fail)
    with pytest.raises(EdgeorbitError if isinstance(problem, OSError) else KeyboardInterrupt):
        write(tmp_path / "out", "new", force=True)
    assert content(tmp_path) == before


KILLED = """
import os, signal, sys
from pathlib import Path
from edgeorbit._files import atomic_directory
steps = int(sys.argv[2])
def counted(function):
    def step(*arguments):
        global steps
        steps -= 1
        if steps < 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return function(*arguments)
    return step
os.fsync, Path.rename, Path.replace = counted(os.fsync), counted(Path.rename), counted(Path.replace)
ours = lambda entry: entry.name in {"card", "data"}
with atomic_directory(sys.argv[1], force=True, ours=ours, last="card") as directory:
    (directory / "card").write_text("new")
    (directory / "data").write_text("new")
"""


@pytest.mark.parametrize("there", [False, True])
def test_a_killed_process_never_leaves_a_mixture_that_looks_complete(tmp_path: Path, there: bool) -> None:
    outcomes = []
    for steps in range(9):
        target = tmp_path / str(steps)
        if there:
            write(target, "old")
        done = subprocess.run([sys.executable, "-c", KILLED, target, str(steps)], check=False)
        assert done.returncode in (0, -signal.SIGKILL)
        if (target / "card").exists():
            assert (target / "card").read_text() == (target / "data").read_text()
        outcomes.append((target / "card").read_text() if (target / "card").exists() else None)
    assert outcomes[0] == ("old" if there else None) and outcomes[-1] == "new"
    assert outcomes == sorted(outcomes, key=["old", None, "new"].index)


def test_what_a_killed_process_left_does_not_count(tmp_path: Path) -> None:
    (tmp_path / ".edgeorbit-0123456789ab").mkdir()
    write(tmp_path, "new")
    assert content(tmp_path) == {"card": "new", "data": "new"}


def test_every_file_is_on_the_disk_before_it_is_renamed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced, fsync = [], os.fsync
    monkeypatch.setattr(os, "fsync", lambda descriptor: synced.append(os.fstat(descriptor).st_ino) or fsync(descriptor))
    write(tmp_path / "out", "x", names=("card", "part/inner"))
    assert {(tmp_path / "out" / name).stat().st_ino for name in ("card", "part/inner")} <= set(synced)


def test_places_that_are_no_directories_are_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    for path, sentence in [
        (tmp_path / "file", f"{tmp_path}/file: is a file; give the name of a directory"),
        (tmp_path / "file" / "in", f"{tmp_path}/file/in: cannot be written (Not a directory); "),
        (tmp_path / ("n" * 300), "cannot be written (File name too long); "),
        (tmp_path / "line\nbreak" / ("n" * 300), "line break"),
    ]:
        for force in (False, True):
            with pytest.raises(EdgeorbitError) as caught:
                write(path, "new", force=force)
            assert sentence in str(caught.value) and "\n" not in str(caught.value)
    assert content(tmp_path) == {"file": "mine"}


COUNT = """
import sys
from contextlib import suppress
from pathlib import Path
from edgeorbit._files import locked
place = Path(sys.argv[1])
for _ in range(100):
    with locked(place / "side" / "lock"):
        number = int((place / "number").read_text())
        (place / "number").write_text(str(number + 1))
        (place / "side" / "lock").unlink()
        with suppress(OSError):  # the next one may be there already
            (place / "side").rmdir()
"""


def test_a_lock_holds_although_every_holder_removes_its_file_and_directory(tmp_path) -> None:
    (tmp_path / "number").write_text("0")
    both = [subprocess.Popen([sys.executable, "-c", COUNT, tmp_path]) for _ in range(3)]
    assert [process.wait() for process in both] == [0, 0, 0]
    assert (tmp_path / "number").read_text() == "300"


def test_a_lock_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no directory")
    with pytest.raises(EdgeorbitError, match="cannot be written"), locked(tmp_path / "file" / "lock"):
        pass


def test_a_lock_that_another_process_holds_is_refused_at_once_if_nobody_is_to_wait(tmp_path: Path) -> None:
    with locked(tmp_path / "lock"), pytest.raises(InUseError), locked(tmp_path / "lock", wait=False):
        pass
    with locked(tmp_path / "lock", wait=False):
        pass
