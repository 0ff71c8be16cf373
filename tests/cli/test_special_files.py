"""Pipes and devices in the place of files get one sentence at once, in every command."""

import os
import shutil
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from edgeorbit.errors import GraphFormatError
from edgeorbit.experiments.tuning.settings_file import read_entries
from edgeorbit.experiments.tuning.storage import open_storage
from edgeorbit.training.checkpoint import read_tensors

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs named pipes and /dev/zero")

SENTENCE = "is not a regular file; save its content to a file first"
EDGES = "".join(f"{i},{j}\n" for i in range(40) for j in range(i + 1, 40) if (i * j + i + j) % 3 == 0)
EXPERIMENT = 'models = ["ra"]\nseeds = 1\n[[data]]\nname = "karate"\nsource = "karate"\nfeatures = ["degree"]\n'


@pytest.fixture(autouse=True)
def alarm() -> Iterator[None]:
    """End a test that waits for a pipe, or reads a device that has no end."""

    def stop(*_: object) -> None:
        raise TimeoutError("a pipe or a device was opened")

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(300)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.fixture(params=["pipe", "device"])
def special(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[str], Path]:
    """Return a function that puts a pipe or a device where a file should be."""

    def put(name: str) -> Path:
        path = tmp_path / name
        path.unlink(missing_ok=True)
        if request.param == "pipe":
            os.mkfifo(path)
        else:
            path.symlink_to("/dev/zero")
        return path

    return put


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a run, and beside it the graph that it was made from."""
    from edgeorbit.cli.main import main

    place = tmp_path_factory.mktemp("trained")
    (place / "links.csv").write_text(EDGES)
    arguments, sys.argv = (
        sys.argv,
        ["edgeorbit", "train", str(place / "links.csv"), "--model", "ra", "-o", str(place / "run")],
    )
    try:
        main()
    except SystemExit as stop:
        assert not stop.code
    finally:
        sys.argv = arguments
    return place


@pytest.fixture
def refuses(run) -> Callable[..., None]:
    """Run a command, and check that it ends with the sentence."""

    def check(*arguments: object, sentence: str = SENTENCE) -> None:
        ended = run(*arguments)
        assert ended.code == 2
        *read, refused = ended.err.splitlines()
        assert sentence in refused and len(read) <= 1  # what was read before, of a graph that is none of these

    return check


def test_graphs(refuses, special) -> None:
    for name in ("g.csv", "g.parquet", "g.npz"):
        for command in ("ear", "stats", "orbits"):
            refuses(command, special(name), *(("-o", special(name).with_name("o.csv")) if command == "orbits" else ()))
    refuses("ear", special("g.csv"), "--engine", "duckdb")


def test_features_and_colours(refuses, special, trained, tmp_path) -> None:
    links = trained / "links.csv"
    refuses("train", links, "--model", "ra", "--features-file", special("x.npz"), "-o", tmp_path / "run")
    refuses("ear", links, "--initial", special("colours"), sentence="neither a file nor one of")


def test_pairs(refuses, special, trained) -> None:
    refuses("predict", trained / "run", "--pairs", special("pairs.csv"))
    refuses("predict", trained / "run", "--exclude", special("pairs.csv"))


@pytest.mark.parametrize(
    ("name", "sentence"), [("run.json", "is no run"), ("graph.npz", SENTENCE), ("split.npz", SENTENCE)]
)
def test_runs(refuses, special, trained, tmp_path, name, sentence) -> None:
    shutil.copytree(trained / "run", tmp_path / "run")
    special(f"run/{name}")
    refuses("evaluate", tmp_path / "run", sentence=sentence)


def test_tensors(special) -> None:
    with pytest.raises(GraphFormatError, match=SENTENCE):
        read_tensors(special("model.safetensors"), "train again")


@pytest.mark.parametrize("name", ["graph.json", "edges.parquet", "nodes.parquet"])
def test_cards(refuses, run, special, tmp_path, name) -> None:
    assert run("synth", "cycle", "--nodes", "9", "-o", tmp_path / "card").code == 0
    special(f"card/{name}")
    refuses("ear", tmp_path / "card", sentence="is missing" if name != "graph.json" else "without graph.json")


def test_experiments_and_results(refuses, special, tmp_path) -> None:
    refuses("bench", special("e.toml"))
    refuses("tune", "--from", special("e.toml"), "-o", tmp_path / "t.toml")
    (tmp_path / "e2.toml").write_text(EXPERIMENT)
    refuses("bench", tmp_path / "e2.toml", "-o", special("r.parquet"))
    refuses("report", special("r.parquet"), "-o", tmp_path / "r.html")
    (tmp_path / "e3.toml").write_text(f'tuned = "t.toml"\n{EXPERIMENT}')
    special("t.toml")
    refuses("bench", tmp_path / "e3.toml")


def test_searches(special) -> None:
    pytest.importorskip("optuna")
    for opened in (read_entries, open_storage):
        with pytest.raises(GraphFormatError, match=SENTENCE):
            opened(special("trials"))


@pytest.mark.parametrize(
    ("text", "sentence"),
    [("seeds = " + "9" * 5000, "is no TOML"), ("a = " + "[" * 20_000, "tables or lists are nested more than 100 deep")],
)
def test_toml_that_python_does_not_take(refuses, tmp_path, text, sentence) -> None:
    (tmp_path / "e.toml").write_text(text)
    refuses("bench", tmp_path / "e.toml", sentence=f"e.toml: {sentence}")
