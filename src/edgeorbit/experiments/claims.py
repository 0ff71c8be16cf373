"""Claims: small files that tell other benches, also on other machines, which cells are being run."""

import json
import os
import secrets
import shutil
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from edgeorbit.errors import EdgeorbitError
from edgeorbit.experiments.provenance import host_digest, process_space
from edgeorbit.experiments.store import LOCK
from edgeorbit.files import locked

REFRESH_SECONDS = 20.0
STALE_SECONDS = 120.0
CLAIM, BEAT, RUN = ".claim", ".beat", ".run"


class Claims:
    """The claims of one bench in a directory that all benches of a store share.

    A claim is a file that is created only if it is not there (`O_EXCL`), so that of several benches one has it. It
    is touched every 20 seconds. One that was not touched for two minutes, or whose process is gone from this very
    machine, is stale, and another bench may take it over; takeovers are made one at a time, under the lock of the
    store.

    Machines need not agree on the time: ages are differences of times that the file server itself gave, to the claim
    and to a file that is touched for the comparison. What they need is a file system on which `O_EXCL` and locks hold
    for all of them: NFS from version 3 with locks (see `edgeorbit.files.locked`). NFS shows files of another machine
    late, by up to a minute, where it is mounted to remember names for long; mount with `lookupcache=none`, or with
    `actimeo` well below two minutes, so that a bench that is alive never looks stale and rows of others are seen.

    Parameters
    ----------
    directory
        Where claims lie; it is created.

    Raises
    ------
    EdgeorbitError
        If the directory cannot be written.
    """

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.mine: set[str] = set()
        self._token = secrets.token_hex(8)
        self._refreshed = time.monotonic()
        self._beat = directory / f"{self._token}{BEAT}"
        about = self._about()
        try:
            with locked(directory / LOCK):  # under which others remove the directory when there is nothing in it
                self._beat.write_text(about, encoding="utf-8")
        except (OSError, EdgeorbitError) as error:
            cause = error if isinstance(error, OSError) else error.__context__  # of the lock
            reason = getattr(cause, "strerror", None) or error
            raise EdgeorbitError(
                f"{directory}: cannot be written ({reason}); name results in another directory"
            ) from None

    def run_directory(self, key: str, code: str) -> Path:
        """Return the place for checkpoints of a cell; those of other code are another's."""
        return self.directory / f"{key}-{code}{RUN}"

    def taken(self) -> set[str]:
        """Return the keys of all cells that are claimed, by whomever."""
        return {file.name.removesuffix(CLAIM) for file in self.directory.glob(f"*{CLAIM}")}

    def take(self, key: str) -> bool:
        """Claim a cell; False if another bench has it."""
        path = self._path(key)
        about = self._about().encode()  # before there is a file: one without a word takes minutes to become stale
        try:
            descriptor = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666)
        except FileExistsError:
            return False
        except OSError as error:
            raise EdgeorbitError(f"{path}: cannot be written ({error.strerror}); free some space") from None
        try:
            os.write(descriptor, about)
        except OSError as error:
            path.unlink(missing_ok=True)
            raise EdgeorbitError(f"{path}: cannot be written ({error.strerror}); free some space") from None
        finally:
            os.close(descriptor)
        self.mine.add(key)
        return True

    def take_over(self, keys: Iterable[str]) -> str | None:
        """Claim the first of some cells whose claim is stale; None if all of them are being run."""
        now = self._now()
        for key in keys:
            if key not in self.mine and _is_stale(self._path(key), now):
                with locked(self.directory / LOCK):
                    if _is_stale(self._path(key), self._now()):  # nobody else took it over meanwhile
                        self._path(key).unlink(missing_ok=True)
                        if self.take(key):
                            return key
        return None

    def release(self, key: str) -> None:
        """Give a claim back."""
        if self._is_ours(key):
            self._path(key).unlink(missing_ok=True)
        self.mine.discard(key)

    def refresh(self) -> set[str]:
        """Touch all claims if it is time to; return those that another bench took over, which are no longer ours."""
        if time.monotonic() - self._refreshed < REFRESH_SECONDS:
            return set()
        self._refreshed = time.monotonic()
        lost = {key for key in self.mine if not self._is_ours(key)}
        self.mine -= lost
        with suppress(OSError):
            self._beat.touch()
        for key in self.mine:
            with suppress(OSError):
                os.utime(self._path(key))
        return lost

    def clean(self, done: set[str], code: str) -> None:
        """Remove what killed benches left: files of theirs, and checkpoints of cells that need none any more."""
        now = self._now()
        # A bench may be killed between a row and the claim that it gives back.
        finished = [path for key in done if (path := self._path(key)).exists()]
        for file in [*self.directory.glob(f"*{BEAT}"), *finished]:
            if _is_stale(file, now):
                file.unlink(missing_ok=True)
        taken = self.taken()
        for place in self.directory.glob(f"*{RUN}"):
            key, _, made_by = place.name.removesuffix(RUN).partition("-")
            if key not in taken and (key in done or made_by != code):
                shutil.rmtree(place, ignore_errors=True)

    def close(self) -> None:
        """Give all claims back."""
        for key in list(self.mine):
            with suppress(OSError):
                self.release(key)
        with suppress(OSError):
            self._beat.unlink()

    def _path(self, key: str) -> Path:
        return self.directory / f"{key}{CLAIM}"

    def _now(self) -> float:
        """Return the time as the file server has it."""
        self._beat.touch()
        return self._beat.stat().st_mtime

    def _about(self) -> str:
        """Return what other benches need to know of this one."""
        pid = os.getpid()
        said = {"token": self._token, "host": host_digest(), "space": process_space(), "pid": pid}
        return json.dumps(said | {"started": _started(pid), "time": time.time()})

    def _is_ours(self, key: str) -> bool:
        return _said(self._path(key)).get("token") == self._token


def _said(path: Path) -> dict[str, object]:
    try:
        said = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return said if isinstance(said, dict) else {}


def _is_stale(path: Path, now: float) -> bool:
    """Tell whether the bench that wrote a file is gone."""
    try:
        touched = path.stat().st_mtime
    except OSError:
        return False  # it was given back
    if now - touched > STALE_SECONDS:
        return True
    said = _said(path)
    if said.get("space") != process_space() or not isinstance(said.get("pid"), int):
        return False
    return _started(int(str(said["pid"]))) != said.get("started")


def _started(pid: int) -> str:
    """Return when a process of this machine began, in the system's own count; nothing if there is none.

    A process id alone would not do: after a restart of the machine another process may have it.
    """
    try:
        state, *rest = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
        return "" if state in "ZX" else rest[18]
    except (OSError, IndexError, ValueError):
        return _alive(pid)


def _alive(pid: int) -> str:
    """Return whether there is such a process, where a system does not tell when it began."""
    if Path("/proc/self/stat").exists():
        return ""
    if os.name == "nt":  # where asking would end it
        return "alive"
    try:
        os.kill(pid, 0)
    except PermissionError:
        return "alive"
    except OSError:
        return ""
    return "alive"
