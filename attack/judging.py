"""What is wrong with the end of a command, if anything is."""

import json
import re
from collections.abc import Mapping
from itertools import pairwise
from typing import NamedTuple

from attack.commands import MEMORY, Outcome

OUTPUT = ("-o", "--write")
CACHE = "out-cache"  # where commands put what they keep for the next time
LONGEST = 1600  # characters of a sentence; the package cuts them at 1,500
KEPT = ("/results.json", "/calibration.json")
UNFINISHED = ".edgeorbit-"
_FRAME = re.compile(r'File "[^"]*?(edgeorbit/[^"]*)", line (\d+)')
_NUMBERS = re.compile(r"\d+")

Listing = Mapping[str, bytes | None]


class Problem(NamedTuple):
    """What is wrong, in a few words that are the same for cases of one cause, and in detail."""

    name: str
    detail: str


def judge(outcome: Outcome, arguments: list[str], before: Listing, after: Listing) -> Problem | None:
    """Return what is wrong with a command that ended, or None."""
    if outcome.timed_out:
        return Problem("hang", f"still running after {outcome.seconds:.0f} s")
    if outcome.code < 0:
        return Problem(f"killed by signal {-outcome.code}", outcome.err)
    if "Traceback (most recent call last)" in outcome.err:
        return Problem(_traceback_name(outcome.err), outcome.err)
    if outcome.memory > MEMORY:
        return Problem("memory", f"{outcome.memory / 2**30:.1f} GB beyond the loaded code; {outcome.err}")
    if outcome.code not in (0, 2):
        return Problem(f"exit code {outcome.code}", outcome.err)
    return _judge_message(outcome, arguments) or _judge_files(outcome, arguments, before, after)


def _traceback_name(err: str) -> str:
    """Return the kind of exception and the last place of ours."""
    frames = _FRAME.findall(err)
    last = [line for line in err.splitlines() if line and not line[0].isspace()]
    kind = last[-1].split(":")[0][:60] if last else "?"
    return f"traceback {kind}" + (f" at {frames[-1][0]}:{frames[-1][1]}" if frames else "")


def _judge_message(outcome: Outcome, arguments: list[str]) -> Problem | None:
    """Look at what was printed."""
    if (found := _unprintable(outcome.err)) or (found := _unprintable(outcome.out)):
        return Problem("control characters on the terminal", f"{found!r} in {outcome.err or outcome.out!r}")
    if "Warning:" in outcome.err:
        first = next(line for line in outcome.err.splitlines() if "Warning:" in line)
        return Problem(f"warning {_NUMBERS.sub('N', first)[-80:]}", outcome.err)
    if outcome.code == 2:
        *notices, last = outcome.err.splitlines() or [""]
        if not last.startswith("edgeorbit: ") or any(not notice.endswith(".") for notice in notices):
            return Problem("not one sentence", outcome.err)
        if len(outcome.err) > LONGEST:
            return Problem("a very long sentence", outcome.err[:LONGEST])
        if "the machine's memory is not enough" in outcome.err:
            return Problem("memory error without a file", outcome.err)
        if outcome.out.strip():
            return Problem("results in spite of an error", outcome.out)
    elif "--json" in arguments:
        try:
            json.loads(outcome.out, parse_constant=_no_constant)
        except ValueError as error:
            return Problem("what is printed is not JSON", f"{error}: {outcome.out}")
    return None


def _unprintable(text: str) -> str:
    """Return the first character that may change a terminal."""
    return next((c for c in text if (c < " " and c not in "\n\r\t") or "\x7f" <= c < "\xa0" or c in "\u2028\u202e"), "")


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


def _judge_files(outcome: Outcome, arguments: list[str], before: Listing, after: Listing) -> Problem | None:
    """Look at what lies on the disk: a command that succeeds may write what an option names, and nothing else."""
    output = next((after.partition(".")[0] for option, after in pairwise(arguments) if option in OUTPUT), CACHE)
    allowed = (CACHE, output) if outcome.code == 0 else (CACHE,)
    new = sorted(after.keys() - before.keys())
    if outcome.code == 0:  # `evaluate` and `predict` keep what they measured in the run
        allowed = (*allowed, *(name for name in after if name.endswith(KEPT)))
    foreign = [name for name in new if UNFINISHED in name or not name.startswith(allowed)]
    if foreign:
        half = outcome.code and UNFINISHED not in foreign[0] and foreign[0].startswith(output)
        return Problem("half-written output" if half else "leftover file", f"{', '.join(foreign)}; {outcome.err}")
    for name, content in before.items():
        if after.get(name, ...) != content and not name.startswith(allowed):
            return Problem("changed input", f"{name}; {outcome.err}")
    return None
