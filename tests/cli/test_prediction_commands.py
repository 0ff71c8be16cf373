"""`edgeorbit train`, `evaluate`, `predict` and `models`, from a file of links to the links that are missing."""

import csv
import json
import subprocess
import sys

import pyarrow.parquet as pq
import pytest

from edgeorbit.graph.toys import karate


@pytest.fixture
def links(tmp_path):
    path = tmp_path / "club.csv"
    rows = [f"member{u},member{v}" for u, v in karate().edges.tolist()]
    path.write_text("source,target\n" + "\n".join(rows) + "\n")
    return path


def test_from_a_file_to_missing_links_by_the_owners_names(run, links, tmp_path) -> None:
    output = tmp_path / "run"
    trained = run("train", links, "--model", "ra", "-o", output)
    assert trained.code == 0 and trained.out.startswith("protocol: split random, ratios 0.8 0.15 0.05, seed 0")
    found = json.loads(run("evaluate", output, "--json").out)
    assert {"auc", "ap", "mrr", "hits@10"} <= set(found["valid"]) & set(found["test"])
    assert run("predict", output, "--top", 20, "-o", tmp_path / "links.csv").code == 0
    rows = list(csv.DictReader((tmp_path / "links.csv").open()))
    known = {frozenset(row.values()) for row in csv.DictReader(links.open())}
    assert len(rows) == 20
    assert all(row["node_a"].startswith("member") for row in rows)
    assert not known & {frozenset([row["node_a"], row["node_b"]]) for row in rows}


def test_a_network_is_trained_and_goes_on_from_its_directory(run, links, tmp_path) -> None:
    pytest.importorskip("torch_geometric")
    arguments = [
        "train",
        links,
        "--model",
        "gcn",
        "--set",
        "epochs=5",
        "--set",
        "hidden_channels=8",
        "--threads",
        1,
        "-o",
        tmp_path / "run",
    ]
    first = json.loads(run(*arguments, "--json").out)
    again = json.loads(run(*arguments, "--json").out)
    assert first == again
    other = run(*arguments, "--seed", 1)
    assert other.code == 2 and "holds another run" in other.err
    assert run(*arguments, "--seed", 1, "--force").code == 0
    assert json.loads(run("predict", tmp_path / "run", "--top", 3, "--json").out)[0]["node_a"].startswith("member")
    refused = run("predict", tmp_path / "run", "--on", "karate")
    assert refused.code == 2 and "mean nothing on another graph" in refused.err


def test_pairs_of_a_file_are_scored_in_its_order(run, links, tmp_path) -> None:
    run("train", links, "--model", "cn", "-o", tmp_path / "run")
    pairs = tmp_path / "pairs.csv"
    pairs.write_text("source,target\nmember0,member33\nmember9,member11\n")
    rows = list(csv.DictReader(run("predict", tmp_path / "run", "--pairs", pairs).out.splitlines()))
    assert [(row["node_a"], row["node_b"], float(row["score"])) for row in rows] == [
        ("member0", "member33", 4.0),
        ("member9", "member11", 0.0),
    ]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("member0,nobody\n", "line 1: there is no node 'nobody'"),
        ("# mine\nmember0,member1\n\nmember0,nobody\n", "line 4: there is no node 'nobody' in club; check its"),
        ("a,b,from,to\nx,y,member0,nobody\n", "line 2: there is no node 'nobody'"),
        ("member0\n", "line 1: expected two node ids"),
        ("", "the file is empty"),
    ],
)
def test_bad_pairs_are_named_with_their_line(run, links, tmp_path, text: str, sentence: str) -> None:
    run("train", links, "--model", "cn", "-o", tmp_path / "run")
    (tmp_path / "pairs.csv").write_text(text)
    outcome = run("predict", tmp_path / "run", "--pairs", tmp_path / "pairs.csv", "--strict")
    assert outcome.code == 2 and sentence in outcome.err and outcome.err.count("\n") == 1


