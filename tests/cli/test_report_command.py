"""`edgeorbit report`: pages and tables of results by the ending of the file, and one sentence for what it cannot show."""

import re

import pyarrow as pa
import pyarrow.parquet
import pytest

from made_results import write_results


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    return write_results(tmp_path_factory.mktemp("made"), seeds=2, ears=(0.5, 1.0), models=["cn", "gcn", "eo-gnn"])


def test_several_outputs_are_written_by_their_endings(run, path, tmp_path) -> None:
    files = [tmp_path / f"r.{suffix}" for suffix in ("html", "md", "tex", "csv")]
    outcome = run("report", path, *(part for file in files for part in ("-o", file)))
    assert outcome.code == 0, outcome.err
    begins = [file.read_text(encoding="utf-8")[:8] for file in files]
    assert begins == ["<!doctyp", "# Made u", "% needs ", "experime"]
    assert outcome.err.count("Written to") == 4 and len(list(tmp_path.iterdir())) == 4


def test_results_and_their_file_give_the_same_tables(run, path, tmp_path) -> None:
    for source, name in ((path, "a.csv"), (path.with_suffix(".parquet"), "b.csv")):
        assert run("report", source, "-o", tmp_path / name).code == 0
    assert (tmp_path / "a.csv").read_text() == (tmp_path / "b.csv").read_text()


def test_a_pattern_is_put_in_order_and_an_order_of_ones_own_is_kept(run, path, tmp_path) -> None:
    for name, kind in (("a", "ablation"), ("b", "table")):
        (tmp_path / f"{name}.toml").write_text(f'kind = "{kind}"\n' + path.read_text().replace("Made", f"Made {name}"))
        (tmp_path / f"{name}.parquet").write_bytes(path.with_suffix(".parquet").read_bytes())
    alphabetical = [tmp_path / "a.toml", tmp_path / "b.toml"]
    for sources, first in ((alphabetical, "Made b"), (alphabetical[::-1], "Made b"), (alphabetical[:1], "Made a")):
        assert run("report", *sources, "-o", tmp_path / "r.csv").code == 0
        assert (tmp_path / "r.csv").read_text().splitlines()[1].startswith(first)
    (tmp_path / "a.toml").rename(tmp_path / "c.toml")
    (tmp_path / "a.parquet").rename(tmp_path / "c.parquet")
    assert run("report", tmp_path / "c.toml", tmp_path / "b.toml", "-o", tmp_path / "r.csv").code == 0
    assert (tmp_path / "r.csv").read_text().splitlines()[1].startswith("Made a")


def test_the_format_can_be_given_and_has_a_default_name(run, path, tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert run("report", path, "--format", "latex").code == 0
    assert (tmp_path / "report.tex").exists()
    assert run("report", path, "--format", "csv", "-o", "x.txt").code == 0
    assert (tmp_path / "x.txt").read_text().startswith("experiment,")


def test_one_model_is_held_against_all_others(run, path, tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert run("report", path, "--against", "gcn").code == 0
    page = (tmp_path / "report.md").read_text()
    assert page.startswith("# gcn against all others\n") and f"`edgeorbit report {path} --against gcn`" in page
    assert "| graph | gcn | ahead of it | next behind it |" in page


def test_a_graph_has_a_page_of_its_own(run, tmp_path) -> None:
    outcome = run("report", "karate", "-o", tmp_path / "k.html", "--rounds", 2)
    assert outcome.code == 0, outcome.err
    page = (tmp_path / "k.html").read_text(encoding="utf-8")
    assert page.lower().startswith("<!doctype html>") and "78 links" in page and "EAR@2" in page


def test_the_features_of_a_data_set_are_seen(run, data_dir, tmp_path) -> None:
    outcome = run("report", "cora", "-o", tmp_path / "c.html", "--data-dir", data_dir)
    assert outcome.code == 0, outcome.err
    page = (tmp_path / "c.html").read_text(encoding="utf-8")
    assert "no features" not in page and "The features tell links from non-links" in page


def test_a_parquet_file_of_links_is_a_graph(run, tmp_path) -> None:
    pyarrow.parquet.write_table(pa.table({"source": [0, 1, 2], "target": [1, 2, 3]}), tmp_path / "g.parquet")
    outcome = run("report", tmp_path / "g.parquet", "-o", tmp_path / "g.html")
    assert outcome.code == 0, outcome.err
    assert "3 links" in (tmp_path / "g.html").read_text(encoding="utf-8")


def test_the_columns_of_a_file_can_be_chosen_and_stand_in_the_commands(run, tmp_path) -> None:
    calls = "".join(f"{100 + n},{n % 7},{n % 5},30\n" for n in range(20))
    (tmp_path / "calls.txt").write_text("id,caller,callee,sec\n" + calls)
    reading = ["--columns", "caller,callee", "--input-format", "edgelist"]
    outcome = run("report", tmp_path / "calls.txt", "-o", tmp_path / "c.html", *reading)
    assert outcome.code == 0, outcome.err
    page = (tmp_path / "c.html").read_text(encoding="utf-8")
    assert "7 nodes" in page and re.search(r"--columns\W.*caller,callee", page)


def test_what_cannot_be_shown_is_one_sentence(run, path, tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "text.parquet").write_text("no table")
    (tmp_path / "broken.toml").write_text("title = ")
    (tmp_path / "file").write_text("")
    (tmp_path / "new.toml").write_text(path.read_text())
    empty = pa.table({name: pa.array([], pa.string()) for name in ("key", "data", "model", "seed", "negatives")})
    pyarrow.parquet.write_table(empty, tmp_path / "empty.parquet")
    for arguments, sentence in (
        (["text.parquet"], "text.parquet"),
        (["broken.toml"], "broken.toml"),
        (["missing.toml"], "there is no such file"),
        (["new.toml"], "run edgeorbit bench new.toml first"),
        (["empty.parquet"], "run edgeorbit bench"),
        (
            [path, "--format", "word"],
            "there is no format 'word'; choose from html, markdown, latex, csv (--input-format: of a graph)",
        ),
        ([path, "-o", "r.docx"], "the ending must be one of .html"),
        ([path, "-o", "not/there/r.html"], "create the directory first"),
        ([path, "--figures", "file"], "is a file; give the name of a directory"),
        ([path, "--rounds", "2"], "--rounds is for a graph"),
        ([path, "--columns", "a,b"], "--columns is for a graph"),
        ([path, "--input-format", "csv"], "--input-format is for a graph"),
        ([path, "--against", "gcn", "-o", "r.html"], "--against writes Markdown alone; give -o FILE.md"),
        ([path, "--against", "nobody"], "there are no results of 'nobody'; choose from"),
        (["karate", "--against", "gcn"], "--against is for results"),
        ([path, "karate"], "one graph"),
        (["karate", "-o", "k.csv"], "the page of a graph is HTML"),
    ):
        outcome = run("report", *arguments)
        assert outcome.code == 2 and sentence in outcome.err.replace("\n", " "), (arguments, outcome)
        assert len(outcome.err.strip().splitlines()) == 1 and "Traceback" not in outcome.err
    assert not list(tmp_path.glob("r*")) and not (tmp_path / "not").exists()
