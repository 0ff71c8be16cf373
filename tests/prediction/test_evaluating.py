"""`eo.evaluate` of anybody's scorer against brute force, and the scorers that it refuses or sees through."""

import networkx as nx
import numpy as np
import pytest

import edgeorbit as eo
from edgeorbit.errors import EdgeorbitError, InvalidParameterError

pandas = pytest.importorskip("pandas")


@pytest.fixture(scope="module")
def split() -> eo.LinkSplit:
    return eo.split(nx.powerlaw_cluster_graph(60, 3, 0.6, seed=2), "random", seed=0)


def noise(pairs):
    return np.sin(7.0 * np.sort(pairs, axis=1) @ np.array([3.1, 5.7]))


def brute_force(scorer, split, negatives, part):
    """AUC, MRR and Hits@3 by looking at one positive and one negative at a time."""
    auc, reciprocal, hits = [], [], []
    for positive, own in zip(split.positives(part), negatives.of(part), strict=True):
        others = [pair for pair in own.tolist() if pair != [-1, -1]]
        if not others:
            continue
        score = float(scorer(positive[None])[0])
        beaten = [float(scorer(np.array([pair]))[0]) for pair in others]
        greater, ties = sum(one > score for one in beaten), sum(one == score for one in beaten)
        rank = 1 + greater + ties / 2
        auc.append(1 - (greater + ties / 2) / len(others))
        reciprocal.append(1 / rank)
        hits.append(rank <= 3)
    return np.mean(auc), np.mean(reciprocal), np.mean(hits), len(auc)


