"""The picture of scores: every link is compared with its look-alikes, and what is not told apart is counted."""

import numpy as np
import pytest

from edgeorbit.report import JudgedLinks, draw_scores


def test_dots_are_the_differences_of_links_and_their_look_alikes() -> None:
    links, look_alikes = np.array([2.0, 5.0]), np.array([[1.0, np.nan], [5.0, 7.0]])
    axes = draw_scores({"model": JudgedLinks(links, look_alikes, 0.5)}).axes[0]
    dots = np.concatenate([found.get_offsets()[:, 0] for found in axes.collections])
    assert sorted(dots.tolist()) == [-2, 0, 1]
    assert axes.get_title(loc="right") == "33% not told apart"


def test_all_models_are_drawn_on_one_scale() -> None:
    random = np.random.default_rng(0)
    judged = {
        "blind": JudgedLinks(np.zeros(9), np.zeros((9, 4)), 0.5),
        "seeing": JudgedLinks(random.normal(5, 1, 9), random.normal(-5, 1, (9, 4)), 1.0),
    }
    figure = draw_scores(judged)
    assert [axes.get_title(loc="left") for axes in figure.axes] == ["blind: AUC 0.50", "seeing: AUC 1.00"]
    limits = [axes.get_xlim() for axes in figure.axes]
    assert limits[0] == limits[1] and limits[0][0] == pytest.approx(-limits[0][1]) and limits[0][1] > 8


def test_many_links_are_drawn_as_a_few_dots() -> None:
    axes = draw_scores({"m": JudgedLinks(np.arange(4000.0), np.zeros((4000, 50)), 1.0)}).axes[0]
    assert sum(len(found.get_offsets()) for found in axes.collections) == 300
