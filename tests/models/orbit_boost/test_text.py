"""Trees are read from text that anybody may have written: what does not describe trees never reaches LightGBM."""

import hashlib
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

pytest.importorskip("lightgbm")

import lightgbm

from edgeorbit.errors import GraphFormatError
from edgeorbit.models.orbit_boost.text import END, SEAL, checked, sealed
from edgeorbit.prediction import LinkPredictor


def grown(objective: str = "binary", trees: int = 6) -> tuple[str, np.ndarray, "lightgbm.Booster"]:
    values = np.random.default_rng(0).random((400, 3), np.float32)
    label = values[:, 0] + values[:, 1] ** 2 > 0.8
    group = [4] * 100 if objective == "lambdarank" else None
    params = {"objective": objective, "num_leaves": 5, "verbosity": -1, "num_threads": 1}
    names = ["degree_min", "degree_max", "distance"]
    booster = lightgbm.Booster(params, lightgbm.Dataset(values, label, group=group, feature_name=names, params=params))
    for _ in range(trees):
        booster.update()
    return booster.model_to_string(), values, booster


TEXT = sealed(grown()[0])
BODY = TEXT[: TEXT.index(SEAL) - 1]


def resealed(body: str) -> str:
    """Return a text with a digest that is right, whatever it says."""
    return f"{body}\n{SEAL}{hashlib.sha256(body.encode()).hexdigest()}\n"


@pytest.mark.parametrize("objective", ["binary", "lambdarank"])
def test_what_is_read_scores_as_what_was_written(objective: str) -> None:
    text, values, booster = grown(objective)
    for each in (checked(sealed(text)), sealed(text)):  # ours, and the file itself by LightGBM
        again = lightgbm.Booster(model_str=each)
        assert np.array_equal(again.predict(values, raw_score=True), booster.predict(values, raw_score=True))
    assert checked(sealed(text)) + "\n" == sealed(text)[: sealed(text).index(END)] + END + "\n\n"


def test_a_model_without_a_split_is_read() -> None:
    params = {"objective": "binary", "verbosity": -1}
    data = lightgbm.Dataset(np.ones((50, 2)), np.arange(50) % 2, feature_name=["degree_min", "distance"], params=params)
    booster = lightgbm.Booster(params, data)
    booster.update()
    assert lightgbm.Booster(model_str=checked(sealed(booster.model_to_string()))).num_trees() == 1


@settings(max_examples=200, deadline=None)
@given(place=st.integers(0, len(TEXT) - 2), character=st.characters(codec="utf-8"))
def test_a_changed_character_is_noticed(place: int, character: str) -> None:
    changed = TEXT[:place] + character + TEXT[place + 1 :]
    if changed != TEXT:
        with pytest.raises(ValueError):
            checked(changed)


HOSTILE = {
    "another signal": ("feature_names=degree_min", "feature_names=degree"),
    "one signal twice": ("feature_names=degree_min", "feature_names=distance"),
    "fewer signals": ("max_feature_idx=2", "max_feature_idx=1"),
    "a class more": ("num_class=1", "num_class=7"),
    "another objective": ("objective=binary sigmoid:1", "objective=multiclass num_class:3"),
    "a signal that is not there": (r"split_feature=\d+", "split_feature=99"),
    "a negative signal": (r"split_feature=\d+", "split_feature=-1"),
    "a child that is its parent": (r"left_child=-?\d+", "left_child=0"),
    "a child that is not there": (r"left_child=-?\d+", "left_child=70000"),
    "more leaves than values": (r"num_leaves=\d+", "num_leaves=4000000"),
    "a leaf that is NaN": (r"leaf_value=\S+", "leaf_value=nan"),
    "a leaf that is infinite": (r"leaf_value=\S+", "leaf_value=1e999"),
    "a digit of another script": (r"split_feature=\d+", "split_feature=\u0661"),
    "a categorical split": (r"decision_type=\d+", "decision_type=1"),
    "categories": ("num_cat=0", "num_cat=3"),
    "a linear tree": ("is_linear=0", "is_linear=1"),
    "a tree of another number": ("Tree=3", "Tree=4"),
    "a line more": ("shrinkage=1", "shrinkage=1\nleaf_features=1"),
    "no trees": (r"(?s)Tree=0.*?(?=end of trees)", ""),
    "another version": ("version=v4", "version=v9"),
}


@pytest.mark.parametrize("what", HOSTILE)
def test_a_text_with_the_right_digest_and_the_wrong_content_is_refused(what: str) -> None:
    old, new = HOSTILE[what]
    changed = re.sub(old, lambda _: new, BODY, count=1)
    assert changed != BODY
    with pytest.raises(ValueError):
        checked(resealed(changed))


def test_sizes_that_the_text_claims_are_not_believed() -> None:
    lies = re.sub(r"tree_sizes=\d+", "tree_sizes=999999999", BODY)
    assert checked(resealed(lies)) == checked(TEXT)


@pytest.mark.parametrize("content", [b"", b"tree\n", b"\xff\xfe\x00", b"\x1f\x8b" + bytes(50), TEXT[:-9].encode()])
def test_a_damaged_file_is_one_sentence(tmp_path, content: bytes) -> None:
    run = tmp_path / "run"
    LinkPredictor("orbit-boost", settings={"trees": 5, "folds": 2}, threads=1).fit("karate", output=run)
    (run / "model.txt").write_bytes(content)
    with pytest.raises(GraphFormatError, match=r"model\.txt: "):
        LinkPredictor.load(run)
    (run / "model.txt").unlink()
    with pytest.raises(GraphFormatError, match="is missing; train again"):
        LinkPredictor.load(run)
