"""The protocol belongs to the data set: no input of a model and no test edge moves a negative that selection sees."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import edgeorbit as eo
from data.negatives.made_splits import as_sets, splits
from edgeorbit import Graph, from_networkx
from edgeorbit.data.negatives import KINDS, sample_negatives
from edgeorbit.data.splits import LinkSplit
from edgeorbit.graph.toys import karate
from edgeorbit.prediction import LinkPredictor
from edgeorbit.synthetic import make

MODES = ("constant", "degree", "identity", "random")


def with_words(graph: Graph) -> Graph:
    return graph.with_attributes(x=np.random.default_rng(0).integers(0, 2, (graph.num_nodes, 6)).astype(np.float32))


GRAPHS = {
    "without features": karate,
    "with features": lambda: with_words(karate()),
    "synthetic": lambda: with_words(make("syn-karate", edges=3)),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", GRAPHS)
def test_negatives_do_not_depend_on_what_models_are_given(kind: str, name: str) -> None:
    graph = GRAPHS[name]()
    modes = (*MODES, "original") if graph.x is not None else MODES
    made = [eo.split(graph, features=mode, seed=1) for mode in modes]
    assert len({split.digest for split in made}) == 1
    negatives = [sample_negatives(split, kind, 1) for split in made]
    assert len({found.digest for found in negatives}) == 1
    assert len({str(found.info) for found in negatives}) == 1  # bounds and shares are the same, too


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("source", ["graph", "directory"])
def test_negatives_do_not_depend_on_features_from_elsewhere(kind: str, source: str, tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", with_words(karate()).x)
    place = "karate" if source == "graph" else write_split(tmp_path / "split", eo.split("karate").test)
    given = [{}, {"features_file": tmp_path / "x.npy"}, {"features_file": tmp_path / "x.npy", "features": "degree"}]
    made = [eo.split(place, **options) for options in given]
    assert [split.graph.x.shape[1] for split in made] == [34, 6, 1]
    assert len({split.digest for split in made}) == 1
    assert (
        len(
            {
                sample_negatives(split, kind, 1, **({} if kind == "random" else {"per_positive": 6})).digest
                for split in made
            }
        )
        == 1
    )


def test_heart_compares_the_features_of_the_data_set_alone() -> None:
    plain, words = (eo.split(graph, features="constant") for graph in (karate(), with_words(karate())))
    assert sample_negatives(plain, "heart").info["features"] is False
    assert sample_negatives(words, "heart").info["features"] is True
    assert (
        sample_negatives(plain, "heart", per_positive=6).digest
        != sample_negatives(words, "heart", per_positive=6).digest
    )


@pytest.mark.parametrize("features", [None, *MODES])
def test_a_stored_run_has_the_negatives_of_the_run_in_memory(features: str | None, tmp_path: Path) -> None:
    for name, graph in (("plain", karate()), ("words", with_words(karate()))):
        fitted = LinkPredictor("ra").fit(graph, features=features, output=tmp_path / name)
        loaded = LinkPredictor.load(tmp_path / name)
        assert loaded.evaluate("heart").as_dict() == fitted.evaluate("heart").as_dict()


def scale_free_graph() -> Graph:
    networkx = pytest.importorskip("networkx")
    return from_networkx(networkx.barabasi_albert_graph(500, 8, seed=0))


def falls_from_random_to_hard(graph: Graph | str, by: float, **options: object) -> None:
    for mode in MODES:
        predictor = LinkPredictor("ra").fit(graph, features=mode, **options)
        easy, hard = (predictor.evaluate(kind).test["auc"] for kind in ("random", "heart"))
        assert hard < easy - by


def test_hard_negatives_are_harder_than_random_ones_without_features() -> None:
    falls_from_random_to_hard(scale_free_graph(), by=0.1)


@pytest.mark.parametrize(("name", "by"), [("pb", 0.2), ("ecoli", 0.1), ("yeast", 0.05), ("usair", 0.03)])
def test_hard_negatives_are_harder_than_random_ones_on_real_graphs(name: str, by: float, data_dir: Path) -> None:
    falls_from_random_to_hard(name, by, data_dir=data_dir)


# Test edges and validation


@given(splits(max_nodes=16), st.sampled_from(list(KINDS)), st.data())
def test_validation_negatives_do_not_change_with_the_test_edges(
    split: LinkSplit, kind: str, data: st.DataObject
) -> None:
    assume(kind != "random" or split.graph.num_nodes > 10)  # or else a pool can be too small
    kept = np.array(data.draw(st.lists(st.booleans(), min_size=len(split.test), max_size=len(split.test))), bool)
    other = replace(split, test=split.test[kept])
    options = {"ratio": 0.1} if kind == "random" else {"per_positive": 3}
    assert (
        sample_negatives(split, kind, 0, **options).valid == sample_negatives(other, kind, 0, **options).valid
    ).all()


@pytest.mark.parametrize("kind", ["random", "orbit"])
def test_validation_negatives_avoid_test_edges_on_request(kind: str) -> None:
    cycle = Graph.from_edges([[i, (i + 1) % 12] for i in range(12)])
    split = LinkSplit(cycle, np.array([[0, 2], [1, 3]]), np.array([[i, (i + 3) % 12] for i in range(12)]))
    options = {"ratio": 3.0} if kind == "random" else {"per_positive": 50, "bounds": False}
    strict = replace(split, protocol={"validation_avoids_test": True})
    test = set(as_sets(split.test))
    ours, older = (set(as_sets(sample_negatives(one, kind, 0, **options).valid)) for one in (split, strict))
    assert ours & test and not older & test


def write_split(directory: Path, test: np.ndarray) -> Path:
    split = eo.split(karate())
    directory.mkdir()
    for part, edges in (("train", split.graph.edges), ("valid", split.valid), ("test", test)):
        np.savetxt(directory / f"{part}_pos.txt", edges, fmt="%d", delimiter="\t")
    return directory


def test_the_choice_of_a_checkpoint_does_not_change_with_the_test_edges(tmp_path: Path) -> None:
    pytest.importorskip("torch_geometric")
    test = eo.split(karate()).test
    runs = []
    for name, edges in (("all", test), ("one", test[:1])):
        training = {"epochs": 6, "evaluate_every": 1}
        predictor = LinkPredictor("gcn", training=training, threads=1).fit(write_split(tmp_path / name, edges))
        scores = predictor.score_pairs(test, training_edges_only=True).scores
        runs.append((predictor.info["training_result"]["history"], scores.tolist()))
    assert runs[0] == runs[1]


def test_the_older_way_is_an_option_that_the_protocol_names(tmp_path: Path) -> None:
    run = LinkPredictor("ra").fit("karate", validation_avoids_test=True, output=tmp_path / "run")
    assert run.evaluate().protocol["validation_avoids_test"] is True
    assert LinkPredictor.load(tmp_path / "run").evaluate().as_dict() == run.evaluate().as_dict()
    assert "validation_avoids_test" not in LinkPredictor("ra").fit("karate").evaluate().protocol
