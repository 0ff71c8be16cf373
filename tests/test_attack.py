"""The fuzzer notices what it is there for, and finds nothing in a few damaged inputs of every kind."""

import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from attack import commands
from attack.commands import run_command
from attack.judging import judge
from attack.trees import listing

ROOT = Path(__file__).parent.parent


def fail():
    raise KeyError("a\nb")


def say_two_sentences():
    sys.stderr.write("edgeorbit: a\nb\n")
    sys.exit(2)


def say_nothing():
    sys.exit(2)


def say_much():
    sys.stderr.write(f"edgeorbit: found {'9' * 5000}\n")
    sys.exit(2)


def colour_the_terminal():
    sys.stderr.write("edgeorbit: node \x1b[31m is unknown\n")
    sys.exit(2)


def warn():
    sys.stderr.write("scoring.py:3: RuntimeWarning: divide by zero\n")


def print_no_json():
    print('{"ear": NaN}')


def leave_a_temporary_file():
    Path(".edgeorbit-0123.csv").write_text("half")


def leave_a_file_of_the_system():
    tempfile.mkstemp()


def write_half():
    Path("out.csv").write_text("half")
    sys.stderr.write("edgeorbit: input.csv: is damaged; make it again\n")
    sys.exit(2)


def write_elsewhere():
    Path("elsewhere.csv").write_text("whole")


def change_the_input():
    Path("input.csv").write_text("2,3\n")


def turn():
    while True:
        pass


def wait_for_nobody():
    time.sleep(1000)


def take_memory():
    bytearray(3 << 29)[:: 1 << 12] = b"1" * (3 << 17)


def crash():
    os.kill(os.getpid(), signal.SIGKILL)


@pytest.mark.parametrize(
    ("command", "problem"),
    [
        (fail, "traceback KeyError"),
        (say_two_sentences, "not one sentence"),
        (say_nothing, "not one sentence"),
        (say_much, "a very long sentence"),
        (colour_the_terminal, "control characters on the terminal"),
        (warn, "warning"),
        (print_no_json, "what is printed is not JSON"),
        (leave_a_temporary_file, "leftover file"),
        (leave_a_file_of_the_system, "leftover file"),
        (write_half, "half-written output"),
        (write_elsewhere, "leftover file"),
        (change_the_input, "changed input"),
        (turn, "hang"),
        (wait_for_nobody, "hang"),
        (take_memory, "memory"),
        (crash, "killed by signal 9"),
    ],
)
def test_a_command_that_ends_badly_is_a_finding(tmp_path, monkeypatch, command, problem):
    monkeypatch.setattr(commands, "CPU_SECONDS", 1 if command is turn else 60)
    monkeypatch.setattr(commands, "WALL_SECONDS", 1 if command is wait_for_nobody else 60)
    monkeypatch.setattr("attack.judging.MEMORY", 1 << 29)
    (tmp_path / "input.csv").write_text("1,2\n")
    before = listing(tmp_path)
    arguments = ["orbits", "input.csv", "-o", "out.csv", *(["--json"] if command is print_no_json else [])]
    outcome = run_command(command, arguments, tmp_path)
    found = judge(outcome, arguments, before, listing(tmp_path))
    assert found is not None and found.name.startswith(problem)


def write_and_succeed():
    Path("out.csv").write_text("whole")
    Path("out.nodes.csv").write_text("whole")
    print("{}")


def refuse():
    sys.stderr.write("edgeorbit: input.csv line 1: expected two node ids, found 'a'; give one edge per line\n")
    sys.exit(2)


@pytest.mark.parametrize("command", [write_and_succeed, refuse])
def test_success_and_one_sentence_are_no_findings(tmp_path, command):
    arguments = ["orbits", "input.csv", "-o", "out.csv", "--json"]
    outcome = run_command(command, arguments, tmp_path)
    assert judge(outcome, arguments, {}, listing(tmp_path)) is None


def test_a_few_damaged_inputs_of_every_kind_are_read_or_refused(tmp_path):
    command = [sys.executable, "-m", "attack", "--seed", "1", "--cases", "40", "--jobs", "1", "--keep", str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "\n400 cases in" in done.stdout
