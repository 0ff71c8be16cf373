"""One model against all others, beside scipy's test and sums by hand."""

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from edgeorbit.errors import InvalidParameterError
from edgeorbit.experiments.tables import Results
from edgeorbit.experiments.tables.markdown import against_to_markdown, differences


@given(seed=st.integers(0, 999), others=st.integers(1, 4))
def test_differences_are_those_of_the_seeds_in_common_and_proved_as_scipy_and_holm_say(seed: int, others: int) -> None:
    draw = np.random.default_rng(seed)
    found = {"ours": {number: float(draw.normal(50, 1)) for number in range(10)}}
    for i in range(others):
        own = draw.choice(12, int(draw.integers(1, 11)), replace=False).tolist()
        found[f"m{i}"] = {number: float(draw.normal(50 + i, 1)) for number in own}
    gaps = {
        name: np.array([values[number] - found["ours"][number] for number in values if number in found["ours"]])
        for name, values in found.items()
        if name != "ours"
    }
    compared = differences(found, "ours")
    assert {one.model for one in compared} == {name for name, gap in gaps.items() if len(gap)}
    assert [one.points for one in compared] == sorted((one.points for one in compared), reverse=True)
    tested = {name: gap for name, gap in gaps.items() if len(gap) >= 6}  # five seeds prove nothing
    p = sorted((float(scipy.stats.wilcoxon(gap, method="exact").pvalue), name) for name, gap in tested.items())
    proved = set()
    for place, (value, name) in enumerate(p):
        if value * (len(p) - place) > 0.05:
            break
        proved.add(name)
    for one in compared:
        assert one.points == pytest.approx(gaps[one.model].mean()) and one.seeds == len(gaps[one.model])
        assert one.proved == (one.model in proved)
        if one.seeds > 1:
            assert one.deviation == pytest.approx(gaps[one.model].std(ddof=1))


def rows(model: str, values: list[float], split: str = "s", **more: str) -> list[dict]:
    shared = {"data": "A_1", "features": "constant", "negatives": "random", "model": model} | more
    return [
        shared | {"seed": seed, "split_digest": f"{split}{seed}", "test_auc": value}
        for seed, value in enumerate(values)
    ]


RESULTS = Results(
    "Some graphs",
    [
        *rows("ours", [0.9, 0.8]),
        *rows("better", [0.95, 0.9]),
        *rows("worse", [0.5, 0.3]),
        *rows("elsewhere", [0.99, 0.99], split="other"),
        *rows("worse", [0.5], data="not ours"),
    ],
    ("ours", "better", "worse", "elsewhere"),
)


def test_the_page_has_who_is_ahead_and_who_is_next_and_no_runs_on_other_splits() -> None:
    page = against_to_markdown([RESULTS], "ours", "edgeorbit report x")
    assert "| A\\_1 | 85.00 | better +7.5 ± 3.5 (2) | worse -45.0 ± 7.1 (2) |" in page
    assert "elsewhere" not in page and "not ours" not in page and "written by `edgeorbit report x`" in page


def test_a_model_without_results_is_refused_with_those_that_have_some() -> None:
    with pytest.raises(InvalidParameterError, match="no results of 'mine'; choose from ours, better, worse"):
        against_to_markdown([RESULTS], "mine", "")