@pytest.mark.parametrize(
    "scorer", [noise, lambda pairs: np.sort(pairs, axis=1)[:, 0] // 20, lambda pairs: np.ones(len(pairs))]
)
def test_padded_orbit_negatives_are_judged_as_by_hand(split, scorer):
    negatives = eo.sample_negatives(split, "orbit", per_positive=9, rounds=1)
    padded = (negatives.test[..., 0] < 0).mean()
    assert 0 < padded < 1
    judged = eo.evaluate(scorer, split, negatives)["orbit"]
    for part in ("valid", "test"):
        auc, mrr, hits, compared = brute_force(scorer, split, negatives, part)
        found = judged[part]
        assert [found["auc"], found["mrr"], found["hits@3"]] == pytest.approx([auc, mrr, hits])
        assert found["num_positives"] - found["num_without_negatives"] == compared


def test_padding_never_reaches_a_scorer(split):
    seen = []
    eo.evaluate(lambda pairs: seen.append(pairs) or np.zeros(len(pairs)), split, "orbit", rounds=1)
    pairs = np.concatenate(seen)
    assert pairs.min() >= 0 and (pairs[:, 0] < pairs[:, 1]).all()


def test_the_order_in_which_links_are_stored_is_worth_nothing():
    edges = np.array(nx.powerlaw_cluster_graph(60, 3, 0.6, seed=2).edges)
    split = eo.LinkSplit.from_edges(edges[:120], edges[120:140, ::-1], edges[140:, ::-1])  # stored larger node first
    found = eo.evaluate(lambda pairs: pairs[:, 0] - pairs[:, 1] > 0, split, "random")
    assert found.test["auc"] == 0.5 and found.test["ties"] == 1


@pytest.mark.parametrize(
    ("scores", "message"),
    [
        (lambda pairs: np.full(len(pairs), np.nan), "scores are NaN or infinite, the first at 0"),
        (lambda pairs: np.where(np.arange(len(pairs)) == 1, np.inf, 0.0), "1 of .* scores are NaN or infinite"),
        (lambda pairs: np.zeros((len(pairs), 2)), r"must return one score per pair, shape \(\d+,\), got shape"),
        (lambda pairs: np.zeros(3), r"got shape \(3,\)"),
        (lambda pairs: 1.0, r"got shape \(\)"),
        (lambda pairs: np.array(["a"] * len(pairs)), "must be real numbers"),
        (lambda pairs: np.zeros(len(pairs), complex), "must be real numbers"),
    ],
)
def test_what_is_no_score_is_refused_in_one_sentence_that_names_the_scorer(split, scores, message):
    with pytest.raises(InvalidParameterError, match=f"mine: .*{message}"):
        eo.evaluate(scores, split, name="mine")


def test_a_scorer_that_fails_is_named_and_its_exception_is_the_cause(split):
    with pytest.raises(InvalidParameterError, match=r"mine fails on \d+ pairs \(KeyError: 'x'\); repair it") as caught:
        eo.evaluate(lambda pairs: {}["x"], split, name="mine")
    assert isinstance(caught.value.__cause__, KeyError)


def test_a_scorer_that_changes_its_pairs_changes_nothing(split):
    def careless(pairs):
        pairs[:] = 0
        return pairs[:, 0]

    assert eo.evaluate(careless, split, "random").test["auc"] == 0.5


class Broken(eo.LinkModel):
    """A model that has no score for some pairs."""

    name = "broken"
    citation = "none"

    def on(self, graph):
        return lambda pairs: np.where(pairs.sum(axis=1) % 2 == 0, np.nan, 1.0)


def test_a_model_whose_negatives_are_nan_is_refused_and_not_taken_for_padding(split):
    negatives = eo.sample_negatives(split, "heart", per_positive=5)
    odd = eo.LinkSplit(split.graph, split.valid, split.test)
    with pytest.raises(EdgeorbitError, match="NaN or infinite"):
        eo.evaluate(Broken(), odd, negatives)
    with pytest.raises(EdgeorbitError, match="NaN or infinite"):
        eo.LinkPredictor(Broken).fit(split).evaluate(negatives)


@pytest.mark.parametrize(
    ("scorer", "message"),
    [
        (3, "cannot score pairs with an int"),
        (dict, "cannot score pairs with the class dict"),
        ("gcn", r"gcn has to be trained before it can be evaluated; use LinkPredictor\('gcn'\)"),
        ("gnc", "did you mean .*gcn"),
    ],
)
def test_what_is_no_scorer_is_refused(split, scorer, message):
    pytest.importorskip("torch_geometric")
    with pytest.raises(InvalidParameterError, match=message):
        eo.evaluate(scorer, split)


def test_a_fitted_model_a_heuristic_and_its_function_reach_the_same(split):
    fitted = eo.LinkPredictor("ra", seed=0).fit(split)
    kinds = ["random", "heart"]
    expected = fitted.evaluate(kinds)
    for scorer in ("ra", fitted, fitted.model, fitted.model.on(split.graph)):
        found = eo.evaluate(scorer, split, kinds)
        assert {kind: found[kind].metrics for kind in found} == {kind: expected[kind].metrics for kind in expected}


def test_options_go_to_the_negatives_that_have_them(split):
    found = eo.evaluate(noise, split, ["random", "orbit"], rounds=1, per_positive=3)
    assert found["orbit"].negatives["rounds"] == 1 and found["orbit"].test["num_negatives"] <= 3 * len(split.test)
    with pytest.raises(InvalidParameterError, match="has an option 'hops'"):
        eo.evaluate(noise, split, ["random", "orbit"], hops=1)
    with pytest.raises(InvalidParameterError, match="'random' are given twice"):
        eo.evaluate(noise, split, ["random", "random"])
    with pytest.raises(InvalidParameterError, match="negatives is empty"):
        eo.evaluate(noise, split, [])


def test_a_result_is_a_mapping_a_frame_and_a_table(split):
    found = eo.evaluate(noise, split, ["random", "heart"], name="<noise>")
    assert list(found) == ["random", "heart"] and len(found) == 2 and "heart" in found
    frame = found.to_pandas()
    assert frame.shape[0] == 4 and set(frame.negatives) == {"random", "heart"}
    row = frame[(frame.negatives == "heart") & (frame.part == "test")].iloc[0]
    assert row.auc == found["heart"].test["auc"]
    assert "&lt;noise&gt;" in found._repr_html_() and "<noise>" in repr(found)
    with pytest.raises(InvalidParameterError, match="there are results for 2 kinds of negatives; choose one"):
        _ = found.test
    with pytest.raises(KeyError, match="known are random, heart"):
        found["orbit"]


def test_deprecated_names_warn_and_still_work(split, tmp_path):
    with pytest.warns(DeprecationWarning, match=r"edgeorbit.load_graph is deprecated; use edgeorbit.load"):
        assert eo.load_graph("karate").num_edges == 78
    with pytest.warns(DeprecationWarning, match="use kind="):
        fitted = eo.LinkPredictor("ra").fit("karate", split="random")
    with pytest.warns(DeprecationWarning, match="use score_pairs"):
        scores = fitted.score([[0, 9]]).scores
    assert np.array_equal(scores, fitted.score_pairs([[0, 9]]).scores)
    result = fitted.evaluate()
    for name, value in (("test", result.test), ("valid", result.valid), ("seed", 0)):
        with pytest.warns(DeprecationWarning, match="use the attribute"):
            assert result[name] == value
    assert eo.Coloring is eo.Colouring and eo.Recolorer is eo.Recolourer
    graph = eo.load("karate")
    colouring = eo.refine(graph)
    orbits = eo.edge_orbits(graph, colouring)
    assert colouring.num_colors == colouring.num_colours and colouring.colors_per_round is colouring.colours_per_round
    assert orbits.colors is orbits.colours and orbits.node_colors is orbits.node_colours
    assert np.array_equal(orbits.colors_of([[0, 1]]), orbits.colours_of([[0, 1]]))
    assert eo.Recolourer.recolor is eo.Recolourer.recolour and eo.Graph.neighbors is eo.Graph.neighbours
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = eo.nothing
