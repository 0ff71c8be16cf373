"""What is known before a bench begins: where rows come from, what is outdated, and how long the rest takes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edgeorbit.errors import InvalidParameterError
from edgeorbit.experiments.plan import Cell
from edgeorbit.experiments.state import Estimates, examine
from edgeorbit.experiments.store import Store


def cell(seed: int = 0, model: str = "gcn", data: str = "cora") -> Cell:
    return Cell(data, {"source": data}, "constant", model, seed, ("random",))


def row(of: Cell, **more) -> dict:
    told = {"key": of.key, "data": of.data, "model": of.model, "seed": of.seed, "features": of.features}
    return told | {"negatives": "random"} | more


def test_results_of_other_code_versions_and_splits_are_told_apart(tmp_path) -> None:
    store = Store(tmp_path / "r.parquet")
    cells = [cell(seed) for seed in range(5)]
    here = {"code": cells[0].code, "version": "0.0.9", "split_digest": "s"}
    store.add([row(cells[0], **here)])
    store.add([row(cells[1], **here | {"code": "other"})])
    store.add([row(cells[2])])
    store.add([row(cells[3], **here, failed="for a reason")])
    store.add([row(cell(0, "gin"), **here | {"split_digest": "t"})])
    state = examine(cells, store)
    assert state.done == {one.key for one in cells[:4]} and state.failed == {cells[3].key}
    assert state.other_code == {cells[1].key} and state.unknown_code == {cells[2].key}
    assert state.mixed == ()
    assert state.to_redo("outdated") == {cells[1].key, cells[2].key}
    assert (state.to_redo("failed"), state.to_redo("all"), state.to_redo(None)) == (state.failed, state.done, set())
    with pytest.raises(InvalidParameterError, match="choose from failed, outdated, all"):
        state.to_redo("some")
    told = " ".join(state.sentences())
    assert "1 by other code and 1 by unknown code; --redo outdated" in told and "1 failed; --redo failed" in told
    assert "splits" not in told
    mixed = examine([*cells, cell(0, "gin")], store)
    assert mixed.mixed == (("cora", 0),) and "cora, seed 0, are of different splits" in mixed.sentences()[-1]
    assert examine(cells[:1], store).sentences() == [], "only what was chosen is counted"


def test_results_by_different_negatives_are_told_apart(tmp_path) -> None:
    store = Store(tmp_path / "r.parquet")
    models = [cell(0, model) for model in ("gcn", "gin", "sage")]
    for one, digest in zip(models, ("n", "n", "m"), strict=True):
        by_heart = row(one, split_digest="s", negatives_digest="h", negatives="heart")
        store.add([row(one, split_digest="s", negatives_digest=digest), by_heart])
    assert examine(models[:2], store).mixed == () and examine(models, store).mixed == (("cora", 0),)
    assert "cora, seed 0, are of different splits or negatives" in examine(models, store).sentences()[-1]


def test_a_cell_is_estimated_by_the_most_alike_that_were_run() -> None:
    known = [row(cell(seed), cell_seconds=seconds) for seed, seconds in enumerate((1.0, 50.0, 3.0))]
    known += [row(cell(0, data="ns"), seconds=9.0), row(cell(0, "gin"), seconds=100.0, cell_seconds=None)]
    known += [row(cell(0, "ra"), failed="at once", seconds=0.1)]
    estimates = Estimates(known + known)
    assert estimates.of(cell(7)) == 3.0, "the median of the same model and graph"
    assert estimates.of(cell(7, data="usair")) == 6.0, "of the same model"
    assert estimates.of(cell(7, "gin", data="ns")) == 300.0, (
        "of the same model, on a graph that takes three times as long"
    )
    assert estimates.of(cell(7, "ra", data="ns")) == 9.0, "of the same graph, without those that failed"
    assert estimates.of(cell(7, "ra", data="usair")) == 9.0, "of all"
    assert Estimates([]).of(cell()) is None and Estimates([]).total([cell()], 2) is None


def test_the_time_left_counts_what_is_running() -> None:
    estimates = Estimates([row(cell(), seconds=10.0), row(cell(0, "gin"), seconds=100.0)])
    assert estimates.total([cell(1), cell(2)], 2) == 10 and estimates.total([cell(1), cell(0, "gin")], 2) == 100
    assert estimates.total([cell(1)] * 40, 2) == 200 and estimates.total([], 2) == 0
    assert estimates.total([cell(1)], 1, [(cell(2), 4.0), (cell(3), 99.0)]) == 16


@given(st.lists(st.tuples(st.integers(0, 2), st.sampled_from("abc"), st.sampled_from("xyz")), unique=True))
def test_cells_are_started_by_seed_then_graph_and_the_longest_first(chosen) -> None:
    seconds = {"a": 1.0, "b": 50.0, "c": 7.0}
    estimates = Estimates([row(cell(0, model, "cora"), seconds=value) for model, value in seconds.items()])
    cells = [cell(*one) for one in chosen]
    ordered = estimates.order(cells)
    assert sorted(map(str, ordered)) == sorted(map(str, cells))
    assert [one.seed for one in ordered] == sorted(one.seed for one in cells)
    groups = [(one.seed, one.data) for one in ordered]
    assert len(set(groups)) == sum(before != after for before, after in zip([None, *groups], groups, strict=False))
    for seed in range(3):
        first = [one for one in ordered if one.seed == seed][:1]
        assert not first or seconds[first[0].model] == max(seconds[one.model] for one in cells if one.seed == seed)
    for group in set(groups):
        times = [seconds[one.model] for one in ordered if (one.seed, one.data) == group]
        assert times == sorted(times, reverse=True)
