"""What was found, kept in directories of its own: input files, command, output, and how to run it again."""

import json
import shlex
import tempfile
import time
from pathlib import Path

from attack.campaign import Attack, Finding, fast_place
from attack.trees import Special, Tree, write_tree

SECONDS = 5  # that making a case smaller may take


def keep_finding(attack: Attack, finding: Finding, directory: Path) -> Path:
    """Write a finding, made smaller if that is cheap, and return its directory."""
    tree = _smaller(attack, finding)
    place = directory / f"{finding.kind}-{finding.number}"
    (place / "input").mkdir(parents=True, exist_ok=True)
    write_tree({name: content for name, content in tree.items() if content is not Special.PIPE}, place / "input")
    pipes = [name for name, content in tree.items() if content is Special.PIPE]
    case = {"kind": finding.kind, "arguments": finding.case.arguments, "pipes": pipes, "damage": finding.case.damage}
    (place / "case.json").write_text(json.dumps(case, indent=2) + "\n")
    command = f"edgeorbit {shlex.join(finding.case.arguments)}"
    (place / "README.txt").write_text(
        f"{finding.problem.name}\n\n{finding.case.damage}\n\n"
        f"cd input && {command}\npython -m attack --replay {place}\n\n"
        f"exit code {finding.outcome.code}, {finding.outcome.seconds:.1f} s, "
        f"{finding.outcome.memory / 2**20:.0f} MB\n\n{finding.problem.detail}\n",
        errors="backslashreplace",
    )
    (place / "stdout.txt").write_text(finding.outcome.out, errors="backslashreplace")
    (place / "stderr.txt").write_text(finding.outcome.err, errors="backslashreplace")
    return place


def read_case(place: Path) -> tuple[Tree, list[str]]:
    """Return the input and the command of a finding."""
    case = json.loads((place / "case.json").read_text())
    tree: Tree = dict.fromkeys(case["pipes"], Special.PIPE)
    for path in (place / "input").rglob("*"):
        name = str(path.relative_to(place / "input"))
        if path.is_symlink():
            found = {"/dev/zero": Special.ZEROS, path.name: Special.LOOP}
            tree[name] = found.get(str(path.readlink()), Special.DANGLING)
        elif path.is_file():
            tree[name] = path.read_bytes()
        elif not any(path.iterdir()):
            tree[name] = Special.DIRECTORY
    return tree, case["arguments"]


def _smaller(attack: Attack, finding: Finding) -> Tree:
    """Leave out parts of the damaged file as long as the problem stays."""
    tree, target = dict(finding.case.tree), finding.case.target
    content = tree.get(target)
    if not isinstance(content, bytes):
        return tree
    deadline, size = time.monotonic() + SECONDS, len(content) // 2
    with tempfile.TemporaryDirectory(dir=fast_place()) as directory:
        while size and time.monotonic() + finding.outcome.seconds < deadline:
            start = 0
            while start < len(content) and time.monotonic() < deadline:
                shorter = content[:start] + content[start + size :]
                _, problem = attack.run_case(tree | {target: shorter}, finding.case.arguments, Path(directory))
                if problem is not None and problem.name == finding.problem.name:
                    content = shorter
                else:
                    start += size
            size //= 2
    return tree | {target: content}
