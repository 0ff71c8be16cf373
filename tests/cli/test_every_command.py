"""A command of each kind: it works with everything installed, and without the extras works or names the missing one."""

import os
from pathlib import Path

import pytest

from cli.forked_commands import Command, ForkServer, fork_server
from edgeorbit.errors import EXTRA_OF
from made_results import write_results

REPOSITORY = Path(__file__).parents[2]
RESULTS = REPOSITORY / "experiments" / "two-copies.parquet"

# Python loads it at every start, in the processes that a command starts, too.
HIDE = f"""
import sys
from importlib.machinery import PathFinder

class Hiding(PathFinder):
    @classmethod
    def find_spec(cls, name, path=None, target=None):
        return None if name.partition(".")[0] in {set(EXTRA_OF)} else PathFinder.find_spec(name, path, target)

sys.meta_path[sys.meta_path.index(PathFinder)] = Hiding
"""
TINY = 'title = "Tiny"\nmodels = {}\nseeds = 1\n[training]\nepochs = 2\n[[data]]\nname = "karate"\nsource = "karate"\n'

PYG = "pip install 'edgeorbit[pyg]'"
BOOST = "pip install 'edgeorbit[boost]'"
EXACT = "pip install 'edgeorbit[exact]'"
NEEDS = {  # by command, what its sentence says without extras; nothing if it works
    "ear karate --json": "",
    "ear prism --exact": EXACT,
    "orbits karate -o {out}/orbits.parquet": "",
    "stats karate": "",
    "draw karate -o {out}/karate.png": "",
    "gallery -o {out}/gallery": "",
    "expressiveness two-copies-joined --models cn,ra": "",
    "expressiveness two-copies-joined --models gcn,ra": f"gcn needs torch; {PYG}",
    "theory complexity karate --trials 5": "",
    "theory c8": "",
    "theory distances karate --draws 2 --weights 1": f"this command needs torch; {PYG}",
    "theory lobster --seeds 1 --epochs 2": f"gcn needs torch; {PYG}",
    f"theory curve {RESULTS.with_name('ear-curve.parquet')}": f"needs torch; {PYG}",
    "synth syn-karate --edges 20 -o {out}/graph": "",
    "datasets": "",
    "models": "",
    "models --json": "",
    "train karate -o {out}/run": "",
    "train karate --model ra -o {out}/run": "",
    "train karate --model orbit-boost --set trees=5 -o {out}/run": f"orbit-boost needs lightgbm; {BOOST}",
    "train karate --model gcn --set epochs=2 -o {out}/run": f"gcn needs torch; {PYG}",
    "evaluate {given}/ra": "",
    "evaluate {given}/orbit-boost": f"orbit-boost needs lightgbm; {BOOST}",
    "evaluate {given}/gcn": f"gcn needs torch; {PYG}",
    "predict {given}/ra --top 3": "",
    "predict {given}/orbit-boost --top 3": f"orbit-boost needs lightgbm; {BOOST}",
    "predict {given}/gcn --top 3": f"gcn needs torch; {PYG}",
    "audit karate --model ra": "",
    "audit karate --model gcn": f"gcn needs torch; {PYG}",
    "bench {given}/heuristic.toml -o {out}/results.parquet": "",
    "bench {given}/network.toml -o {out}/results.parquet": f"gcn needs torch; {PYG}",
    "bench {given}/heuristic.toml -o {out}/tracked.parquet --track {out}/tracked": "pip install 'edgeorbit[mlflow]'",
    "report karate -o {out}/graph.html": "",
    "report {given}/made.parquet -o {out}/results.html": "",
    f"report {RESULTS} -o {{out}}/results.md": f"needs torch; {PYG}",
    "tune karate --model gcn --trials 1 --epochs 2 -o {out}/tuned.toml": f"tuning needs optuna; {BOOST}",
    "demo": "",
    "demo --picture {out}/demo.png": "pip install 'edgeorbit[boost,pyg]'",
}


@pytest.fixture(scope="module")
def given(tmp_path_factory) -> Path:
    """Runs, experiment files, and results without one."""
    from edgeorbit.prediction import LinkPredictor

    place = tmp_path_factory.mktemp("given")
    for name, training in (("ra", None), ("orbit-boost", None), ("gcn", {"epochs": 2})):
        LinkPredictor(name, training=training).fit("karate", features="constant", output=place / name)
    (place / "heuristic.toml").write_text(TINY.format(["ra"]))
    (place / "network.toml").write_text(TINY.format(["gcn"]))
    write_results(place, seeds=2, ears=(0.5,), models=["cn", "gcn", "eo-gnn"]).unlink()
    return place


@pytest.fixture(scope="module")
def whole():
    for module in EXTRA_OF:
        pytest.importorskip(module)
    with fork_server("") as server:
        yield server


@pytest.fixture(scope="module")
def bare(tmp_path_factory):
    place = tmp_path_factory.mktemp("hiding")
    (place / "sitecustomize.py").write_text(HIDE)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", os.pathsep.join(filter(None, (str(place), os.environ.get("PYTHONPATH")))))
        with fork_server("") as server:
            yield server


def finish(server: ForkServer, command: str, given: Path, out: Path) -> tuple[int, Command]:
    arguments = command.format(given=given, out=out).split()
    environment = {"EDGEORBIT_OFFLINE": "1", "EDGEORBIT_CACHE": str(out / "cache")}
    started = server.start(out / "command", *arguments, environment=environment)
    return started.finish(300), started


@pytest.mark.parametrize(
    "command", [one for one in NEEDS if not one.startswith("demo")]
)  # tested elsewhere, trains long
def test_a_command_works_with_everything_installed(whole, given, tmp_path, command: str) -> None:
    code, finished = finish(whole, command, given, tmp_path)
    assert code == 0, finished.read("err")
    assert finished.read("out") or finished.read("err")


@pytest.mark.parametrize("command", NEEDS)
def test_a_command_works_without_extras_or_names_the_missing_one(bare, given, tmp_path, command: str) -> None:
    code, finished = finish(bare, command, given, tmp_path)
    said = finished.read("err")
    assert code == (2 if NEEDS[command] else 0), said
    assert NEEDS[command] in said and "Traceback" not in said
    if NEEDS[command]:
        assert said.splitlines()[-1].startswith("edgeorbit: ")
        left = {path.name for path in tmp_path.iterdir()} - {"cache", "command.out", "command.err", "command.code"}
        assert left == set()