@pytest.mark.parametrize("suffix", [".csv", ".parquet", ".json"])
def test_pairs_have_any_header_and_unknown_nodes_are_listed_and_skipped(run, links, tmp_path, suffix) -> None:
    run("train", links, "--model", "cn", "-o", tmp_path / "run")
    pairs, output = tmp_path / "pairs.csv", tmp_path / f"scores{suffix}"
    pairs.write_text("Tag;Kunde;Partner\n1.2.2024;member0;member33\n2.2.2024;nobody;member1\n3.2.2024;member9;me\n")
    outcome = run("predict", tmp_path / "run", "--pairs", pairs, "--columns", "partner,kunde", "-o", output)
    assert outcome.code == 0
    assert "3 pairs from Partner and Kunde (as chosen), with a header; 2 skipped, whose nodes are not in club" in (
        outcome.err
    )
    assert "nobody, me." in outcome.err
    if suffix == ".parquet":
        found = pq.read_table(output).to_pylist()
    else:
        found = json.loads(output.read_text()) if suffix == ".json" else [*csv.DictReader(output.open())]
    assert [(row["node_a"], row["node_b"], float(row["score"])) for row in found] == [("member33", "member0", 4.0)]


def test_partners_of_a_node_without_pairs_that_are_excluded_or_no_candidates(run, links, tmp_path) -> None:
    run("train", links, "--model", "ra", "-o", tmp_path / "run")
    (tmp_path / "some.csv").write_text(
        "who,whom\nmember9,member11\nmember0,member33\nmember33,member9\nmember0,member1\n"
    )

    def predict(*arguments: object) -> list[frozenset]:
        found = json.loads(run("predict", tmp_path / "run", "--json", "--top", 1000, *arguments).out)
        return [frozenset((row["node_a"], row["node_b"])) for row in found]

    everything, scored = predict("--exact"), ["--candidates", tmp_path / "some.csv"]
    for node in ("member0", "member11"):
        assert predict("--for", node) == [pair for pair in everything if node in pair]
    among = [{"member0", "member33"}, {"member9", "member11"}]
    assert set(predict(*scored)) == set(map(frozenset, among))  # the others are edges
    assert predict(*scored, "--for", "member9") == [frozenset(among[1])]
    left = [pair for pair in everything if pair not in among]
    assert predict("--exact", "--exclude", tmp_path / "some.csv") == left
    refused = run("predict", tmp_path / "run", "--for", "nobody")
    assert refused.code == 2 and "there is no node 'nobody'" in refused.err


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["train", "karate", "--model", "katzz"], "did you mean katz"),
        (["train", "karat"], "did you mean karate"),
        (["train", "karate", "--model", "cn", "--set", "depth=3"], "no setting 'depth'"),
        (["train", "karate", "--model", "gcn", "--set", "hidden_channels=many"], "is a whole number"),
        (["train", "karate", "--model", "gcn", "--set", "hidden_channels"], "a name and a value"),
        (["train", "karate", "--metric", "luck"], "no metric 'luck'"),
        (["train", "karate", "--ratios", "a,b,c"], "three shares"),
        (["train", "karate", "--ratios", "nan,0.1,0.1"], "three shares that add up to 1"),
        (["train", "karate", "--ratios", "-0.5,1,0.5"], "three shares that add up to 1"),
        (["train", "karate", "--negatives", "luck"], "choose from random, heart, orbit"),
        (["train", "karate", "--negatives", "official"], "choose from random, heart, orbit"),
        (["train", "karate", "--model", "gcn", "--set", "negatives=luck"], "'luck' are unknown"),
        (["train", "path8"], "too few to split"),
        (["train", "syn-cora"], "to make it, give edgeorbit synth syn-cora -o DIR, and then DIR in its place"),
        (["train", "barabasi-albert"], "others are made by edgeorbit synth"),
    ],
)
def test_bad_training_gets_one_sentence_and_leaves_nothing(run, tmp_path, arguments, sentence: str) -> None:
    outcome = run(*arguments, "-o", tmp_path / "run")
    assert outcome.code == 2 and sentence in outcome.err and outcome.err.count("\n") == 1
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--top", 0], "top must be a whole number from 1, not 0"),
        (["-o", "nowhere/links.csv"], "nowhere/links.csv: there is no directory nowhere; create it first"),
        (["-o", "links.txt"], "the ending must be .csv, .parquet or .json"),
        (["--strict"], "--strict is about files of pairs"),
        (["--for", "member0", "--exact"], "--for only some"),
        (["--pairs", "pairs.csv", "--for", "member0"], "so does --for; leave one of them out"),
        (["-o", "links.json", "--spreadsheet-safe"], "--spreadsheet-safe is for CSV"),
        (["--pairs", "pairs.csv", "--exact"], "leave one of them out"),
        (["--pairs", "pairs.csv"], "pairs.csv: there is no such file"),
        (["--features-from", "cora"], "with --on only"),
        (["--columns", "a,b"], "with --on only"),
        (["--json", "-o", "links.csv"], "leave one of them out"),
        (["--on", "karate", "--training-edges-only"], "another graph has no training edges"),
    ],
)
def test_bad_predictions_get_one_sentence(run, links, tmp_path, monkeypatch, arguments, sentence: str) -> None:
    monkeypatch.chdir(tmp_path)
    run("train", links, "--model", "cn", "-o", "run")
    outcome = run("predict", "run", *arguments)
    assert outcome.code == 2 and sentence in outcome.err and outcome.err.count("\n") == 1


