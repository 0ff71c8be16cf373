"""The search: it measures everything, finds what can be found in few steps, and tells the nearest of what it saw."""

import math
from collections.abc import Callable
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edgeorbit.errors import InvalidParameterError
from edgeorbit.synthetic import dial as module
from edgeorbit.synthetic.construction import Amounts
from edgeorbit.synthetic.dial import Dial, Reached, check_target, near


class Stub:
    """A construction without graphs: a graph is its amounts, and its EAR is what a function says."""

    def __init__(self, value: Callable[[Amounts], float], rooms: dict[str, int]) -> None:
        self.value, self.rooms, self.threads = value, rooms, None
        self.base = SimpleNamespace(num_edges=1000, num_nodes=1000)
        self.seen: list[Amounts] = []

    def room(self, knob: str, amounts: Amounts, wanted: int) -> int:
        return min(wanted, self.rooms.get(knob, 1000))

    def bare(self, amounts: Amounts) -> tuple["Stub", Amounts]:
        return self, amounts


@pytest.fixture(autouse=True)
def measured(monkeypatch: pytest.MonkeyPatch) -> None:
    def fake_ear(graph: tuple[Stub, Amounts], **settings: object) -> float:
        stub, amounts = graph
        stub.seen.append(amounts)
        return stub.value(amounts)

    monkeypatch.setattr(module, "ear", fake_ear)


def dial(value: Callable[[Amounts], float], **rooms: int) -> tuple[Dial, Stub]:
    stub = Stub(value, rooms)
    return Dial(stub, 2), stub  # type: ignore[arg-type]


targets = st.integers(0, 100).map(lambda percent: percent / 100)


@given(target=targets, slope=st.floats(0.0005, 0.009))
def test_a_smooth_dial_is_found_in_a_few_steps(target: float, slope: float) -> None:
    turned, stub = dial(lambda amounts: max(0.0, 1 - slope * amounts.edges), edges=4000)
    reached = turned.turn(target, Amounts(), "edges", None)
    assert near(reached, target) and reached.ear == stub.value(reached.amounts)
    assert len(stub.seen) <= 2 * math.log2(4000) + 2


@given(target=targets, slope=st.floats(0.001, 0.019), knob=st.sampled_from(["edges", "swaps"]))
def test_steps_below_twice_the_tolerance_are_halved_down_to_one_move(target: float, slope: float, knob: str) -> None:
    turned, stub = dial(lambda amounts: max(0.0, 1 - slope * (amounts.edges + amounts.swaps)))
    reached = turned.turn(target, Amounts(), knob, None)
    assert near(reached, target) and not reached.amounts.skipped_edges
    assert len(stub.seen) <= 2 * math.log2(1000) + 2


@given(target=targets, rate=st.floats(0.01, 3))
def test_edges_that_go_too_far_are_made_up_for_by_twins(target: float, rate: float) -> None:
    def value(amounts: Amounts) -> float:
        return 1.0 if amounts.edges == 0 else min(1.0, 0.05 + rate * amounts.twins / 400)

    turned, _ = dial(value)
    reached = turned.turn(target, Amounts(), "edges", "twins")
    reachable = [1.0] + [value(Amounts(edges=1, twins=twins)) for twins in range(1001)]
    assert near(reached, target) == any(abs(one - target) <= 0.01 for one in reachable)
    assert abs(reached.ear - target) == pytest.approx(min(abs(one - target) for one in reachable), abs=0.01)


def test_an_edge_that_jumps_is_skipped_and_the_next_one_tried() -> None:
    bad = {3, 4, 7}  # places in the sequence whose edge costs a lot

    def value(amounts: Amounts) -> float:
        places = range(amounts.edges + len(amounts.skipped_edges))
        kept = [place for place in places if place not in amounts.skipped_edges]
        return 1 - 0.05 * len(kept) - 0.3 * len(bad.intersection(kept))

    turned, _ = dial(value)
    reached = turned.turn(0.7, Amounts(), "edges", None)
    assert reached.ear == pytest.approx(0.7)
    assert reached.amounts == Amounts(edges=6, skipped_edges=(3, 4, 7)) or near(reached, 0.7)
    assert set(reached.amounts.skipped_edges) <= bad and len(reached.amounts.skipped_edges) >= 2


@pytest.mark.parametrize(("rounds", "cloned"), [(2, False), (None, True)])
def test_many_edges_are_tried_before_anything_is_cloned_unless_each_of_them_changes_all(rounds, cloned) -> None:
    bad = set(range(3, 60))  # places in the sequence whose edge costs a lot

    def value(amounts: Amounts) -> float:
        places = range(amounts.edges + len(amounts.skipped_edges))
        kept = [place for place in places if place not in amounts.skipped_edges]
        return max(0.0, 1 - 0.05 * len(kept) - 0.3 * len(bad.intersection(kept))) + 0.001 * amounts.twins

    reached = Dial(Stub(value, {}), rounds).turn(0.7, Amounts(), "edges", "twins")  # type: ignore[arg-type]
    assert near(reached, 0.7) and (reached.amounts.twins > 0) == cloned


