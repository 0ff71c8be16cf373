"""Pictures of the theorems: draws against rates, what draws tell apart, distances by noise, scores of links by kind."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from edgeorbit.report.saving import new_figure
from edgeorbit.report.style import DISTINGUISHABLE, FAINT_INK, INDISTINGUISHABLE, INK, ORBITS, drawable, prepare_axes
from edgeorbit.theory.distances import OrbitDistances
from edgeorbit.theory.link_scores import THRESHOLD, LinkScores
from edgeorbit.theory.performance import CurvePoint
from edgeorbit.theory.sample_complexity import DrawsByRate
from edgeorbit.theory.simulation import Course

if TYPE_CHECKING:
    from matplotlib.figure import Figure


UNIFORM, D1 = ORBITS[0], INDISTINGUISHABLE
NEGATIVE = "#c9ccd2"

MARKERS = "osD^v<>P"


def draw_complexity(by_rate: Sequence[DrawsByRate], courses: Sequence[Course]) -> "Figure":
    """Draw for every graph the bounds of theorem 4.1 against the rate, and what is told apart draw after draw.

    Examples
    --------
    >>> from edgeorbit.graph.families import path
    >>> from edgeorbit.theory import d1_rates, draws_by_rate, follow_draws
    >>> course = follow_draws(path(8), d1_rates(path(8)), draws=4, trials=10)
    >>> len(draw_complexity([draws_by_rate(path(8), 0.05)], [course]).axes)
    2
    """
    figure = new_figure((10, 0.4 + 3.1 * len(courses)))
    for (left, right), rates, course in zip(
        figure.subplots(len(courses), 2, squeeze=False), by_rate, courses, strict=True
    ):
        prepare_axes(left, f"{drawable(course.graph)}: draws L of theorem 4.1", "mean rate p", "draws L")
        left.plot(rates.mean_rate, rates.uniform, color=UNIFORM, linewidth=4, alpha=0.45, label="uniform, mean rate")
        left.plot(rates.mean_rate, rates.d1, color=D1, linewidth=1.6, label="D1")
        left.plot(
            *(rates.mean_rate, rates.uniform_at_highest),
            **{"color": FAINT_INK, "linewidth": 1.2, "linestyle": (0, (4, 3)), "label": "uniform, D1's highest rate"},
        )
        left.set(xscale="log", yscale="log")
        left.legend(frameon=False, fontsize=8.5)
        prepare_axes(right, f"{drawable(course.graph)}: what draws of D1 do", "draws", "probability")
        draws = range(1, len(course.changed) + 1)
        for values, label, look in (
            (course.changed, "the graph is changed (the theorem)", {"color": UNIFORM, "marker": "o"}),
            (course.orbits_split, "a given orbit is split", {"color": ORBITS[2], "marker": "s"}),
            (course.pairs_told, "two given look-alikes are told apart", {"color": D1, "marker": "D"}),
        ):
            right.plot(draws, values, markersize=4, linewidth=1.6, label=label, **look)
        right.set_ylim(-0.04, 1.06)
        right.legend(frameon=False, fontsize=8.5, loc="best")
    return figure


def draw_distances(by_tau: Sequence[Sequence[Sequence[OrbitDistances]]]) -> "Figure":
    """Draw for every graph the distances within and between orbits against tau; rows of one tau stand together.

    Examples
    --------
    >>> from edgeorbit.graph.toys import lobster
    >>> from edgeorbit.theory import orbit_distances
    >>> rows = [orbit_distances(lobster(), tau, draws=2, weights=1) for tau in (0.1, 1.0)]
    >>> len(draw_distances([rows]).axes)
    1
    """
    figure = new_figure((0.4 + 4.6 * len(by_tau), 3.9))
    all_axes = figure.subplots(1, len(by_tau), squeeze=False, sharey=True)[0]
    for axes, found in zip(all_axes, by_tau, strict=True):
        first = axes is all_axes[0]
        name = drawable(found[0][0].graph)
        prepare_axes(axes, name, "tau, deviation of the noise", "mean squared distance" if first else "")
        taus = [rows[0].tau for rows in found]
        given, returned = (
            [next(row for row in rows if row.d2 and row.stage == stage) for rows in found]
            for stage in ("input", "output")
        )
        plain = [next(row for row in rows if not row.d2 and row.stage == "output").between for rows in found]
        series: list[tuple[list[float | None], str, dict[str, Any]]] = [
            ([row.between for row in returned], "between orbits, D2", {"color": DISTINGUISHABLE, "marker": "s"}),
            ([row.within for row in returned], "within an orbit, D2", {"color": INDISTINGUISHABLE, "marker": "o"}),
            ([row.within_of_mean for row in returned], "within, mean of all draws", {"color": ORBITS[3]}),
            ([row.within for row in given], "within, input", {"color": INK, "marker": "x", "linestyle": ""}),
            ([row.closed_form for row in given], "within, input: 2 tau² d", {"color": INK, "linewidth": 0.8}),
            (plain, "between, no D2 (within: 0)", {"color": FAINT_INK, "linestyle": (0, (4, 3))}),
        ]
        for values, label, look in series:
            if any(value is not None and value > 0 for value in values):
                numbers = [np.nan if value is None else value for value in values]
                axes.plot(taus, numbers, label=label, **{"markersize": 4.5, "linewidth": 1.6, **look})
        axes.set(xscale="log", yscale="log")
    figure.legend(
        *all_axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=3, frameon=False, fontsize=8.5
    )
    return figure


def draw_link_scores(found: Sequence[LinkScores]) -> "Figure":
    """Draw for every model boxes of the probabilities that it gives to links of each kind, over all seeds.

    Examples
    --------
    >>> yes, no = np.array([True, False]), np.array([0.1, 0.2])
    >>> figure = draw_link_scores([LinkScores("gcn", 0, np.array([0.4, 0.6]), yes, yes, no)])
    >>> figure.axes[0].get_title(loc="left")
    'gcn'
    """
    models = list(dict.fromkeys(one.model for one in found))
    figure = new_figure((0.8 + 3.1 * len(models), 4.0))
    kinds = [
        ("leaf\nA", "automorphic", "leaf", INDISTINGUISHABLE),
        ("leaf\nNA", "other", "leaf", DISTINGUISHABLE),
        ("inner\nA", "automorphic", "inner", INDISTINGUISHABLE),
        ("inner\nNA", "other", "inner", DISTINGUISHABLE),
        ("no\nlink", "negative", "all", NEGATIVE),
    ]
    all_axes = figure.subplots(1, len(models), squeeze=False, sharey=True)[0]
    for axes, model in zip(all_axes, models, strict=True):
        own = [one for one in found if one.model == model]
        prepare_axes(axes, model, "", "probability of a link" if axes is all_axes[0] else "")
        boxes = [np.concatenate([one.of(kind, place) for one in own]) for _, kind, place, _ in kinds]
        drawn = axes.boxplot(
            boxes,
            widths=0.6,
            patch_artist=True,
            medianprops={"color": INK, "linewidth": 1.6},
            flierprops={"marker": ".", "markersize": 4, "markerfacecolor": FAINT_INK, "markeredgewidth": 0},
            **{part: {"color": FAINT_INK} for part in ("boxprops", "whiskerprops", "capprops")},
        )
        for box, (*_, colour) in zip(drawn["boxes"], kinds, strict=True):
            box.set(facecolor=colour, alpha=0.8)
        axes.axhline(THRESHOLD, color=INK, linewidth=0.8, linestyle=(0, (4, 3)), zorder=0)
        labels = [f"{label}\n{len(box)}" for (label, *_), box in zip(kinds, boxes, strict=True)]
        axes.set_xticks(range(1, len(kinds) + 1), labels)
        axes.set_ylim(-0.03, 1.03)
    figure.supxlabel(
        "A: links with a look-alike, NA: without; leaf: one end has no other link; below: how many",
        fontsize=8.5,
        color=FAINT_INK,
    )
    return figure


def draw_curves(points: Sequence[CurvePoint], metric: str) -> "Figure":
    """Draw for every family of graphs what models reach against EAR: every run, and the mean at every graph.

    Examples
    --------
    >>> points = [CurvePoint("syn-cora", "gcn", x, 0, y, f"syn-cora, {x}") for x, y in ((0.1, 0.9), (1.0, 0.8))]
    >>> len(draw_curves(points, "auc").axes)
    1
    """
    title = metric.removeprefix("original_").upper() + (", original links" if metric.startswith("original_") else "")
    families = list(dict.fromkeys(point.family for point in points))
    models = list(dict.fromkeys(point.model for point in points))
    figure = new_figure((0.6 + 4.8 * len(families), 4.2))
    all_axes = figure.subplots(1, len(families), squeeze=False, sharey=True)[0]
    for axes, family in zip(all_axes, families, strict=True):
        prepare_axes(
            axes, drawable(family), "EAR after the rounds of orbit negatives", title if axes is all_axes[0] else ""
        )
        for number, model in enumerate(models):
            own = [point for point in points if (point.family, point.model) == (family, model)]
            if not own:
                continue
            colour = ORBITS[number % len(ORBITS)]
            axes.plot([p.ear for p in own], [p.value for p in own], ".", color=colour, markersize=4, alpha=0.5)
            by_graph: dict[str, list[tuple[float, float]]] = {}
            for point in own:
                by_graph.setdefault(point.graph, []).append((point.ear, point.value))
            centres = np.array(sorted(np.mean(found, axis=0).tolist() for found in by_graph.values()))
            marker = MARKERS[number % len(MARKERS)]  # for whom colours are not enough
            axes.plot(*centres.T, color=colour, linewidth=1.6, marker=marker, markersize=5, label=model)
    figure.legend(
        *all_axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=4, frameon=False, fontsize=8.5
    )
    return figure
