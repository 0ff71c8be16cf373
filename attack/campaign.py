"""Many cases side by side, until the time or their number is up."""

import contextlib
import gc
import io
import itertools
import multiprocessing
import os
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import NamedTuple

from attack.batches import run_batch
from attack.commands import Outcome, prepare_process, run_command
from attack.judging import Problem, judge
from attack.kinds import Case, Kind, make_case, make_kinds
from attack.trees import Tree, empty, listing, write_tree

CHUNK = 50  # cases of one kind that a process runs before it reports


class Finding(NamedTuple):
    """A case that did not end well."""

    kind: str
    number: int
    case: Case
    problem: Problem
    outcome: Outcome


class Report(NamedTuple):
    """What became of some cases of one kind."""

    kind: str
    codes: Counter[int]
    findings: list[Finding]


@dataclass
class Tally:
    """What became of all cases: exit codes by kind, and how often each problem was found."""

    codes: dict[str, Counter[int]] = field(default_factory=dict)
    problems: Counter[tuple[str, str]] = field(default_factory=Counter)

    def cases(self) -> int:
        """Return how many were run."""
        return sum(codes.total() for codes in self.codes.values())


class Attack:
    """Valid examples of all kinds, and a process with all code that reads them, which commands are forked from."""

    def __init__(self, names: list[str] | None = None) -> None:
        self.main = prepare_process()
        with tempfile.TemporaryDirectory(dir=fast_place()) as place:
            kinds = make_kinds(self._run_here, Path(place))
        if unknown := set(names or []) - kinds.keys():
            raise SystemExit(f"no such kind: {', '.join(sorted(unknown))}; choose from {', '.join(kinds)}")
        self.kinds = {name: kind for name, kind in kinds.items() if not names or name in names}
        for kind in self.kinds.values():
            self._warm_up(kind)

    def _warm_up(self, kind: Kind) -> None:
        """Give valid examples to the commands in this process: they work, and all that they need is loaded then."""
        runs = [(example, kind.commands[0]) for example in kind.examples]
        runs += [(kind.examples[0], command) for command in kind.commands if not _is_choosy(command)]
        for (tree, targets), command in runs:
            with tempfile.TemporaryDirectory(dir=fast_place()) as place, contextlib.chdir(place):
                write_tree(dict(tree), Path(place))
                self._run_here(*command.replace("{file}", targets[0]).split())

    def _run_here(self, *arguments: object) -> None:
        """Run a command in this process."""
        sys.argv = ["edgeorbit", *map(str, arguments)]
        said = io.StringIO()
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(said):
            try:
                self.main()
            except SystemExit as stop:
                if stop.code:
                    raise RuntimeError(f"a valid example failed: {sys.argv}: {said.getvalue()}") from None

    def run_case(self, case_tree: Tree, arguments: list[str], directory: Path) -> tuple[Outcome, Problem | None]:
        """Run a case in an empty directory, and judge it."""
        write_tree(case_tree, directory)
        before = listing(directory)
        outcome = run_command(self.main, arguments, directory)
        problem = judge(outcome, arguments, before, listing(directory))
        empty(directory)
        return outcome, problem

    def make_case(self, kind: str, seed: int, number: int) -> Case:
        """Return the case of this number."""
        return make_case(random.Random(f"{seed} {kind} {number}"), self.kinds[kind])

    def run_chunk(self, kind: str, seed: int, numbers: range) -> Report:
        """Run some cases of a kind."""
        report = Report(kind, Counter(), [])
        with tempfile.TemporaryDirectory(dir=fast_place(), prefix="attack-") as place:
            make = partial(self.make_case, kind, seed)
            for number, code in run_batch(self.main, make, numbers, Path(place)):
                if code is not None:
                    report.codes[code] += 1
                    continue
                case = make(number)
                outcome, problem = self.run_case(case.tree, case.arguments, Path(place))
                report.codes[outcome.code] += 1
                if problem is not None:
                    report.findings.append(Finding(kind, number, case, problem, outcome))
        return report


def run_campaign(attack: Attack, seed: int, jobs: int, seconds: float, per_kind: int) -> Iterator[Report]:
    """Run cases of all kinds in turn until the time is up or there are enough of each; yield reports as they come."""
    deadline = time.monotonic() + seconds
    with ProcessPoolExecutor(jobs, multiprocessing.get_context("fork"), _begin, (attack,)) as pool:
        chunks = _chunks(list(attack.kinds), per_kind)
        running: set[Future[Report]] = set()
        while True:
            if time.monotonic() < deadline:
                for kind, numbers in itertools.islice(chunks, 2 * jobs - len(running)):
                    running.add(pool.submit(_run_chunk, kind, seed, numbers))
            if not running:
                return
            done, running = wait(running, return_when=FIRST_COMPLETED)
            for future in done:
                yield future.result()


def _chunks(kinds: list[str], per_kind: int) -> Iterator[tuple[str, range]]:
    for start in range(0, per_kind, CHUNK):
        for kind in kinds:
            yield kind, range(start, min(start + CHUNK, per_kind))


def _is_choosy(command: str) -> bool:
    """Tell whether a command works with some examples of its kind only."""
    return "--format" in command or "--columns" in command


_attack: Attack


def _begin(attack: Attack) -> None:
    global _attack  # noqa: PLW0603
    _attack = attack
    gc.freeze()


def _run_chunk(kind: str, seed: int, numbers: range) -> Report:
    return _attack.run_chunk(kind, seed, numbers)


def fast_place() -> str | None:
    """Return a directory in memory, where there is one."""
    return "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
