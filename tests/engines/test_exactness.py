"""Hash values may collide; results may not be wrong."""

import pytest

from edgeorbit.engines import _refinement as refinement
from edgeorbit.engines import measure
from edgeorbit.engines._duckdb import DuckDB
from edgeorbit.engines._spark import Spark
from engines.partitions import assert_by_definition, read_colours
from oracles import tree_edges

# Whether these collide does not depend on how colours are numbered.
WEAK = {
    "nothing": lambda self, column, salts: ("0", "0"),
    "the number of neighbours": lambda self, column, salts: ("1", "1"),
}


@pytest.fixture
def restarts(monkeypatch):
    """Counts how often a refinement began, once for each run and once more for each repair."""
    begun = []
    start = refinement.TableRefinement._start

    def counted(self):
        begun.append(self.state.by_lists)
        start(self)

    monkeypatch.setattr(refinement.TableRefinement, "_start", counted)
    return begun


@pytest.mark.parametrize("rounds", [None, 3])
@pytest.mark.parametrize("weak", WEAK)
def test_a_weak_hash_is_caught_and_repaired(edges_file, tmp_path, monkeypatch, restarts, weak, rounds) -> None:
    monkeypatch.setattr(DuckDB, "hashes", WEAK[weak])
    pairs = tree_edges(60, seed=2)
    found = measure(edges_file(pairs), "duckdb", rounds, tail_memory=0, colours=tmp_path / "colours")
    assert restarts == [False, True]
    assert_by_definition(found, read_colours(tmp_path / "colours"), pairs, rounds)


def test_good_hashes_need_no_repair(edges_file, restarts) -> None:
    measure(edges_file(tree_edges(60, seed=2)), "duckdb", tail_memory=0)
    assert restarts == [False]


def test_spark_catches_and_repairs_a_weak_hash(spark, edges_file, tmp_path, monkeypatch, restarts) -> None:
    monkeypatch.setattr(Spark, "hashes", WEAK["nothing"])
    pairs = tree_edges(9, seed=1)
    found = measure(edges_file(pairs), "spark", session=spark, tail_memory=0, colours=tmp_path / "colours")
    assert restarts == [False, True]
    assert_by_definition(found, read_colours(tmp_path / "colours"), pairs, None)


def test_a_colour_that_should_split_is_seen_by_counting(tmp_path) -> None:
    """A path of four nodes with one colour is not equitable, with two it is, with one seen by one node only it is not."""
    from edgeorbit.engines._queries import is_equitable

    database = DuckDB(tmp_path)
    database.define_as("edges", "SELECT * FROM (VALUES (0, 1), (1, 2), (2, 3)) t(u, v)")
    for colours, expected in (([0, 0, 0, 0], False), ([0, 1, 1, 0], True), ([0, 1, 1, 2], False), ([0, 1, 2, 3], True)):
        rows = ", ".join(f"({node}, {colour})" for node, colour in enumerate(colours))
        database.define_as("colours", f"SELECT * FROM (VALUES {rows}) t(node, c)")
        assert is_equitable(database, 4) == expected


@pytest.mark.parametrize("salts", [(12345, 67890), (5, 5), (0, 0)])
def test_the_two_hash_values_of_an_engine_have_nothing_in_common(tmp_path, salts) -> None:
    database = DuckDB(tmp_path)
    first, second = database.hashes("c", salts)
    database.define_as("h", f"SELECT {first} AS a, {second} AS b FROM range(3000) t(c)")
    differing, distinct = database.fetch(
        "SELECT sum(bit_count(xor(a, b))), count(DISTINCT a) + count(DISTINCT b) FROM h"
    )
    assert differing / (3000 * 64) == pytest.approx(0.5, abs=0.01)
    assert distinct == 6000