def test_features_of_another_graph_come_from_a_file(run, links, tmp_path) -> None:
    pytest.importorskip("torch_geometric")
    features = tmp_path / "features.csv"
    features.write_text("".join(f"member{i},{i % 3},{i % 5}\n" for i in range(34)))
    quick = [
        "--model",
        "gcn",
        "--set",
        "epochs=1",
        "--set",
        "hidden_channels=8",
        "--threads",
        1,
        "-o",
        tmp_path / "run",
    ]
    assert run("train", links, "--features-file", features, *quick).code == 0
    refused = run("predict", tmp_path / "run", "--on", links)
    assert refused.code == 2 and "give it a file of features" in refused.err
    pairs = tmp_path / "pairs.csv"
    pairs.write_text("member0,member33\nmember9,member11\n")
    own = run("predict", tmp_path / "run", "--pairs", pairs)
    other = run("predict", tmp_path / "run", "--pairs", pairs, "--on", links, "--features-file", features)
    assert own.code == other.code == 0 and own.out.count("\n") == 3 and own.out == other.out


def test_an_interrupted_run_says_how_to_go_on(run, links, tmp_path, monkeypatch) -> None:
    pytest.importorskip("torch_geometric")
    from edgeorbit.training.loop import Trainer

    def interrupt(trainer: Trainer) -> None:
        raise KeyboardInterrupt

    quick = [
        "--model",
        "gcn",
        "--set",
        "epochs=1",
        "--set",
        "hidden_channels=8",
        "--threads",
        1,
        "-o",
        tmp_path / "run",
    ]
    with monkeypatch.context() as patch:
        patch.setattr(Trainer, "train", interrupt)
        outcome = run("train", links, *quick)
    assert outcome.code == 130 and "give the same command again to resume" in outcome.err
    assert "training is not finished" in run("predict", tmp_path / "run").err
    assert run("train", links, *quick).code == 0
    assert run("predict", tmp_path / "run", "--top", 1).code == 0


