"""Exact orbits without igraph: one sentence that names the extra, in every command that has --exact."""

import sys
from pathlib import Path

import pytest

from edgeorbit.cli.main import main
from edgeorbit.data import load_graph
from edgeorbit.errors import MissingExtraError
from edgeorbit.orbits.exact import _bliss as bliss
from edgeorbit.orbits.exact import exact_orbits

BROKEN = 'raise ImportError("libxml2.so.2: cannot open shared object file")\n'


@pytest.fixture(params=["missing", "broken", "broken, in a process of its own"])
def without_igraph(request, tmp_path, monkeypatch) -> None:
    if request.param == "missing":
        monkeypatch.setitem(sys.modules, "igraph", None)
        return
    (tmp_path / "igraph.py").write_text(BROKEN)
    monkeypatch.delitem(sys.modules, "igraph", raising=False)
    monkeypatch.syspath_prepend(tmp_path)
    if "process" in request.param:
        monkeypatch.setattr(bliss, "NODES_SEARCHED_HERE", 0)


def test_the_extra_is_named(without_igraph) -> None:
    with pytest.raises(MissingExtraError, match=r"need igraph, which .*; run: pip install 'edgeorbit\[exact\]'"):
        exact_orbits(load_graph("shrikhande"))


@pytest.mark.parametrize("command", [["ear"], ["orbits", "-o", "orbits.csv"]])
def test_every_command_says_so(without_igraph, command, capsys, monkeypatch, tmp_path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.argv", ["edgeorbit", *command, "shrikhande", "--exact"])
    with pytest.raises(SystemExit) as stop:
        main()
    assert stop.value.code == 2 and "edgeorbit[exact]" in capsys.readouterr().err
    assert not Path("orbits.csv").exists()
