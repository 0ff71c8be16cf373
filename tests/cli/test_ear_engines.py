"""`edgeorbit ear --engine ...`: the same numbers, clean JSON, and one sentence for every mistake."""

import json
import os
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from edgeorbit.engines import _sources as sources
from edgeorbit.engines import _spark_session as spark_session


@pytest.fixture
def links(tmp_path):
    path = tmp_path / "links.csv"
    path.write_text("source,target\nann,bob\nbob,cid\ncid,dan\nbob,ann\ndan,dan\n")
    return path


def test_duckdb_prints_the_numbers_of_memory(run, links) -> None:
    found = json.loads(run("ear", links, "--engine", "duckdb", "--memory-limit", "200MB", "--json").out)
    expected = json.loads(run("ear", links, "--json").out)
    assert (found.pop("engine"), found.pop("colours_by_round"), found.pop("seconds_by_round")) == ("duckdb", [1, 2], [])
    del expected["ear_by_round"]
    read, expected_read = found.pop("read"), expected.pop("read")
    assert read["columns"] == expected_read["columns"] and read["rows"] == expected_read["rows"]
    assert found == expected


def test_columns_that_nobody_fills_are_left_out(run, links, monkeypatch) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    heads = [run("ear", links, "--engine", engine).out.splitlines() for engine in ("memory", "duckdb")]
    assert ["EAR@2" in "".join(lines[:4]) for lines in heads] == [True, False]


def test_the_table_and_the_progress_are_apart(run, links) -> None:
    outcome = run("ear", links, "--engine", "duckdb", "--rounds", "1")
    assert outcome.code == 0
    assert "2 of 3 links (66.7 %) have a look-alike" in outcome.out
    assert "round 1, 2 colours" in outcome.err and "round" not in outcome.out.splitlines()[-1]


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
def test_colours_are_written(run, links, tmp_path, engine) -> None:
    target = tmp_path / "colours.parquet"
    assert run("ear", links, "--engine", engine, "--colours", target).code == 0
    colours = dict(zip(*(pq.read_table(target).column(name).to_pylist() for name in ("node", "colour")), strict=True))
    assert colours["ann"] == colours["dan"] != colours["bob"] == colours["cid"]


def test_a_work_directory_is_left_empty(run, links, tmp_path) -> None:
    assert run("ear", links, "--engine", "duckdb", "--work", tmp_path / "work", "--spill", tmp_path / "s").code == 0
    assert list((tmp_path / "work").iterdir()) == []


def test_a_choice_other_than_memory_is_said(run, tmp_path) -> None:
    for number in (1, 2):
        pq.write_table(pa.table({"source": [number], "target": [number + 1]}), tmp_path / f"{number}.parquet")
    outcome = run("ear", tmp_path / "*.parquet", "--json")
    assert json.loads(outcome.out)["engine"] == "duckdb"
    assert "2 files: using the engine duckdb." in outcome.err


def test_a_graph_that_does_not_fit_is_refused_with_the_command_that_works(run, links, monkeypatch) -> None:
    monkeypatch.setattr(sources, "available_memory", lambda: 1 << 10)
    outcome = run("ear", links, "--engine", "memory")
    assert outcome.code == 2
    assert f"use edgeorbit ear {links} --engine duckdb" in outcome.err
    outcome = run("ear", links, "--json")
    assert json.loads(outcome.out)["engine"] == "duckdb"


def no_pyspark(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyspark", None)


def no_java(monkeypatch):
    pytest.importorskip("pyspark")
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", "")


def lost_java_home(monkeypatch):
    pytest.importorskip("pyspark")
    monkeypatch.setenv("JAVA_HOME", os.devnull)


@pytest.mark.parametrize(
    ("lack", "sentence"),
    [
        (no_pyspark, "the engine spark needs pyspark; pip install 'edgeorbit[spark]'"),
        (no_java, "the engine spark needs Java 17 or newer and there is none on the path"),
        (lost_java_home, "there is none in JAVA_HOME"),
    ],
)
def test_what_spark_lacks_is_named(run, links, monkeypatch, lack, sentence) -> None:
    lack(monkeypatch)
    outcome = run("ear", links, "--engine", "spark")
    assert (outcome.code, outcome.out) == (2, "")
    assert sentence in outcome.err and outcome.err.count("\n") == 1


def test_a_master_that_does_not_answer_gets_one_sentence(run, links, tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(spark_session, "require_spark", lambda: None)
    outcome = run("ear", links, "--engine", "spark", "--master", "spark://127.0.0.1:1", "--work", tmp_path / "w")
    assert outcome.code == 2
    assert "spark://127.0.0.1:1: the master did not answer within 10 seconds" in outcome.err
    assert outcome.err.count("\n") == 1


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--engine", "duckdb", "--memory-limit", "1KB"], "a memory limit of 0.001MB is too small to start"),
        (["--engine", "duckdb", "--memory-limit", "much"], "'much' is no size of memory"),
        (["--engine", "duckdb", "--exact"], "--exact needs the whole graph in memory"),
        (["--engine", "duckdb", "--initial", "labels"], "starts from nodes that are all alike"),
        (["--engine", "duckdb", "--columns", "ann,tom"], "there is no column 'ann'"),
        (["--engine", "spark", "--master", "spark://127.0.0.1:1"], "give a work directory that driver and executors"),
        (["--spill", "x"], "--spill is for engines on tables; add --engine duckdb or --engine spark"),
        (["karate", "--colours", "x.parquet"], "--colours and --work are for one graph, not for 2"),
    ],
)
def test_mistakes_get_one_sentence_and_code_2(run, links, options, sentence) -> None:
    outcome = run("ear", links, *options)
    assert (outcome.code, outcome.out) == (2, "")
    assert sentence in outcome.err
    assert outcome.err.count("\n") == 1 and "Traceback" not in outcome.err


def test_a_parquet_file_without_two_columns_names_what_there_is(run, tmp_path) -> None:
    path: Path = tmp_path / "one.parquet"
    pq.write_table(pa.table({"only": [1, 2]}), path)
    outcome = run("ear", path, "--engine", "duckdb")
    assert outcome.code == 2 and "the only column is only; give two columns" in outcome.err


def test_a_name_that_is_no_file_is_refused(run) -> None:
    outcome = run("ear", "nowhere.parquet", "--engine", "duckdb")
    assert outcome.code == 2 and "nowhere.parquet: there is no such file" in outcome.err
