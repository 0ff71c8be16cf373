"""Control-C: exit code 130 and no traceback, wherever a command is."""

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

# Interrupts itself when a module is loaded, or runs a line; then C code may make another error of the interruption.
PROGRAM = """
import os, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
{prepare}
sys.argv = ["edgeorbit", *{arguments!r}]
from edgeorbit.cli.main import main
sys.exit(main())
"""
WHILE_LOADING = """
class Finder:
    def find_spec(name, path=None, target=None):
        if name == {module!r}:
            sys.meta_path.remove(Finder)
            try:
                os.kill(os.getpid(), signal.SIGINT)
                import time; time.sleep(1)
            except KeyboardInterrupt as error:
                {then}
sys.meta_path.insert(0, Finder)
"""
WHILE_DELETING = """
class Deleted:
    def __del__(self):
        os.kill(os.getpid(), signal.SIGINT)
        import time; time.sleep(1)
import edgeorbit.cli.console as console
def load_numba_quickly():
    Deleted()
    import time; time.sleep(5)
console.load_numba_quickly = load_numba_quickly
"""


def end_of(prepare: str, *arguments: str) -> "subprocess.CompletedProcess[str]":
    """Return how a command ends."""
    program = PROGRAM.format(prepare=prepare, arguments=arguments)
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False, timeout=300)


@pytest.mark.parametrize(
    ("module", "then"),
    [
        ("typer", "raise"),
        ("numba", 'raise ImportError("numpy failed") from error'),
        ("torch", 'raise RuntimeError("lost")'),
        ("torch_geometric.nn", "raise"),
    ],
)
def test_while_modules_are_loaded(tmp_path: Path, module: str, then: str) -> None:
    pytest.importorskip("torch_geometric")
    prepare = WHILE_LOADING.format(module=module, then=then)
    ended = end_of(prepare, "train", "karate", "--model", "gcn", "-o", str(tmp_path / "run"))
    assert (ended.returncode, ended.stdout, ended.stderr.strip()) == (130, "", "")
    assert not any(tmp_path.iterdir())


def test_while_an_object_is_deleted() -> None:
    ended = end_of(WHILE_DELETING, "ear", "karate")
    assert ended.returncode == 130 and "ignored" not in ended.stderr and "Traceback" not in ended.stderr


def test_a_command_that_is_done_stays_done() -> None:
    ended = end_of("", "ear", "karate", "--json")
    assert ended.returncode == 0 and ended.stderr == ""


@pytest.mark.parametrize("seconds", [0.0, 0.3, 0.8])
def test_the_processes_of_a_bench_show_no_traceback_while_they_load(tmp_path: Path, seconds: float) -> None:
    pytest.importorskip("torch_geometric")
    experiment = tmp_path / "e.toml"
    experiment.write_text(
        'models = ["gcn"]\nseeds = 2\n[training]\nepochs = 100000\npatience = 100000\n[[data]]\nsource = "karate"\n'
    )
    program = PROGRAM.format(prepare="", arguments=["bench", str(experiment), "--jobs", "2"])
    errors = tmp_path / "errors"
    with errors.open("w") as file:
        bench = subprocess.Popen([sys.executable, "-c", program], stderr=file, start_new_session=True)
    while list(Path("/proc").glob(f"{bench.pid}/task/*/children")) and not has_spawned(bench.pid):
        assert bench.poll() is None
        time.sleep(0.01)
    time.sleep(seconds)
    os.killpg(bench.pid, signal.SIGINT)
    assert bench.wait(60) == 130
    assert "Traceback" not in errors.read_text() and not (tmp_path / "e.parquet").exists()


def has_spawned(pid: int) -> bool:
    """Tell whether a process has children of its own program, which load it now."""
    for task in Path(f"/proc/{pid}/task").iterdir():
        with suppress(OSError):  # it ends meanwhile
            for child in (task / "children").read_text().split():
                if b"spawn_main" in Path(f"/proc/{child}/cmdline").read_bytes():
                    return True
    return False
