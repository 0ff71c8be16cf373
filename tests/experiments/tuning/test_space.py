"""The search space: the paper's ranges, every model's own, and nothing that a model would refuse."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

pytest.importorskip("optuna")
pytest.importorskip("torch_geometric")

from optuna.trial import FixedTrial

from edgeorbit.errors import InvalidParameterError
from edgeorbit.experiments.tuning.space import (
    COMMON,
    MOST_STEPS,
    Range,
    parse_range,
    read_range,
    search_space,
    suggest,
)
from edgeorbit.graph.toys import karate
from edgeorbit.models import MODELS, make_model, resolve_model
from edgeorbit.training.settings import setting_names, training_class

TUNABLE = [name for name in MODELS if search_space(name, 1000).space]


def draw_point(data: st.DataObject, model: str, num_edges: int):
    """Draw any point of a space, as optuna may."""
    space = search_space(model, num_edges).space
    chosen = {}
    for name, one in space.items():
        if isinstance(one, Range):
            chosen[name] = data.draw(st.floats(one.low, one.high), label=name)
        elif all(isinstance(choice, int | float) and not isinstance(choice, bool) for choice in one):
            chosen[name] = data.draw(st.integers(0, len(one) - 1), label=name)
        else:
            chosen[name] = data.draw(st.sampled_from(one), label=name)
    return suggest(FixedTrial(chosen), model, space)


@pytest.mark.parametrize("model", MODELS)
def test_every_key_is_a_setting_and_every_value_is_taken(model: str) -> None:
    own, training = setting_names(resolve_model(model))
    for name, one in search_space(model, 10_000).space.items():
        assert name in own | training
        for value in one if isinstance(one, list) else (one.low, one.high):
            if name in own:
                assert getattr(make_model(model, **{name: value}).settings, name) == value
            else:
                assert getattr(training_class(resolve_model(model)).from_mapping({name: value}, ""), name) == value


@pytest.mark.parametrize("model", TUNABLE)
@settings(max_examples=25)
@given(data=st.data(), num_edges=st.integers(2, 10**7))
def test_every_point_makes_a_model_and_its_training(model: str, data: st.DataObject, num_edges: int) -> None:
    point = draw_point(data, model, num_edges)
    made = make_model(model, **point.settings)
    if made.trainable:
        training_class(type(made)).from_mapping(point.training, "training")
    own, training = setting_names(type(made))
    assert set(point.settings) <= own and set(point.training) <= training


@pytest.mark.parametrize("model", ["gat", "seal", "nbfnet", "buddy", "ncnc"])
def test_the_corners_of_a_space_make_networks(model: str) -> None:
    graph = karate()
    graph = graph.with_attributes(x=graph.degree.astype("float32")[:, None])
    space = search_space(model, graph.num_edges).space
    for corner in (0, -1):
        chosen = {
            name: (one.low, one.high)[corner]
            if isinstance(one, Range)
            else range(len(one))[corner]
            if all(isinstance(choice, int | float) and not isinstance(choice, bool) for choice in one)
            else one[corner]
            for name, one in space.items()
        }
        make_model(model, **suggest(FixedTrial(chosen), model, space).settings).build(graph, 0)


def test_the_default_space_is_that_of_the_paper() -> None:
    space = search_space("gcn", 40_000).space
    assert (space["learning_rate"].low, space["learning_rate"].high, space["learning_rate"].log) == (1e-4, 1e-2, True)
    assert (space["dropout"].low, space["dropout"].high) == (0, 0.3)
    assert space["hidden_channels"][0] == 16 and space["hidden_channels"][-1] == 128
    assert space["num_layers"] == [1, 2, 3]
    assert COMMON["batch_size"] == [2**power for power in range(5, 16)]
    assert space["decoder"] == ["dot", "mlp"]  # of its own


@given(num_edges=st.integers(2, 6_000_000))
def test_an_epoch_has_at_most_so_many_steps_and_clipping_is_told(num_edges: int) -> None:
    space, remarks = search_space("gcn", num_edges)
    batches = space["batch_size"]
    assert batches and all(math.ceil(num_edges / batch) <= MOST_STEPS for batch in batches)
    assert bool(remarks) == (num_edges > 32 * MOST_STEPS)
    # Training takes at most half of the edges: one batch at most is as large or larger.
    assert sum(batch >= num_edges / 2 for batch in batches) <= 1 or batches == [32]


def test_heuristics_without_settings_have_no_space() -> None:
    assert not search_space("cn", 100).space
    assert set(search_space("katz", 100).space) == {"beta", "max_length"}


def test_what_is_fixed_is_not_searched_and_what_is_given_counts() -> None:
    space = search_space("gcn", 1000, {"dropout": Range(0.0, 0.9)}, {"num_layers": 2, "learning_rate": 0.01}).space
    assert "num_layers" not in space and "learning_rate" not in space
    assert space["dropout"] == Range(0.0, 0.9)


@pytest.mark.parametrize(
    ("given_space", "sentence"),
    [
        ({"depth": [1]}, "gcn has no setting 'depth' to search; its settings are: activation, averag"),
        ({"num_layers": [0]}, "num_layers"),
        ({"learning_rate": Range(-1.0, 1.0)}, "learning_rate must be above 0"),
        ({"decoder": ["cat"]}, "decoder"),
    ],
)
def test_ranges_that_a_model_does_not_take_get_one_sentence(given_space: dict, sentence: str) -> None:
    with pytest.raises(InvalidParameterError, match=sentence):
        search_space("gcn", 1000, given_space)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("dropout=0..0.6", ("dropout", Range(0.0, 0.6))),
        ("hops=1..3", ("hops", Range(1, 3))),
        ("lr=1e-4..1e-2", ("lr", Range(1e-4, 1e-2, log=True))),
        ("batch_size=64,32", ("batch_size", [32, 64])),
        ("layer_norm=true,false", ("layer_norm", [True, False])),
        ("decoder=dot", ("decoder", ["dot"])),
    ],
)
def test_ranges_are_read(text: str, expected: tuple) -> None:
    assert parse_range(text) == expected


@pytest.mark.parametrize("text", ["dropout", "=1..2", "dropout=", "dropout=a..b", "dropout=0.5..0.1", "x=0..inf"])
def test_broken_ranges_get_one_sentence(text: str) -> None:
    with pytest.raises(InvalidParameterError):
        parse_range(text)


@pytest.mark.parametrize("given", [[[1, 2], 3], [{"low": 1}], [None], []])
def test_values_that_no_setting_has_are_refused(given: list) -> None:
    with pytest.raises(InvalidParameterError, match="list of values"):
        read_range(given)
