"""What commands say while they work: once, and now and then."""

import json

from numba.core import event

from edgeorbit.cli import console


def test_compiling_is_announced_once_per_installation(monkeypatch, tmp_path, capsys) -> None:
    monkeypatch.setenv("EDGEORBIT_CACHE", str(tmp_path / "cache"))
    for expected in (1, 0, 0):
        with console.working("refining"), event.trigger_event("numba:compile"), event.trigger_event("numba:compile"):
            pass
        assert capsys.readouterr().err.count("once per installation") == expected
    monkeypatch.setenv("EDGEORBIT_CACHE", "/dev/null/nowhere")  # where no note can be kept
    with console.working("refining"), event.trigger_event("numba:compile"):
        pass
    assert capsys.readouterr().err.count("once per installation") == 1


def test_without_a_terminal_long_work_writes_a_line_now_and_then(monkeypatch, capsys) -> None:
    clock = [0.0]
    monkeypatch.setattr(console.time, "monotonic", lambda: clock[0])
    with console.progress_bar("reading e.csv") as bar:
        for second in range(1, 101):
            clock[0] = float(second)
            bar(second, 100)
    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == "reading e.csv: 11 %, 89 s left." and 5 <= len(lines) <= 10
    with console.progress_bar("short") as bar:
        clock[0] += 9
        bar(1, 2)
    with console.progress_bar("own log", log=False) as bar:
        clock[0] += 90
        bar(1, 2)
    assert capsys.readouterr().err == ""


def test_of_several_files_the_good_are_reported_and_the_bad_listed(run, tmp_path) -> None:
    good, bad = tmp_path / "good.csv", tmp_path / "bad.csv"
    good.write_text("tag,payer,payee\n1,a,b\n2,b,c\n")
    bad.write_text("kunde,ort,filiale\n" + "".join(f"k{i % 3},o{i % 4},f{i % 5}\n" for i in range(9)))
    outcome = run("ear", good, bad, "prism", "missing.csv")
    assert outcome.code == 2 and "good" in outcome.out and "prism" in outcome.out
    read, *refused, last = outcome.err.splitlines()
    assert read.startswith(f"{good}: edge list with a header, node ids from payer and payee (by name), ignored: tag;")
    assert "--columns kunde,ort" in refused[0] and "missing.csv: no such file" in refused[1]
    assert last == "edgeorbit: 2 of 4 graphs could not be read; the others are above"
    found = json.loads(run("stats", good, bad, "--json").out)
    assert found[0]["read"]["columns"] == ["payer", "payee"] and "--columns" in found[1]["error"]


def test_weights_are_named_where_they_play_no_part(run, tmp_path) -> None:
    path = tmp_path / "e.csv"
    path.write_text("u,v,w,t\n" + "".join(f"{i},{i * i % 41},{i},{i}\n" for i in range(60)))
    trained = run("train", path, "--model", "ra", "--weight", "w", "--time", "t", "-o", tmp_path / "run")
    assert trained.code == 0 and "weights from w, times from t" in trained.err and "Weights are not" not in trained.err
    assert "split time" in trained.out
    path.write_text(path.read_text().replace("t\n", "day\n", 1))
    audited = run("audit", path, "--model", "orbit-density", "--weight", "w", "--checks", "test links")
    assert "Weights are not used here." in audited.err
