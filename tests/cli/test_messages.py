"""What commands say while they work: once, and now and then."""

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
