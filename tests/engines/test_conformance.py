"""All engines give the same partition, the same EAR and the same counts."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from edgeorbit.engines import measure
from edgeorbit.graph.families import path
from edgeorbit.graph.toys import karate, prism
from edgeorbit.measures.ear import measure as measure_graph
from engines.partitions import assert_by_definition, assert_same_partition, counts, read_colours
from oracles import grid_edges, tree_edges

node = st.integers(0, 12)
pair_lists = st.lists(st.tuples(node, node), min_size=1, max_size=30)
ON_TABLES, IN_THE_END_IN_MEMORY = 0, None


def some_of_everything():
    """A graph of many parts: random, tree, path, grid, two copies of one, prism; with repeats and self-loops."""
    rng = np.random.default_rng(5)
    copied = rng.integers(0, 15, (20, 2))
    parts = [
        rng.integers(0, 30, (40, 2)),
        tree_edges(25, seed=1),
        np.stack([np.arange(8), np.arange(1, 9)], axis=1),
        grid_edges(3, 5),
        copied,
        copied,
        prism().edges,
        np.array([[0, 0], [1, 1]]),
    ]
    shifted, start = [], 0
    for part in parts:
        shifted.append(part + start)
        start += int(part.max()) + 1
    edges = np.concatenate(shifted)
    return np.concatenate([edges, edges[::3, ::-1], edges[:5]])


@settings(max_examples=8)
@given(pairs=pair_lists, rounds=st.sampled_from([None, 0, 1, 2]), tail=st.sampled_from([0, None]))
def test_duckdb_agrees_with_the_definition(edges_file, tmp_path, pairs, rounds, tail) -> None:
    found = measure(edges_file(pairs), "duckdb", rounds, tail_memory=tail, colours=tmp_path / "colours.parquet")
    assert_by_definition(found, read_colours(tmp_path / "colours.parquet"), pairs, rounds)


@settings(max_examples=15)
@given(pairs=pair_lists, rounds=st.sampled_from([None, 0, 1, 2]))
def test_memory_agrees_with_the_definition(edges_file, tmp_path, pairs, rounds) -> None:
    found = measure(edges_file(pairs), "memory", rounds, colours=tmp_path / "colours.parquet")
    assert_by_definition(found, read_colours(tmp_path / "colours.parquet"), pairs, rounds)


@pytest.mark.parametrize(("rounds", "tail"), [(None, ON_TABLES), (2, ON_TABLES), (None, IN_THE_END_IN_MEMORY)])
def test_duckdb_agrees_on_some_of_everything(edges_file, tmp_path, rounds, tail) -> None:
    pairs = some_of_everything()
    found = measure(edges_file(pairs), "duckdb", rounds, tail_memory=tail, colours=tmp_path / "colours.parquet")
    assert_by_definition(found, read_colours(tmp_path / "colours.parquet"), pairs, rounds)


@pytest.mark.parametrize(("rounds", "tail"), [(None, ON_TABLES), (2, IN_THE_END_IN_MEMORY)])
def test_spark_agrees_on_some_of_everything(spark, edges_file, tmp_path, rounds, tail) -> None:
    pairs = some_of_everything()
    target = tmp_path / "colours"
    found = measure(edges_file(pairs), "spark", rounds, session=spark, tail_memory=tail, colours=target)
    assert_by_definition(found, read_colours(target), pairs, rounds)


@settings(max_examples=2)
@given(pairs=pair_lists)
def test_spark_agrees_on_dataframes_of_any_small_graph(spark, tmp_path_factory, pairs) -> None:
    target = tmp_path_factory.mktemp("spark") / "colours"
    frame = spark.createDataFrame(pairs, "src BIGINT, dst BIGINT")
    found = measure(frame, session=spark, colours=target)
    assert found.engine == "spark"
    assert_by_definition(found, read_colours(target), pairs, None)


@pytest.mark.parametrize("engine", ["memory", "duckdb", "spark"])
def test_text_ids_are_kept(request, tmp_path, engine) -> None:
    session = request.getfixturevalue("spark") if engine == "spark" else None
    source, target = tmp_path / "friends.csv", tmp_path / "colours"
    source.write_text("from,to,since\nann,bob,1\nbob,cid,2\ncid,dan,3\nbob,ann,4\neve,eve,5\n")
    found = measure(source, engine, session=session, colours=target)
    assert_same_partition(read_colours(target), {"ann": 0, "dan": 0, "bob": 1, "cid": 1, "eve": 2})
    assert (found.num_nodes, found.merged_edges, found.self_loops, found.graph) == (5, 1, 1, "friends")


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
@pytest.mark.parametrize("rounds", [None, 1])
def test_refinement_may_start_from_degrees(edges_file, engine, rounds) -> None:
    found = measure(edges_file(karate().edges), engine, rounds, initial="degree", tail_memory=0)
    expected = measure_graph(karate(), rounds=rounds, initial="degree")
    assert (found.ear, found.rounds, found.stable) == (expected.ear, expected.rounds, expected.stable)


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
@pytest.mark.parametrize("variant", ["multiset", "ordered"])
@pytest.mark.parametrize("graph", [karate(), path(6)], ids=["karate", "path"])
def test_gamma_and_variant_mean_the_same_on_every_engine(edges_file, engine, variant, graph) -> None:
    found = measure(edges_file(graph.edges), engine, gamma=0.5, variant=variant).as_dict()
    expected = measure_graph(graph, 0.5, variant=variant).as_dict() | {"graph": "edges"}
    assert expected.pop("ear_by_round") and found["engine"] == engine
    assert {name: found[name] for name in expected} == expected


def test_a_real_graph_of_millions_of_edges(data_dir, tmp_path) -> None:
    source: Path = data_dir / "snap" / "amazon-edges.csv.gz"
    found = [
        measure(source, engine, memory_limit="300MB", tail_memory=0, colours=tmp_path / engine)
        for engine in ("memory", "duckdb")
    ]
    assert counts(found[0]) == counts(found[1])
    assert found[1].num_edges > 2_000_000
    assert_same_partition(read_colours(tmp_path / "memory"), read_colours(tmp_path / "duckdb"))
