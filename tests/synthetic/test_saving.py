"""Synthetic graphs on disk: whole or not at all, the same bytes every time, and nothing of the user's is lost."""

import hashlib
import json
import resource
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from edgeorbit import ear, ear_by_round
from edgeorbit.data import load_graph
from edgeorbit.errors import EdgeorbitError, GraphFormatError, InvalidParameterError
from edgeorbit.graph.directory import graphs_within
from edgeorbit.synthetic import make, make_card, save_graph, save_sweep, saving, sweep

FILES = {"edges.csv", "edges.parquet", "nodes.parquet", "graph.json"}


def content(directory: Path) -> dict[str, bytes]:
    return {str(path.relative_to(directory)): path.read_bytes() for path in directory.rglob("*") if path.is_file()}


@pytest.fixture(scope="module")
def graphs():
    """A small sweep."""
    return sweep("syn-karate", [0.3, 0.6], rounds=2, features="degree")


def test_a_card_tells_how_the_graph_was_made_and_what_it_is(tmp_path: Path, graphs) -> None:
    card = save_graph(graphs[0], tmp_path / "graph")
    stored = json.loads((tmp_path / "graph" / "graph.json").read_text())
    assert json.loads(json.dumps(card)).items() <= stored.items()
    graph = load_graph(tmp_path / "graph")
    import edgeorbit

    assert stored["package_version"] == edgeorbit.__version__
    assert stored["generator"] == "syn-karate" and stored["seed"] == 0 and stored["features"] == "degree"
    assert stored["parameters"]["of"] == "karate" and stored["parameters"]["inter"] == 0.1
    assert stored["ear"] == ear(graph) and stored["ear_by_round"] == ear_by_round(graph)
    assert stored["target"] == {"ear": 0.3, "rounds": 2, "dial": "auto", "reached": ear(graph, rounds=2)}
    assert stored["edge_kinds"] == graph.origin.kind_counts()
    assert (stored["num_nodes"], stored["num_edges"]) == (graph.num_nodes, graph.num_edges)
    assert stored["changes"]["after"]["edges"] == graph.num_edges
    for name, digest in stored["sha256"].items():
        assert digest == hashlib.sha256((tmp_path / "graph" / name).read_bytes()).hexdigest()
    assert set(stored["sha256"]) == FILES - {"graph.json"} | {"features.npz"}


def test_a_graph_that_was_read_is_written_again_as_it_was(tmp_path: Path, graphs) -> None:
    save_graph(graphs[1], tmp_path / "first")
    save_graph(load_graph(tmp_path / "first"), tmp_path / "second")
    first, second = content(tmp_path / "first"), content(tmp_path / "second")
    cards = [json.loads(files.pop("graph.json")) for files in (first, second)]
    assert first == second and cards[0] == cards[1]


def test_a_graph_without_an_origin_can_be_saved(tmp_path: Path) -> None:
    save_graph(load_graph("karate"), tmp_path / "karate")
    found = load_graph(tmp_path / "karate")
    assert found.num_edges == 78 and found.origin.kind_counts()["original"] == 78
    assert set(content(tmp_path / "karate")) == FILES


def test_numbers_of_numpy_are_no_hindrance(tmp_path: Path) -> None:
    graph = make("grid", rows=np.int64(6), seed=np.int64(1), swaps=np.int64(2), inter=np.float32(0))
    save_graph(graph, tmp_path / "graph")
    assert load_graph(tmp_path / "graph").origin.recipe["parameters"]["rows"] == 6


# Sweeps


def test_a_sweep_has_a_directory_for_every_target(tmp_path: Path, graphs) -> None:
    cards = save_sweep(graphs, tmp_path / "sweep")
    assert graphs_within(tmp_path / "sweep") == [tmp_path / "sweep" / name for name in ("ear-0.3", "ear-0.6")]
    for card, graph, path in zip(cards, graphs, graphs_within(tmp_path / "sweep"), strict=True):
        assert card == make_card(graph)
        assert np.array_equal(load_graph(path).indices, graph.indices)


def test_graphs_of_one_name_or_of_none_are_no_sweep(tmp_path: Path, graphs) -> None:
    with pytest.raises(InvalidParameterError, match=r"two graphs of the sweep are called ear-0\.3; name targets once"):
        save_sweep([graphs[0], graphs[0]], tmp_path / "sweep")
    with pytest.raises(
        InvalidParameterError, match="karate has no target EAR, so it belongs to no sweep; save it with"
    ):
        save_sweep([load_graph("karate")], tmp_path / "sweep")
    assert list(tmp_path.iterdir()) == []


# Directories that exist


def test_force_replaces_ours_stale_members_too_and_leaves_what_is_foreign(tmp_path: Path, graphs) -> None:
    out = tmp_path / "out"
    save_sweep(graphs, out)
    (out / "notes.txt").write_text("mine")
    (out / "ear-mine").mkdir()
    (out / "ear-mine" / "data").write_text("mine")
    with pytest.raises(EdgeorbitError, match="is not empty"):
        save_graph(graphs[0], out)
    save_sweep(graphs[1:], out, force=True)
    assert {path.name for path in out.iterdir()} == {"ear-0.6", "ear-mine", "notes.txt"}
    save_graph(graphs[0], out, force=True)
    assert {path.name for path in out.iterdir()} == FILES | {"features.npz", "ear-mine", "notes.txt"}
    save_graph(graphs[0].with_attributes(x=None), out, force=True)
    assert {path.name for path in out.iterdir()} == FILES | {"ear-mine", "notes.txt"}
    save_sweep(graphs, out, force=True)
    assert {path.name for path in out.iterdir()} == {"ear-0.3", "ear-0.6", "ear-mine", "notes.txt"}
    assert (out / "notes.txt").read_text() == (out / "ear-mine" / "data").read_text() == "mine"