def test_predicting_does_not_load_the_compiler_of_torch(links, tmp_path) -> None:
    pytest.importorskip("torch_geometric")
    program = (
        "import sys\n"
        "from edgeorbit.cli.main import main\n"
        "def run(*arguments):\n"
        "    sys.argv = ['edgeorbit', *arguments]\n"
        "    try: main()\n"
        "    except SystemExit as stop: assert not stop.code\n"
        "run('models')\n"
        "assert 'torch_geometric.nn' in sys.modules\n"
        "assert not {'sympy', 'pandas', 'torch._dynamo.eval_frame'} & set(sys.modules)\n"
        "import torch, torch_geometric.datasets\n"
        "assert torch_geometric.datasets.Planetoid and torch._dynamo.OptimizedModule\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True, stdout=subprocess.DEVNULL)


def test_damaged_runs_get_one_sentence(run, links, tmp_path) -> None:
    pytest.importorskip("torch_geometric")
    output = tmp_path / "run"
    run("train", links, "--model", "gcn", "--set", "epochs=5", "--set", "hidden_channels=8", "-o", output)
    weights = output / "model.safetensors"
    whole = weights.read_bytes()
    for damage, sentence in ((whole[:100], "is damaged"), (b"", "is damaged")):
        weights.write_bytes(damage)
        outcome = run("evaluate", output)
        assert outcome.code == 2 and sentence in outcome.err and outcome.err.count("\n") == 1
    weights.write_bytes(whole)
    info = json.loads((output / "run.json").read_text())
    (output / "run.json").write_text(json.dumps(info | {"model": "sage"}))
    assert "weights of another model" in run("evaluate", output).err
    (output / "run.json").write_text("{")
    assert "is damaged" in run("evaluate", output).err
    assert "is no run" in run("predict", tmp_path).err


def test_models_are_listed(run) -> None:
    names = [one["name"] for one in json.loads(run("models", "--json").out)]
    assert {"cn", "aa", "ra", "jaccard", "katz", "ppr", "mlp", "gcn", "sage"} <= set(names)
    assert "common neighbours" in run("models").out.lower()


def test_heart_on_citeseer_is_exact(run, data_dir, tmp_path) -> None:
    published = {"cn": (28.34, 8.42), "aa": (29.37, 10.82), "ra": (27.61, 10.84)}
    for name, values in published.items():
        output = tmp_path / name
        run("train", data_dir / "heart" / "citeseer", "--features-from", "citeseer", "--model", name, "-o", output)
        for kind, value in zip(("random", "heart"), values, strict=True):
            found = json.loads(run("evaluate", output, "--negatives", kind, "--no-backtest", "--json").out)
            assert round(100 * found["test"]["mrr"], 2) == value


def test_a_model_goes_to_another_graph_where_its_features_do(run, links, tmp_path) -> None:
    pytest.importorskip("torch_geometric")
    quick = [
        "--model",
        "gcn",
        "--set",
        "epochs=5",
        "--set",
        "hidden_channels=8",
        "--features",
        "degree",
        "-o",
        tmp_path / "run",
    ]
    assert run("train", links, *quick).code == 0
    found = json.loads(run("predict", tmp_path / "run", "--on", "petersen", "--top", 4, "--json").out)
    assert len(found) == 4 and all(0 <= int(row["node_a"]) < 10 for row in found)
    assert run("train", links, "--model", "aa", "-o", tmp_path / "aa").code == 0
    assert run("predict", tmp_path / "aa", "--on", "petersen", "--top", 4).code == 0


def test_a_full_disk_ends_a_run_with_one_sentence(links, tmp_path) -> None:
    pytest.importorskip("torch_geometric")
    program = (
        "import resource, signal, sys\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "from edgeorbit.training import loop\n"
        "loop.CHECKPOINT_SECONDS = 0.0\n"
        "from edgeorbit.cli.main import main\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (20000, 20000))\n"
        f"sys.argv = ['edgeorbit', 'train', {str(links)!r}, '-o', {str(tmp_path / 'run')!r}]\n"
        "main()\n"
    )
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert found.returncode == 2 and found.stderr.strip().endswith("free some space or choose another directory")
    assert "Traceback" not in found.stderr
    assert not any(entry.name.startswith(".edgeorbit") for entry in (tmp_path / "run").iterdir())
