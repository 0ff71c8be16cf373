"""The command: `python -m attack [--seconds N] [--cases N] [--seed N] [--kind NAME] [--jobs N] [--keep DIR]`."""

import argparse
import os
import random
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from attack.campaign import Attack, Finding, Tally, run_campaign
from attack.findings import keep_finding, read_case

KEPT = 2  # cases that are kept of each problem


def main() -> int:
    """Attack, or run a kept finding again; return 1 if anything was found."""
    options = _options()
    if options.replay is not None:
        return _replay(options.replay)
    print(f"seed {options.seed}", flush=True)
    attack = Attack(options.kind)
    begun = time.monotonic()
    tally = Tally({kind: Counter() for kind in attack.kinds})
    first: list[Finding] = []
    for report in run_campaign(attack, options.seed, options.jobs, options.seconds, options.cases):
        tally.codes[report.kind] += report.codes
        for finding in report.findings:
            problem = (finding.kind, finding.problem.name)
            tally.problems[problem] += 1
            if tally.problems[problem] == 1:
                print(f"{finding.kind} {finding.number}: {finding.problem.name}", flush=True)
            if tally.problems[problem] <= KEPT:
                first.append(finding)
    _print_tally(tally, time.monotonic() - begun)
    for finding in first:
        print(f"{finding.problem.name}: kept in {keep_finding(attack, finding, options.keep)}", flush=True)
    return 1 if tally.problems else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m attack", description=sys.modules["attack"].__doc__)
    parser.add_argument("--seconds", type=float, default=300, help="how long; default: 300")
    parser.add_argument("--cases", type=int, default=1 << 60, help="the most cases of a kind; default: no bound")
    parser.add_argument(
        "--seed", type=int, default=random.SystemRandom().randrange(10**6), help="of all random choices"
    )
    parser.add_argument("--kind", action="append", help="a kind of input; can be repeated; default: all")
    parser.add_argument(
        "--jobs", type=int, default=os.cpu_count(), help="processes side by side; default: one per core"
    )
    parser.add_argument(
        "--keep",
        type=Path,
        default=Path(tempfile.gettempdir(), "attack"),
        help="where findings go; default: %(default)s",
    )
    parser.add_argument("--replay", type=Path, metavar="DIR", help="run a kept finding again")
    return parser.parse_args()


def _print_tally(tally: Tally, seconds: float) -> None:
    print(f"\n{'kind':12}{'cases':>9}{'read':>9}{'refused':>9}{'findings':>9}")
    for kind, codes in tally.codes.items():
        found = sum(count for (name, _), count in tally.problems.items() if name == kind)
        print(f"{kind:12}{codes.total():>9,}{codes[0]:>9,}{codes[2]:>9,}{found:>9,}")
    cases, found = tally.cases(), tally.problems.total()
    print(f"{'all':12}{cases:>9,}{'':18}{found:>9,}\n{cases:,} cases in {seconds:.0f} s\n")
    for (kind, name), count in tally.problems.most_common():
        print(f"{count:>7,}  {kind}: {name}")


def _replay(place: Path) -> int:
    """Run a kept finding again and print how it ends."""
    tree, arguments = read_case(place)
    attack = Attack([])
    with tempfile.TemporaryDirectory() as directory:
        outcome, problem = attack.run_case(tree, arguments, Path(directory))
    print(outcome.out + outcome.err)
    print(f"exit code {outcome.code}, {outcome.seconds:.1f} s, {outcome.memory >> 20} MB: {problem and problem.name}")
    return int(problem is not None)


if __name__ == "__main__":
    sys.exit(main())
