"""The work directory: the tables of the last complete round, and a small file that names them.

A round counts once `state.json` names its tables; that file is replaced in one step. What it does not name is left
over from a round that did not end, and is removed.
"""

import fcntl
import json
import re
import shutil
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import IO, Any

from edgeorbit._files import atomic_path
from edgeorbit._unfinished import TEMPORARY
from edgeorbit.errors import EdgeorbitError, InvalidParameterError
from edgeorbit.graph.reading.source import Source

STATE = "state.json"
LOCK = "lock"
LOG = "engine.log"
SPILL = "spill"
VERSION = 1
TABLE = re.compile(rf"[a-z_]+-\d{{6}}\.parquet|{re.escape(TEMPORARY)}.*")  # only ours


@dataclass
class State:
    """Where a refinement stands after a complete round.

    Attributes
    ----------
    run
        What was asked for: the source, its size and date, and the settings. Another run does not resume this one.
    num_nodes, num_edges, merged_edges, self_loops
        Of the whole graph.
    tables
        Names of the files: `all_edges` (u < v), `names` (of text ids, else missing), `initial` and `final` (colours at
        the start and at the end), and what may still change: `edges`, `base` (node, c), `delta` (colours since
        `base`), `moved` (new colours of the last round).
    retired
        Tables of nodes that are alone in their colour, which their neighbours have taken into account.
    table_nodes, table_edges, delta_nodes
        Numbers of rows of `base` and `edges`, and at most how many `delta` has.
    alone
        Nodes that are alone in their colour.
    colours_by_round, seconds_by_round
        Number of colours at the start and after each round, and the time each took.
    next_colour
        Colours from here on are new.
    stable
        Whether the last round changed nothing.
    by_lists
        Whether signatures are sorted lists, because hash values were found to collide.
    """

    run: dict[str, Any]
    num_nodes: int = 0
    num_edges: int = 0
    merged_edges: int = 0
    self_loops: int = 0
    tables: dict[str, str] = field(default_factory=dict)
    retired: list[str] = field(default_factory=list)
    table_nodes: int = 0
    table_edges: int = 0
    delta_nodes: int = 0
    alone: int = 0
    colours_by_round: list[int] = field(default_factory=list)
    seconds_by_round: list[float] = field(default_factory=list)
    next_colour: int = 1
    stable: bool = False
    by_lists: bool = False

    @property
    def round(self) -> int:
        """Number of rounds made."""
        return len(self.colours_by_round) - 1


class WorkDirectory:
    """A directory of tables that belongs to one refinement at a time."""

    def __init__(self, path: Path) -> None:
        """Make the directory if there is none, and keep others out of it."""
        self.path = path
        self._written = 0
        try:
            path.mkdir(parents=True, exist_ok=True)
            self._lock: IO[bytes] = (path / LOCK).open("ab")
        except OSError as error:
            raise EdgeorbitError(
                f"{path}: cannot be the work directory ({error.strerror}); choose a directory that can be written"
            ) from None
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            self._lock.close()
            raise InvalidParameterError(
                f"{path}: another run is at work in this directory; wait for it or choose another"
            ) from None
        self._remove([SPILL])  # of a run that was killed; later an engine is at work in it

    def new_table(self, name: str) -> Path:
        """Return the path of a table that does not exist yet."""
        while True:
            self._written += 1
            table = self.path / f"{name}-{self._written:06d}.parquet"
            if not table.exists():
                return table

    def table(self, name: str) -> Path:
        """Return the path of a table by the name that the state has for it."""
        return self.path / name

    def load(self, run: dict[str, Any]) -> State | None:
        """Return the state of the same run if it was begun here, and remove what is left of a round half made."""
        file = self.path / STATE
        if not file.exists():
            others = [entry.name for entry in self.path.iterdir() if entry.name not in (LOCK, LOG, SPILL)]
            if any(not _is_table(name) for name in others):
                raise InvalidParameterError(
                    f"{self.path}: is not empty and holds no begun run; give an empty directory or a new name"
                )
            self._remove(others)
            return None
        try:
            stored = json.loads(Source(file).document())
            version = stored.pop("version")
            state = State(**stored) if version == VERSION else None
        except (OSError, ValueError, TypeError, KeyError):
            state = None
        if state is None or state.run != run:
            raise InvalidParameterError(
                f"{self.path}: holds a begun run of another graph or with other settings; finish that one, or give "
                "another directory"
            )
        self._tidy(state)
        return state

    def save(self, state: State) -> None:
        """Make a round count, and remove the tables that it no longer needs."""
        with atomic_path(self.path / STATE) as file:
            file.write_text(json.dumps({"version": VERSION, **asdict(state)}))
        self._tidy(state)

    def close(self, *, finished: bool) -> None:
        """Let others in; if the run is finished, leave nothing of it behind."""
        if finished:
            (self.path / STATE).unlink(missing_ok=True)
            left = [entry.name for entry in self.path.iterdir()]
            self._remove([name for name in left if _is_table(name) or name in (LOG, SPILL)])
            (self.path / LOCK).unlink(missing_ok=True)
        self._lock.close()

    def _tidy(self, state: State) -> None:
        kept = {*state.tables.values(), *state.retired}
        self._remove([e.name for e in self.path.iterdir() if _is_table(e.name) and e.name not in kept])

    def _remove(self, names: list[str]) -> None:
        for name in names:
            entry = self.path / name
            if entry.is_dir() and not entry.is_symlink():
                shutil.rmtree(entry, ignore_errors=True)
            else:
                entry.unlink(missing_ok=True)


def _is_table(name: str) -> bool:
    return TABLE.fullmatch(name) is not None
