"""Queries in steps and in slices, as little memory needs them, give what they give at once."""

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from edgeorbit.engines import _refinement as refinement
from edgeorbit.engines import measure
from edgeorbit.engines._database import MOST_SLICES, WHOLE, Slice
from edgeorbit.engines._duckdb import DuckDB, OutOfMemoryError
from edgeorbit.errors import LimitExceededError
from engines.partitions import assert_by_definition, assert_same_partition, read_colours
from engines.test_conformance import some_of_everything
from oracles import tree_edges


@pytest.fixture
def short_of_memory(monkeypatch):
    """Let DuckDB make every step apart, and a slice that is not small enough end half written."""

    def begin(is_small):
        copy, made = DuckDB._copy, []

        def copy_or_stop(self, query, file):
            count = int(file.stem.split("-of-")[1]) if "-of-" in file.name else 1
            can_be_cut = count > 1 or "TRUE" in query
            if can_be_cut and not is_small(count):
                file.write_bytes(b"half a table")
                raise OutOfMemoryError("too small")
            if can_be_cut:
                made.append(count)
            copy(self, query, file)

        monkeypatch.setattr(DuckDB, "_copy", copy_or_stop)
        monkeypatch.setattr(DuckDB, "fits", lambda self, rows: False)
        return made

    return begin


def by_chance(seed):
    """Slices of any size may or may not be small enough, so that those of a table are of unlike sizes."""
    draws = random.Random(seed)
    return lambda count: count >= 8 or draws.random() < 0.6


SMALL_ENOUGH = {"all": lambda count: True, "quarters": lambda count: count >= 4, "by chance": by_chance(1)}


@given(cuts=st.lists(st.integers(0, 50), max_size=12))
def test_slices_however_cut_have_every_key_once(cuts) -> None:
    slices = [WHOLE]
    for cut in cuts:
        slices += slices.pop(cut % len(slices)).halves()
    keys = np.arange(1 << 12)
    assert (sum((keys % one.count == one.number).astype(int) for one in slices) == 1).all()


@pytest.mark.parametrize(("small_enough", "rounds"), [("all", None), ("quarters", None), ("by chance", 2)])
def test_steps_and_slices_give_the_same_partition(edges_file, tmp_path, short_of_memory, small_enough, rounds) -> None:
    made = short_of_memory(SMALL_ENOUGH[small_enough])
    pairs, target, work = some_of_everything(), tmp_path / "colours.parquet", tmp_path / "work"
    found = measure(edges_file(pairs), "duckdb", rounds, tail_memory=0, colours=target, work=work)
    assert_by_definition(found, read_colours(target), pairs, rounds)
    assert set(made) == {"all": {1}, "quarters": {4}}.get(small_enough, set(made))
    assert len(set(made)) > 1 or small_enough != "by chance"
    assert list(work.iterdir()) == []


def test_the_end_in_memory_reads_tables_of_slices(edges_file, tmp_path, monkeypatch, short_of_memory) -> None:
    """Nodes leave the tables before the end in memory begins, so that what it reads was written in slices."""
    short_of_memory(SMALL_ENOUGH["quarters"])
    monkeypatch.setattr(refinement, "memory_of_refinement", lambda nodes, edges: edges)
    pairs, target = tree_edges(60, seed=2), tmp_path / "colours.parquet"
    found = measure(edges_file(pairs), "duckdb", tail_memory=40, colours=target)
    assert 0 < len(found.seconds_by_round) < found.rounds
    assert_by_definition(found, read_colours(target), pairs, None)


def test_sorted_lists_may_be_made_in_slices(edges_file, tmp_path, monkeypatch, short_of_memory) -> None:
    short_of_memory(SMALL_ENOUGH["quarters"])
    monkeypatch.setattr(DuckDB, "hashes", lambda self, column, salts: ("0", "0"))
    pairs, target = tree_edges(30, seed=2), tmp_path / "colours.parquet"
    found = measure(edges_file(pairs), "duckdb", tail_memory=0, colours=target)
    assert_by_definition(found, read_colours(target), pairs, None)