def test_swaps_are_not_skipped() -> None:
    turned, stub = dial(lambda amounts: 1.0 if amounts.swaps < 10 else 0.2)
    assert not near(turned.turn(0.5, Amounts(), "swaps", None), 0.5)
    assert all(not amounts.skipped_edges and not amounts.skipped_twins for amounts in stub.seen)


def test_what_is_near_at_the_start_is_left_alone() -> None:
    turned, stub = dial(lambda amounts: 0.505)
    assert turned.turn(0.5, Amounts(edges=3), "edges", "twins") == Reached(Amounts(edges=3), 0.505)
    assert stub.seen == [Amounts(edges=3)]


def test_a_knob_that_is_missing_is_not_turned() -> None:
    turned, stub = dial(lambda amounts: 0.9 - 0.1 * amounts.edges + 0.1 * amounts.twins)
    assert turned.turn(0.1, Amounts(), None, "twins").amounts == Amounts()
    assert turned.turn(1.0, Amounts(edges=2), "edges", None).amounts == Amounts(edges=2)
    assert stub.seen == [Amounts(), Amounts(edges=2)]


def test_a_dial_that_begins_below_the_target_turns_twins_alone() -> None:
    turned, stub = dial(lambda amounts: 0.2 - 0.01 * amounts.edges + 0.002 * amounts.twins)
    assert near(turned.turn(0.8, Amounts(), "edges", "twins"), 0.8)
    assert all(amounts.edges == 0 for amounts in stub.seen)


@given(
    edge_values=st.lists(st.floats(0, 1), min_size=1, max_size=30),
    twin_values=st.lists(st.floats(0, 1), min_size=1, max_size=30),
    target=targets,
    knobs=st.sampled_from([("edges", None), ("edges", "twins"), (None, "twins"), ("swaps", "twins"), (None, None)]),
)
def test_whatever_the_measure_does_the_nearest_graph_that_was_seen_is_returned(
    edge_values, twin_values, target, knobs
) -> None:
    def value(amounts: Amounts) -> float:
        turned = amounts.swaps + amounts.edges + 7 * len(amounts.skipped_edges)
        raised = amounts.twins + 11 * len(amounts.skipped_twins)
        return (edge_values[turned % len(edge_values)] + twin_values[raised % len(twin_values)]) / 2

    turned, stub = dial(value, edges=40, swaps=40, twins=40)
    reached = turned.turn(target, Amounts(), *knobs)
    assert reached.ear == value(reached.amounts)
    assert len(set(stub.seen)) == len(stub.seen) <= 500
    assert abs(reached.ear - target) == min(abs(value(amounts) - target) for amounts in stub.seen)
    for amounts in stub.seen:
        assert amounts.edges + len(amounts.skipped_edges) <= 40 and amounts.swaps <= 40
        assert amounts.twins + len(amounts.skipped_twins) <= 40


def test_the_limits_of_the_knobs_are_kept() -> None:
    for knob, limit in (("edges", 5 + 4 * 1000), ("swaps", 1000), ("twins", 1000)):
        asked = []
        turned, stub = dial(lambda amounts: 1.0 if amounts.twins == 0 else 0.0)
        stub.room = lambda name, amounts, wanted, asked=asked: asked.append((name, wanted)) or min(wanted, 3)  # type: ignore[method-assign]
        turned.turn(0.4, Amounts(edges=5), knob, None)
        assert asked == [(knob, limit)]
        assert max(getattr(amounts, knob) for amounts in stub.seen) <= 8


def test_a_graph_is_measured_once_and_told_of_once() -> None:
    told: list[tuple[Amounts, float]] = []
    stub = Stub(lambda amounts: 1 / (1 + amounts.edges), {})
    turned = Dial(stub, None, lambda amounts, found: told.append((amounts, found)))  # type: ignore[arg-type]
    for target in (0.1, 0.3, 0.1, 0.2):
        turned.turn(target, Amounts(), "edges", None)
    assert [amounts for amounts, _ in told] == stub.seen
    assert len(set(stub.seen)) == len(stub.seen)
    assert all(found == stub.value(amounts) for amounts, found in told)


def test_a_target_is_the_same_alone_and_after_others() -> None:
    def value(amounts: Amounts) -> float:
        return (1 + math.cos(amounts.edges)) / (2 + amounts.edges / 50) + amounts.twins / 3000

    shared, _ = dial(value)
    for target in (0.9, 0.1, 0.5, 0.3, 0.7):
        assert shared.turn(target, Amounts(), "edges", "twins") == dial(value)[0].turn(
            target, Amounts(), "edges", "twins"
        )


@pytest.mark.parametrize("target", [-0.01, 1.01, float("nan"), float("inf")])
def test_targets_outside_the_range_are_refused(target: float) -> None:
    with pytest.raises(InvalidParameterError, match=f"^a target EAR lies from 0 to 1, not at {target}$"):
        check_target(target)
    check_target(0.0)
    check_target(1.0)


def test_near_means_within_a_hundredth() -> None:
    assert near(Reached(Amounts(), 0.5099), 0.5) and near(Reached(Amounts(), 0.4901), 0.5)
    assert not near(Reached(Amounts(), 0.5101), 0.5) and not near(Reached(Amounts(), 0.4899), 0.5)
