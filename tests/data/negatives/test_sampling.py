"""Negatives by name."""

import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

from edgeorbit.data.negatives import KINDS, orbit_negatives, sample_negatives
from edgeorbit.data.splits import Negatives, random_split
from edgeorbit.errors import InvalidParameterError
from edgeorbit.graph.toys import karate


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_has_its_name_and_fits_the_split(kind):
    split = random_split(karate())
    negatives = sample_negatives(split, kind, 3)
    assert negatives.kind == kind
    assert negatives.info["seed"] == 3
    for part in ("valid", "test"):
        assert negatives.of(part).shape[-1] == 2
        assert len(negatives.of(part)) == len(split.positives(part))


def test_options_are_passed_on():
    split = random_split(karate())
    found = sample_negatives(split, "orbit", 1, per_positive=7, rounds=1)
    assert (found.test == orbit_negatives(split, 1, 7, 1).test).all()


def test_negatives_that_come_with_the_split_are_taken():
    given = {kind: Negatives(kind, np.zeros((1, 2), int), np.zeros((1, 2), int)) for kind in ("heart", "official")}
    split = replace(random_split(karate()), negatives=given)
    assert sample_negatives(split, "heart", 0) is given["heart"]
    assert sample_negatives(split, "official", 0) is given["official"]
    assert sample_negatives(split, "random", 0) is not given.get("random")
    with pytest.raises(InvalidParameterError, match="so that per_positive cannot be chosen"):
        sample_negatives(split, "heart", 0, per_positive=3)
    with pytest.raises(InvalidParameterError, match="'hard' are unknown; choose from random, heart, orbit, official"):
        sample_negatives(split, "hard", 0)


def test_an_option_of_another_kind_is_refused():
    with pytest.raises(InvalidParameterError, match="random negatives have no option 'rounds'; choose from ratio"):
        sample_negatives(random_split(karate()), "random", 0, rounds=2)


def test_importing_negatives_and_metrics_is_light():
    code = (
        "import sys, edgeorbit.data.negatives, edgeorbit.evaluation; "
        "print([name for name in ('numba', 'scipy', 'torch', 'sklearn') if name in sys.modules])"
    )
    finished = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert finished.stdout.strip() == "[]"
