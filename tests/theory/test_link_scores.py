"""The lobster experiment: links are put where they belong, and summaries are those of the scores."""

import numpy as np
import pytest

import edgeorbit as eo
from edgeorbit.errors import InvalidParameterError
from edgeorbit.synthetic.generators import lobster
from edgeorbit.theory import LinkScores, score_links, summarise_scores
from edgeorbit.theory.link_scores import RATIOS
from oracles import naive_orbit_sizes, naive_rounds


@pytest.fixture(scope="module")
def graph():
    return lobster(length=12)


def test_links_are_scored_by_kind_on_held_out_edges(graph) -> None:
    reports = []
    found = score_links(graph, ["gcn", "eo-gnn"], 2, epochs=2, threads=1, report=lambda *given: reports.append(given))
    assert [(one.model, one.seed) for one in found] == [("gcn", 0), ("eo-gnn", 0), ("gcn", 1), ("eo-gnn", 1)]
    assert reports[-1] == (3, 4, "training eo-gnn, seed 1")
    sizes = naive_orbit_sizes(graph, naive_rounds(graph)[-1])
    alike = {tuple(edge): size > 1 for edge, size in zip(graph.edges.tolist(), sizes, strict=True)}
    for one in found:
        test = eo.split(graph, "random", ratios=RATIOS, features="constant", seed=one.seed).test
        assert len(one.links) == len(test) == len(one.negatives)
        assert one.automorphic.tolist() == [alike[tuple(sorted(pair))] for pair in test.tolist()]
        assert one.leaf.tolist() == [min(graph.degree[u], graph.degree[v]) == 1 for u, v in test.tolist()]
        for scores in (one.links, one.negatives):
            assert ((scores > 0) & (scores < 1)).all()
    assert (found[0].links != found[1].links).any()
    assert [one.links.tolist() for one in score_links(graph, ["gcn"], 1, epochs=2, threads=1)] == [
        found[0].links.tolist()
    ]


def _scores(seed, links, automorphic, leaf, negatives) -> LinkScores:
    arrays = np.array(links), np.array(automorphic, bool), np.array(leaf, bool), np.array(negatives)
    return LinkScores("m", seed, *arrays)


def test_summaries_count_every_link_once_in_its_place() -> None:
    first = _scores(0, [0.1, 0.3, 0.7, 0.9], [1, 1, 0, 0], [1, 0, 1, 0], [0.2, 0.8])
    second = _scores(1, [0.6], [1], [1], [0.2])
    rows = {(row.kind, row.place): row for row in summarise_scores([first, second])}
    assert {key: row.number for key, row in rows.items()} == {
        ("automorphic", "all"): 3,
        ("automorphic", "leaf"): 2,
        ("automorphic", "inner"): 1,
        ("other", "all"): 2,
        ("other", "leaf"): 1,
        ("other", "inner"): 1,
        ("negative", "all"): 3,
    }
    leaf = rows["automorphic", "leaf"]
    assert leaf.mean == pytest.approx(0.35) and leaf.deviation == pytest.approx(0.25)
    assert leaf.share_missed == 0.5 and leaf.quartiles == pytest.approx([0.225, 0.35, 0.475])
    # 0.1 is below both negatives of its seed, 0.6 above the one of the other.
    assert leaf.auc == pytest.approx(0.5) and leaf.auc_deviation == pytest.approx(0.5)
    assert rows["other", "all"].auc == pytest.approx(0.75)
    assert rows["negative", "all"].auc is None and rows["negative", "all"].mean == pytest.approx(0.4)


def test_a_kind_without_links_has_no_numbers() -> None:
    row = next(
        row
        for row in summarise_scores([_scores(0, [0.1], [1], [1], [0.2])])
        if (row.kind, row.place) == ("other", "all")
    )
    assert row.number == 0 and row.mean is None and row.auc is None and row.quartiles is None


@pytest.mark.parametrize(
    ("models", "options", "message"),
    [
        (["gcn"], {"seeds": 0}, "seeds must be at least 1"),
        (["gcn"], {"epochs": 0}, "epochs must be at least 1"),
        (["gcnn"], {}, "did you mean gcn"),
        (["gcn", "cn"], {}, "cn gives no probabilities"),
    ],
)
def test_bad_input_is_refused_before_training(graph, models, options, message) -> None:
    with pytest.raises(InvalidParameterError, match=message):
        score_links(graph, models, **options)