@pytest.mark.parametrize("name", ["edges.csv", "graph.json", "features.npz"])
def test_force_never_takes_a_users_file_for_ours_by_its_name(tmp_path: Path, graphs, name: str) -> None:
    (tmp_path / name).write_text('{"links": []}' if name == "graph.json" else "ann,bob\n")
    before = content(tmp_path)
    with pytest.raises(EdgeorbitError, match=f"{name}: is in the way, and not all of it was written by edgeorbit"):
        save_graph(graphs[0], tmp_path, force=True)
    assert content(tmp_path) == before


def test_force_never_deletes_what_a_user_put_into_a_member(tmp_path: Path, graphs) -> None:
    save_sweep(graphs, tmp_path / "out")
    (tmp_path / "out" / "ear-0.3" / "results.json").write_text("hours of training")
    before = content(tmp_path)
    with pytest.raises(EdgeorbitError, match=r"ear-0\.3: is in the way"):
        save_sweep(graphs, tmp_path / "out", force=True)
    assert content(tmp_path) == before


# Failures


@pytest.mark.parametrize("problem", [KeyboardInterrupt, OSError(28, "No space left on device"), RuntimeError])
@pytest.mark.parametrize("old", [False, True])
def test_a_failure_in_the_middle_of_a_sweep_changes_nothing(tmp_path: Path, graphs, monkeypatch, problem, old) -> None:
    if old:
        save_sweep(graphs[:1], tmp_path / "a" / "out")
    before = content(tmp_path)
    write, calls = saving.write_directory, []

    def fail(*arguments: object) -> None:
        calls.append(write(*arguments))
        if len(calls) == 2:
            raise problem

    monkeypatch.setattr(saving, "write_directory", fail)
    with pytest.raises(EdgeorbitError if isinstance(problem, OSError) else problem):
        save_sweep(graphs, tmp_path / "a" / "out", force=True)
    assert len(calls) == 2 and content(tmp_path) == before
    assert old or list(tmp_path.iterdir()) == []


FULL_DISK = """
import resource, sys
import pyarrow.csv, pyarrow.parquet
from edgeorbit.cli.main import main
from edgeorbit.synthetic import make, save_graph
save_graph(make("syn-karate", features="random"), sys.argv[1] + "/warm")  # so that kernels are compiled
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]),) * 2)
sys.argv = ["edgeorbit", "synth", "syn-karate", "--ear", "0.3,0.6", "--features", "random", "-o", *sys.argv[3:]]
main()
"""


@pytest.mark.skipif(not hasattr(resource, "RLIMIT_FSIZE"), reason="this system has no limit on the size of files")
@pytest.mark.parametrize(("size", "arguments"), [(1000, ["new/deep"]), (10_000, ["old", "--force"])])
def test_a_disk_that_fills_up_gives_one_sentence_and_leaves_nothing(tmp_path: Path, graphs, size, arguments) -> None:
    save_sweep(graphs[:1], tmp_path / "old")
    before = content(tmp_path)
    program = [sys.executable, "-c", FULL_DISK, str(tmp_path), str(size), *arguments]  # in the edges; in the features
    done = subprocess.run(program, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert done.returncode == 2 and done.stdout == ""
    expected = f"edgeorbit: {arguments[0]}: cannot be written (File too large); free some space or choose"
    assert done.stderr.splitlines()[-1].startswith(expected) and "Traceback" not in done.stderr
    shutil.rmtree(tmp_path / "warm")
    assert content(tmp_path) == before and not (tmp_path / "new").exists()


KILLED = """
import os, signal, sys
from pathlib import Path
from edgeorbit.synthetic import make, save_graph
import edgeorbit.graph.directory as directory
graph = make("syn-karate", features="degree")
def die(*arguments, **options):
    os.kill(os.getpid(), signal.SIGKILL)
def rename(self, target, rename=Path.rename):
    return die() if self.name == "edges.parquet" else rename(self, target)
match sys.argv[2]:
    case "before the card":
        directory.json.dumps = die
    case "after the card":
        os.fsync = die
    case "between two files":
        Path.rename = rename
save_graph(graph, sys.argv[1], force=True)
"""


@pytest.mark.parametrize(
    ("moment", "name", "left"),
    [
        ("before the card", "new", "nothing"),
        ("after the card", "empty", "nothing"),
        ("after the card", "old", "the old graph"),
        ("between two files", "empty", "nothing"),
        ("between two files", "old", "nothing"),
    ],
)
def test_a_killed_process_leaves_no_half_directory_that_reads_as_a_graph(
    tmp_path: Path, graphs, moment: str, name: str, left: str
) -> None:
    if name == "empty":
        (tmp_path / name).mkdir()
    if name == "old":
        save_graph(graphs[0], tmp_path / name)
    done = subprocess.run([sys.executable, "-c", KILLED, tmp_path / name, moment], check=False)
    assert done.returncode == -signal.SIGKILL
    if left == "nothing":
        with pytest.raises((GraphFormatError, LookupError)):
            load_graph(tmp_path / name)
        assert graphs_within(tmp_path) == graphs_within(tmp_path / name) == []
    else:
        assert np.array_equal(load_graph(tmp_path / name).indices, graphs[0].indices)
        assert graphs_within(tmp_path) == [tmp_path / name]
