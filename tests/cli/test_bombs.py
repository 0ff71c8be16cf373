"""Files that would fill the memory get one sentence and exit code 2, in 2 GB, whichever command reads them."""

import json
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from cli.bombs import MEGABYTE, gz, header, hole, mat, npz, other_texts, same_text, sign, zst
from cli.limited_commands import run_limited

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="limits on memory are those of Linux")

GIGABYTE = 1 << 30
EDGES = "".join(f"{i},{j}\n" for i in range(40) for j in range(i + 1, 40) if (i * j + i + j) % 3 == 0)
NODES = 40
TORCH_FILE = (
    "import sys, pathlib\n"
    "from edgeorbit.data.torch_arrays import read_torch_arrays\n"
    "from edgeorbit.errors import EdgeorbitError\n"
    "try: read_torch_arrays(pathlib.Path(sys.argv[1]))\n"
    "except EdgeorbitError as error: sys.exit(sys.stderr.write(f'edgeorbit: {error}\\n') and 2)\n"
)
BUILT: dict[str, Callable[[Path], Path]] = {
    "other-texts.parquet": lambda path: other_texts(path, 3000),
    "pairs.csv.gz": lambda path: gz(path, [b"1,2\n" * (4 * MEGABYTE)], 250),
    "labels.csv.zst": lambda path: zst(path, (f"{i},".rjust(MEGABYTE, "a").encode() + b"b\n" for i in range(3000))),
    "blank.csv.zst": lambda path: zst(path, [b"\n" * (64 * MEGABYTE)], 500),
    "edges.npz": lambda path: npz(path, {"edges": ((200 * MEGABYTE, 2), "<i8")}),
    "texts.npz": lambda path: npz(path, {"edges": ((1024, 2), f"<U{MEGABYTE // 2}")}),
    "matrix.npz": lambda path: npz(
        path,
        dict.fromkeys(("data", "indices"), ((200 * MEGABYTE,), "<i4")),
        format=b"csr",
        shape=(4, 4),
        indptr=[0, 0, 0, 0, 0],
    ),
    "isolated.npz": lambda path: npz(path, {}, edges=np.zeros((0, 2), int), num_nodes=2_000_000_000),
    "names.npz": lambda path: npz(
        path,
        {"indptr": ((32 * MEGABYTE,), "<i8"), "node_text_ends": ((32 * MEGABYTE,), "<i8")},
        edgeorbit=1,
        indices=np.zeros(0, np.int32),
        counts=[0, 0],
        node_text=np.zeros(0, np.uint8),
    ),
    "claims.npy": lambda path: hole(path, header((10**12, 2)), 1000),
    "hole.npy": lambda path: hole(path, header((100 * MEGABYTE, 2)), 2 * GIGABYTE),
    "zeros.npy.gz": lambda path: gz(path, [header((200 * MEGABYTE, 2)), *[bytes(16 * MEGABYTE)] * 200]),
    "sparse.mtx": lambda path: hole(
        path, b"%%MatrixMarket matrix coordinate pattern general\n2000000000 2000000000 0\n", 99
    ),
    "entries.mtx.gz": lambda path: gz(
        path,
        [
            b"%%MatrixMarket matrix coordinate pattern general\n4 4 2000000000\n",
            *[b"1 2\n" * (4 * MEGABYTE)] * 200,
        ],
    ),
    "dense.mtx.gz": lambda path: gz(
        path, [b"%%MatrixMarket matrix array real general\n2 2\n", *[b"0\n" * (8 * MEGABYTE)] * 200]
    ),
    "zeros.mat": lambda path: mat(path, 1500),
    "nodes.gml.gz": lambda path: gz(path, [b"graph [", *[b"node[id 12345]" * MEGABYTE] * 200, b"]"]),
    "nodes.graphml.gz": lambda path: gz(
        path,
        [
            b"<graphml><graph>",
            *("".join(f'<node id="{i}"/>' for i in range(k, k + 10**6)).encode() for k in range(0, 10**7, 10**6)),
        ],
    ),
    "edges.graphml.gz": lambda path: gz(
        path,
        [b'<graphml><graph><node id="a"/>', *[b'<edge source="a" target="a"/>' * (MEGABYTE // 2)] * 150],
    ),
    "name.graphml.zst": lambda path: zst(path, [b'<graphml><graph><node id="', *[b"a" * (64 * MEGABYTE)] * 50]),
    "hole.csv": lambda path: hole(path, b"1,2\n", 100 * GIGABYTE),
    "hole.gml": lambda path: hole(path, b"graph [", 10 * GIGABYTE),
}
FEATURES: dict[str, Callable[[Path], Path]] = {
    "wide.npz": lambda path: npz(path, {"x": ((NODES, MEGABYTE * 32), "<f4")}),
    "bytes.npz": lambda path: npz(path, {"x": ((NODES, MEGABYTE * 16), "<u1")}),
    "long.npz": lambda path: npz(path, {"x": ((MEGABYTE * 640,), "<f8")}),
    "sparse.npz": lambda path: npz(
        path,
        {"x_data": ((MEGABYTE * 256,), "<f4"), "x_indices": ((MEGABYTE * 256,), "<i4")},
        x_indptr=[0] * (NODES + 1),
        x_shape=[NODES, 4],
    ),
    "long.csv.gz": lambda path: gz(path, [b"1,2\n" * (4 * MEGABYTE)], 250),
    "wide.csv.gz": lambda path: gz(path, [b"1", *[b",2" * (8 * MEGABYTE)] * 60]),
    "same-text.parquet": lambda path: same_text(path, node=..., value=np.zeros(20_000)),
    "hole.npy": lambda path: hole(path, header((NODES, MEGABYTE * 64)), 21 * GIGABYTE),
}


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a graph, a run on it, a synthetic graph and an experiment with a result."""
    directory = tmp_path_factory.mktemp("bombs")
    (directory / "links.csv").write_text(EDGES)
    for command in (
        ("train", directory / "links.csv", "--model", "ra", "-o", directory / "run"),
        ("synth", f"syn-{directory / 'links.csv'}", "-o", directory / "card"),
    ):
        ended = run_limited(*command)
        assert ended.code == 0, ended.err
    return directory


@pytest.fixture
def copy_of(place: Path, tmp_path: Path) -> Callable[[str], Path]:
    """Return a directory of that place, to be changed."""
    return lambda name: Path(shutil.copytree(place / name, tmp_path / name))


def check_refused(*arguments: object, names: str, **options: str) -> None:
    ended = run_limited(*arguments, **options)
    assert ended.code == 2, ended
    *read, refused = ended.err.splitlines()
    assert len(read) <= 1 and refused.startswith("edgeorbit: ")  # what was read before, of another file
    assert names in ended.err and len(ended.err) < 700


@pytest.mark.parametrize("name", BUILT)
def test_graphs(tmp_path: Path, name: str) -> None:
    check_refused("ear", "--engine", "memory", BUILT[name](tmp_path / name), names=name)


def test_a_long_text_in_every_row_is_held_once(tmp_path: Path) -> None:
    path = same_text(tmp_path / "same-text.parquet")
    assert path.stat().st_size < 2000
    ended = run_limited("ear", "--engine", "memory", path)
    assert ended[0] == 0 and "20,000 rows" in ended[1]


@pytest.mark.parametrize("name", FEATURES)
def test_features(place: Path, tmp_path: Path, name: str) -> None:
    path = FEATURES[name](tmp_path / name)
    check_refused(
        "train", place / "links.csv", "--model", "ra", "--features-file", path, "-o", tmp_path / "run", names=name
    )
    assert not (tmp_path / "run").exists()


def test_runs(copy_of: Callable[[str], Path]) -> None:
    run = copy_of("run")
    whole = {file.name: file.read_bytes() for file in run.iterdir()}
    huge = ((128 * MEGABYTE, 2), "<i8")
    with np.load(run / "split.npz") as arrays:
        split = dict(arrays)
    for key in ("valid", "valid_kind", "negatives/random/test"):
        others = {name: array for name, array in split.items() if name != key}
        if "/" in key:
            others |= {"negatives/random/valid": split["valid"], "negatives/random/info": np.array("{}")}
        npz(run / "split.npz", {key: huge}, **others)
        check_refused("evaluate", run, names="split.npz")
    (run / "split.npz").write_bytes(whole["split.npz"])
    npz(run / "graph.npz", {"edges": huge})
    check_refused("predict", run, names="graph.npz")
    (run / "graph.npz").write_bytes(whole["graph.npz"])
    hole(run / "run.json", whole["run.json"], 3 * GIGABYTE)
    check_refused("evaluate", run, names="run.json")
    (run / "run.json").write_bytes(whole["run.json"])
    hole(run / "results.json", b"{", 3 * GIGABYTE)
    check_refused("report", run, "-o", run.with_name("r.html"), names="results.json")
    assert run_limited("evaluate", run) == (0, "")  # which writes it again


@pytest.mark.parametrize("beginning", [b"", b'{"op_code": 0'])
def test_journals_of_trials(tmp_path: Path, beginning: bytes) -> None:
    pytest.importorskip("optuna")
    journal = hole(tmp_path / "a.journal", beginning, 3 * GIGABYTE)
    command = ("tune", "karate", "--model", "katz", "--storage", journal, "-o", tmp_path / "tuned.toml")
    check_refused(*command, names="a.journal")


def test_cards(copy_of: Callable[[str], Path]) -> None:
    card = copy_of("card")
    whole = {file.name: file.read_bytes() for file in card.iterdir()}
    same_text(card / "edges.parquet", source=np.zeros(20_000, int), target=np.ones(20_000, int), kind=...)
    sign(card)
    check_refused("ear", card, names="edges.parquet")
    (card / "edges.parquet").write_bytes(whole["edges.parquet"])
    npz(card / "features.npz", {"x": ((2 * NODES, 8 * MEGABYTE), "<f4")})
    described = json.loads(whole["graph.json"])
    (card / "graph.json").write_text(json.dumps(described | {"sha256": described["sha256"] | {"features.npz": ""}}))
    sign(card)
    check_refused("train", card, "--model", "ra", "-o", card.with_name("other"), names="features.npz")
    hole(card / "graph.json", whole["graph.json"], 3 * GIGABYTE)
    check_refused("ear", card, names="graph.json")


def test_pairs_and_colours(place: Path, tmp_path: Path) -> None:
    pairs = gz(tmp_path / "pairs.csv.gz", [b"1,2\n" * (4 * MEGABYTE)], 250)
    check_refused("predict", place / "run", "--pairs", pairs, names="pairs.csv.gz")
    colours = zst(
        tmp_path / "colours.zst",
        ("".join(f"{i},r\n" for i in range(k, k + 10**6)).encode() for k in range(0, 10**7, 10**6)),
    )
    check_refused("ear", place / "links.csv", "--initial", colours, names="colours.zst")


def test_experiments_results_and_settings(tmp_path: Path) -> None:
    check_refused("bench", hole(tmp_path / "e.toml", b"title = 'a'\n", 3 * GIGABYTE), names="e.toml")
    rows = 20_000
    given = {"seed": np.zeros(rows, int), **dict.fromkeys(("key", "data", "model", "negatives"), ...)}
    check_refused(
        "report", same_text(tmp_path / "r.parquet", rows, **given), "-o", tmp_path / "r.html", names="r.parquet"
    )
    (tmp_path / "f.toml").write_text('tuned = "tuned.toml"\nmodels = ["ra"]\n[[data]]\nsource = "karate"\n')
    hole(tmp_path / "tuned.toml", b"", 3 * GIGABYTE)
    check_refused("bench", tmp_path / "f.toml", names="tuned.toml")


def test_splits_of_heart(tmp_path: Path) -> None:
    for part, text in (("train", "0 1\n1 2\n2 3\n"), ("valid", "0 2\n1 3\n"), ("test", "0 3\n1 4\n")):
        (tmp_path / f"{part}_pos.txt").write_text(text)
    for part in ("valid", "test"):
        hole(tmp_path / f"heart_{part}_samples.npy", header((2, 128 * MEGABYTE, 2)), 5 * GIGABYTE)
    command = ("train", tmp_path, "--model", "ra", "--split", "official", "-o", tmp_path / "run")
    check_refused(*command, names="heart_valid_samples.npy")
    hole(tmp_path / "test_pos.txt", b"0 1\n", 3 * GIGABYTE)
    check_refused("ear", tmp_path, names="test_pos.txt")


def test_raw_files(tmp_path: Path) -> None:
    (tmp_path / "planetoid").mkdir()
    from edgeorbit.data.registry import DATASETS

    for relative in DATASETS["cora"].files.values():
        (tmp_path / relative).parent.mkdir(parents=True, exist_ok=True)
        hole(tmp_path / relative, b"", 3 * GIGABYTE)
    check_refused("ear", "cora", "--data-dir", tmp_path, names="cora")


def test_files_of_torch(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    import zipfile

    torch.save({"edge": torch.zeros((64 * MEGABYTE, 2))}, tmp_path / "plain.pt")
    with (
        zipfile.ZipFile(tmp_path / "plain.pt") as plain,
        zipfile.ZipFile(tmp_path / "a.pt", "w", zipfile.ZIP_DEFLATED, compresslevel=1) as packed,
    ):
        for member in plain.namelist():
            packed.writestr(member, plain.read(member))
    (tmp_path / "plain.pt").unlink()
    check_refused(tmp_path / "a.pt", code=TORCH_FILE, names="a.pt")
    torch.save({"edge": torch.zeros(1, dtype=torch.int64).expand(10**9, 2)}, tmp_path / "b.pt")
    check_refused(tmp_path / "b.pt", code=TORCH_FILE, names="b.pt")
