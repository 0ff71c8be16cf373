"""Spark and memory: large tables are divided into more parts, and too little of it is said in one sentence."""

import math

import pytest

from edgeorbit.engines import _spark as spark_database
from edgeorbit.engines import _spark_session as spark_session
from edgeorbit.engines import measure
from edgeorbit.engines._spark import PARTITIONS, Spark
from edgeorbit.errors import EdgeorbitError, LimitExceededError
from edgeorbit.graph.toys import karate

PARTS = 3


def test_the_parts_grow_with_the_tables_in_a_session_of_ours(spark, edges_file, tmp_path, monkeypatch) -> None:
    theirs = spark.conf.get(PARTITIONS)
    table = edges_file(karate().edges, "table/part.parquet").parent
    monkeypatch.setattr(spark_database, "PARTITION_BYTES", math.ceil((table / "part.parquet").stat().st_size / PARTS))
    database = Spark(spark, tmp_path, stops=False)
    assert database._session.conf.get(PARTITIONS) == theirs
    database.define("edges", [table])
    assert database._session.conf.get(PARTITIONS) == str(PARTS)
    assert spark.conf.get(PARTITIONS) == theirs


def test_the_parts_make_no_difference(spark, edges_file, monkeypatch) -> None:
    source, seen, fetch = edges_file(karate().edges), [], Spark.fetch

    def watch(self, query):
        seen.append(int(self._session.conf.get(PARTITIONS)))
        return fetch(self, query)

    monkeypatch.setattr(Spark, "fetch", watch)
    monkeypatch.setattr(spark_database, "PARTITION_BYTES", math.ceil(source.stat().st_size / PARTS))
    found, expected = measure(source, "spark", 1, session=spark), measure(source, "memory", 1)
    assert min(seen) == PARTS
    assert (found.ear, found.num_node_orbits, found.num_edges) == (expected.ear, expected.num_node_orbits, 78)


def test_a_number_of_parts_that_a_cluster_finds_by_itself_is_left_alone(tmp_path) -> None:
    class Session:
        conf: "Session"
        newSession = _jsparkSession = None  # noqa: N815

        def get(self, key: str) -> str:
            return "auto"

        def set(self, key: str, value: str) -> None:
            assert key != PARTITIONS

    Session.newSession = lambda self: self
    session = Session()
    session.conf = session
    Spark(session, tmp_path, stops=False)._divide(2**40)


@pytest.mark.parametrize(
    ("message", "kind", "sentence"),
    [
        (
            "Job aborted\n\tat x.y\nCaused by: java.lang.OutOfMemoryError: Java heap space",
            LimitExceededError,
            "ran out of memory; give it more .*SPARK_DRIVER_MEMORY=8g.*go on from the last complete round",
        ),
        (
            "An error occurred while calling o1.parquet.\n: a.B: Job aborted\nCaused by: c.D: x\n\tat y\nCaused by: e.F: lost",
            EdgeorbitError,
            r"Spark stopped \(e\.F: lost\)",
        ),
        ("[SOME_NAME] It is so.\nCaused by: x", EdgeorbitError, r"Spark stopped \(\[SOME_NAME\] It is so\.\)"),
        ("", EdgeorbitError, r"Spark stopped \(no reason given\)"),
    ],
)
def test_what_spark_says_becomes_a_sentence(spark, tmp_path, message, kind, sentence) -> None:
    from pyspark.errors import PySparkException

    with pytest.raises(kind, match=sentence) as caught, Spark(spark, tmp_path, stops=False)._one_sentence():
        raise PySparkException(message)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(("free", "given"), [(None, 2**30), (10**9, 2**30), (2**34, 2**33)])
def test_java_may_take_half_of_what_is_free_on_this_machine(monkeypatch, free, given) -> None:
    monkeypatch.setattr(spark_session, "available_memory", lambda: free)
    assert spark_session._local_memory() == given