@pytest.mark.parametrize("initial", [None, "degree"])
def test_text_ids_may_be_numbered_in_slices(tmp_path, short_of_memory, initial) -> None:
    short_of_memory(SMALL_ENOUGH["quarters"])
    source, target = tmp_path / "friends.csv", tmp_path / "colours.parquet"
    source.write_text("from,to\nann,bob\nbob,cid\ncid,dan\nbob,ann\neve,eve\n")
    found = measure(source, "duckdb", initial=initial, tail_memory=0, colours=target)
    assert_same_partition(read_colours(target), {"ann": 0, "dan": 0, "bob": 1, "cid": 1, "eve": 2})
    assert (found.num_nodes, found.merged_edges, found.self_loops) == (5, 1, 1)


LISTS = """
SELECT node, list(text) AS texts FROM (SELECT i % 64 AS node, repeat('x', 200) || i AS text FROM range(250000) t(i)) r
WHERE {which} GROUP BY node
"""


def test_a_query_that_ends_for_want_of_memory_is_made_in_slices(tmp_path) -> None:
    """Few long lists are what DuckDB cannot spill: no row is lost, none is there twice, and the next table knows."""
    database = DuckDB(tmp_path / "spill", memory_limit=60_000_000, threads=1)
    with pytest.raises(LimitExceededError, match="a memory limit of 60MB is too small for this graph"):
        database.write(tmp_path / "lists-1.parquet", LISTS.format(which="node >= 0"))
    assert list(tmp_path.glob("lists*")) == []
    for number in (2, 3):
        table = tmp_path / f"lists-{number}.parquet"
        database.write(table, LISTS.format(which="in_slice(node)"))
        database.define("lists", [table])
        found = database.fetch("SELECT count(*), count(DISTINCT node), sum(len(texts)) FROM lists")
        assert found == (64, 64, 250_000)
    sizes = {int(file.stem.split("-of-")[1]) for file in table.iterdir()}
    assert len(sizes) == 1 and sizes != {1}, "the second table was not begun with the slices that the first one needed"


def test_rows_of_all_slices_have_numbers_of_their_own(tmp_path, short_of_memory) -> None:
    short_of_memory(by_chance(2))
    database = DuckDB(tmp_path)
    database.write(
        tmp_path / "t.parquet", f"SELECT i, {database.row_id()} AS id FROM range(999) t(i) WHERE in_slice(i)"
    )
    database.define("numbered", [tmp_path / "t.parquet"])
    assert database.fetch("SELECT count(*), count(DISTINCT i), count(DISTINCT id), min(id) FROM numbered") == (
        999,
        999,
        999,
        0,
    )


def test_a_query_that_cannot_be_cut_is_made_once_whatever_others_of_its_name_needed(tmp_path, short_of_memory) -> None:
    short_of_memory(SMALL_ENOUGH["quarters"])
    database = DuckDB(tmp_path)
    for number, condition in enumerate(("in_slice(i)", "i >= 0")):
        database.write(tmp_path / f"t-{number}.parquet", f"SELECT i FROM range(99) t(i) WHERE {condition}")
        database.define("t", [tmp_path / f"t-{number}.parquet"])
        assert database.fetch("SELECT count(*) FROM t") == (99,)


def test_slices_do_not_become_ever_more(tmp_path, short_of_memory) -> None:
    tried = []
    short_of_memory(tried.append)
    with pytest.raises(OutOfMemoryError):
        DuckDB(tmp_path).write(tmp_path / "t.parquet", "SELECT i FROM range(9) t(i) WHERE in_slice(i)")
    assert tried[-1] == MOST_SLICES


def test_steps_are_apart_only_where_they_do_not_fit(tmp_path) -> None:
    database = DuckDB(tmp_path / "spill", memory_limit=100_000_000)
    for rows, written in ((1000, False), (10**6, True)):
        with database.steps({"one": "SELECT 1 AS x", "two": "SELECT x + 1 AS x FROM one"}, rows):
            assert database.fetch("SELECT x FROM two") == (2,)
            assert bool(list(tmp_path.rglob("*.parquet"))) == written
    assert list(tmp_path.rglob("*.parquet")) == []


def test_a_slice_names_its_keys_and_its_rows() -> None:
    query = "SELECT u, slice() + slices() FROM e WHERE in_slice(e.u, v)"
    assert Slice(8, 5).of(query) == "SELECT u, 5 + 8 FROM e WHERE (hash(e.u, v) >> 24) % 8 = 5"
