"""`edgeorbit gallery`."""

import json
import sys

import pytest

from edgeorbit import ear
from edgeorbit.graph.families import grid, tree
from edgeorbit.graph.toys import lobster
from edgeorbit.report.gallery import FAMILIES, draw_family

FILES = ["cycle", "gallery", "lobster", "prism", "square-grids", "trees", "triangular-lattices"]


def test_all_pictures_are_written_with_the_ear_that_is_measured(run, tmp_path, monkeypatch) -> None:
    monkeypatch.setattr("edgeorbit.report.saving.RESOLUTION", 30)
    outcome = run("gallery", "-o", tmp_path / "new" / "gallery", "--json")
    found = json.loads(outcome.out)
    written = sorted((tmp_path / "new" / "gallery").iterdir())
    assert [file.name for file in written] == [f"{name}.png" for name in FILES]
    assert all(file.read_bytes().startswith(b"\x89PNG") for file in written)
    assert {found["page"], *(picture["file"] for picture in found["pictures"])} == {str(file) for file in written}
    ears = {panel["panel"]: panel["ear"] for picture in found["pictures"] for panel in picture["panels"]}
    assert ears["4 × 5 grid"] == ear(grid(4, 5)) and ears["balanced tree"] == ear(tree(2, 4))
    assert ears["a body of 3 nodes with 5 legs"] == ear(lobster())
    assert ears["a link dropped"] == pytest.approx(6 / 7) and ears["whole"] == ears["a node dropped"] == 1


def test_the_table_says_what_is_in_each_picture_and_a_missing_extra_is_told(run, tmp_path, monkeypatch) -> None:
    monkeypatch.setattr("edgeorbit.report.saving.RESOLUTION", 30)
    monkeypatch.setitem(sys.modules, "igraph", None)
    monkeypatch.setattr("edgeorbit.report.gallery.FAMILIES", FAMILIES[-2:])
    monkeypatch.setattr("edgeorbit.report.gallery.draw_gallery", lambda: draw_family("cycle"))
    outcome = run("gallery", "-o", tmp_path / "gallery")
    assert outcome.code == 0
    assert "cycle.png" in outcome.out and "EAR@2 = 0.8571" in outcome.out and "not found" in outcome.out
    assert "igraph" in outcome.err and outcome.err.count("\n") == 1


def test_directories_that_cannot_be_made_get_one_sentence(run, tmp_path) -> None:
    (tmp_path / "file").write_text("")
    for output, sentence in [("file", "is a file; give the name of a directory"), ("file/below", "cannot be written")]:
        outcome = run("gallery", "-o", tmp_path / output)
        assert outcome.code == 2 and sentence in outcome.err and outcome.err.count("\n") == 1
    assert (tmp_path / "file").read_text() == ""


def test_help_has_an_example(run) -> None:
    assert "edgeorbit gallery -o gallery/" in run("gallery", "--help").out
