"""Options of generators are refused before anything is made, with the option that is to blame."""

import inspect

import pytest

from edgeorbit.errors import InvalidParameterError
from edgeorbit.synthetic.make import make, sweep
from edgeorbit.synthetic.options import KINDS, OptionError, check_options


@pytest.mark.parametrize(
    ("name", "options", "blamed", "said"),
    [
        ("syn-karate", {"eer": 0.5}, "eer", "no option 'eer'; did you mean ear"),
        ("syn-karate", {"threads": 2}, "threads", "no option 'threads'; choose from ear"),
        ("syn-karate", {"ear": 5}, "ear", "from 0 to 1, not at 5"),
        ("syn-karate", {"ear": "0.5"}, "ear", "give a number, not '0.5'"),
        ("syn-karate", {"rounds": -1}, "rounds", "rounds must be 0 or more"),
        ("syn-karate", {"rounds": 1.5}, "rounds", "give a whole number, not 1.5"),
        ("syn-karate", {"seed": -1}, "seed", "a whole number from 0"),
        ("syn-karate", {"edges": -1}, "edges", "edges must not be negative"),
        ("syn-karate", {"inter": 2}, "inter", "from 0 to 1, not 2"),
        ("syn-karate", {"part": "leaf"}, "part", "'leaf' cannot be cloned"),
        ("syn-karate", {"dial": "ear"}, "dial", "'ear' is unknown; choose from auto"),
        ("syn-karate", {"dial": "edges", "edges": 3}, "dial", "cannot be given and dialled at once"),
        ("syn-karate", {"features": "own"}, "features", "'own' is unknown; choose from original"),
        ("syn-karate", {"of": "cora"}, "of", "names its source already"),
        ("syn-karate", {"copies": True}, "copies", "give a whole number, not True"),
        ("grid", {"of": "cora"}, "of", "is not made from another graph"),
        ("grid", {"row": 3}, "row", "did you mean rows"),
        ("twins", {}, None, "say which"),
    ],
)
def test_options_that_make_would_refuse_are_refused_before(name, options, blamed, said) -> None:
    with pytest.raises(OptionError, match=said) as error:
        check_options(name, options)
    assert error.value.option == blamed
    if "threads" not in options and "whole number, not" not in said:  # Python itself takes 1.5 and True
        with pytest.raises((InvalidParameterError, TypeError)):
            make(name, **options)


def test_every_option_of_make_that_decides_the_graph_is_known() -> None:
    given = {
        name for name, one in inspect.signature(sweep).parameters.items() if one.kind is inspect.Parameter.KEYWORD_ONLY
    }
    assert set(KINDS) == given - {"data_dir", "threads", "progress"} | {"ear"}


def test_good_options_pass_and_a_generator_that_there_is_not_does_not() -> None:
    check_options("syn-no-such-graph", {"ear": 1, "rounds": 2, "copies": 3, "inter": 0.5, "features": "degree"})
    with pytest.raises(InvalidParameterError, match="'grit' is not a generator"):
        check_options("grit", {})
