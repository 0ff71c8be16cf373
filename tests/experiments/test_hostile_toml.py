"""Experiment files and settings files that nobody would write: one sentence, at once."""

import pytest

from edgeorbit.errors import InvalidParameterError
from edgeorbit.experiments.reading import read_experiment, read_tuned
from edgeorbit.experiments.toml_files import DEEPEST, parse_toml
from edgeorbit.experiments.tuning.settings_file import read_entries

DATA = '\n[[data]]\nsource = "karate"\n'


@pytest.mark.parametrize(
    "text",
    [
        "a = " + "[" * 20_000 + "]" * 20_000,
        "a = " + "{a=" * 20_000 + "1" + "}" * 20_000,
        "a" + ".a" * 3000 + " = 1",
        "a" + " . a" * 100_000 + " = 1",
        "[a" + ".'a'" * 100_000 + "]",
        "x = {a" + '."a"' * 100_000 + " = 1}",
        "a = " + "[" * (DEEPEST + 1) + "]" * (DEEPEST + 1),
        "seeds = " + "1" * 5000,
    ],
)
def test_depth_and_length_are_refused_in_every_file(tmp_path, text) -> None:
    path = tmp_path / "e.toml"
    path.write_text(text + DATA)
    for read in (read_experiment, read_tuned, read_entries):
        with pytest.raises(InvalidParameterError) as caught:
            read(path)
        assert str(caught.value).startswith(str(path)) and len(str(caught.value)) < 400


def test_ordinary_text_with_many_dots_is_read(tmp_path) -> None:
    text = f'remarks = "{"One. " * 90}{"." * 500}" # {"." * 500}\nvalues = [{"0.5, " * 500}]\n# {"a." * 90}\n'
    assert len(parse_toml(text, "e.toml")["values"]) == 500
    assert parse_toml("a" + ".a" * (DEEPEST - 2) + "=1", "e.toml")


@pytest.mark.parametrize("key", ["title", "tuned", "x", "kind"])
@pytest.mark.parametrize("letters", ["a" * 3000, "a " * 1500, r"\u001b[31m" * 300])
def test_long_names_are_shortened(tmp_path, key, letters) -> None:
    path = tmp_path / "e.toml"
    path.write_text(f'{key} = "{letters}"\nmodels = ["{letters}"]' + DATA)
    with pytest.raises(InvalidParameterError) as caught:
        read_experiment(path)
    assert len(str(caught.value)) < 1600 and "\x1b" not in str(caught.value)


def test_a_settings_file_with_a_long_name_is_one_sentence(tmp_path) -> None:
    path = tmp_path / "e.toml"
    path.write_text(f'tuned = "{"a" * 3000}"\nmodels = ["ra"]' + DATA)
    with pytest.raises(InvalidParameterError, match=r"tuned: aaa.*: No such file"):
        read_experiment(path)


@pytest.mark.parametrize("name", ["name", "source", "tuned_as", "features_from"])
def test_graphs_with_long_names_are_one_sentence_or_a_plan(tmp_path, name) -> None:
    path = tmp_path / "e.toml"
    given = {"source": "karate"} | {name: "a" * 3000}
    path.write_text("[[data]]\n" + "".join(f'{key} = "{value}"\n' for key, value in given.items()))
    if name in {"name", "tuned_as"}:
        assert read_experiment(path).cells
    else:
        with pytest.raises(InvalidParameterError, match="aaa") as caught:
            read_experiment(path)
        assert len(str(caught.value)) < 1600


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("seeds = 9007199254740992" + DATA, "line 1, seeds: must be at most 10000, not 9007199254740992"),
        (DATA + "seeds = 10001\n", "must be at most 10000"),
        (DATA + "also = {gcn = 10001}\n", "must be at most 10000"),
        (
            "seeds = 10000\n" + "".join(f'[[data]]\nname = "g{n}"\nsource = "karate"\n' for n in range(10)),
            "runs and may plan 1,000,000",
        ),
    ],
)
def test_more_runs_than_anybody_could_make_are_refused(tmp_path, text, sentence) -> None:
    path = tmp_path / "e.toml"
    path.write_text(text)
    with pytest.raises(InvalidParameterError, match=sentence):
        read_experiment(path)
