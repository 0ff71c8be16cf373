"""Settings files: what is written is read again, by us and by bench, and nobody's entry is lost."""

import subprocess
import sys
import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edgeorbit.errors import InvalidParameterError
from edgeorbit.experiments.tuning.settings_file import read_entries, to_toml, write_entry

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
VALUES = st.one_of(TEXT, st.integers(-(2**63), 2**63 - 1), st.floats(allow_nan=False), st.booleans())
ENTRIES = st.fixed_dictionaries(
    {"data": TEXT, "features": TEXT, "model": TEXT, "value": st.floats(allow_nan=False)},
    optional={"settings": st.dictionaries(TEXT, VALUES, max_size=4), "training": st.dictionaries(TEXT, VALUES)},
)


def entry(data: str = "cora", model: str = "gcn", **others: object) -> dict:
    return {"data": data, "features": "original", "model": model, "settings": {}, "training": {}} | others


@given(st.lists(ENTRIES, max_size=4))
def test_what_is_written_is_what_tomllib_reads(entries: list[dict]) -> None:
    read = tomllib.loads(to_toml(entries)).get("tuned", [])
    assert sorted(map(repr, read)) == sorted(map(repr, entries))


def test_an_entry_is_replaced_and_all_others_stay(tmp_path) -> None:
    file = tmp_path / "tuned.toml"
    write_entry(file, entry("Cora", value=0.5, settings={"dropout": 0.1}, remark="mine"))
    write_entry(file, entry("citeseer", value=0.6))
    write_entry(file, entry("cora", "sage", value=0.7))
    write_entry(file, entry("cora", value=0.8))  # bench does not look at capitals
    found = {(one["data"], one["model"]): one["value"] for one in read_entries(file)}
    assert found == {("cora", "gcn"): 0.8, ("citeseer", "gcn"): 0.6, ("cora", "sage"): 0.7}
    assert [path.name for path in tmp_path.iterdir()] == ["tuned.toml"]


def test_bench_takes_the_file(tmp_path) -> None:
    from edgeorbit.experiments.reading import read_experiment

    settings, training = {"hidden_channels": 32}, {"learning_rate": 0.001}
    write_entry(tmp_path / "tuned.toml", entry("Cora", settings=settings, training=training, trials=3, value=0.5))
    (tmp_path / "e.toml").write_text(
        'tuned = "tuned.toml"\nmodels = ["gcn", "sage"]\nseeds = 1\n[[data]]\nname = "Cora"\nsource = "cora"\n'
    )
    cells = {cell.model: cell for cell in read_experiment(tmp_path / "e.toml").cells}
    assert cells["gcn"].settings == settings and cells["gcn"].training == training
    assert not cells["sage"].settings


WRITER = """
import sys
from edgeorbit.experiments.tuning.settings_file import write_entry
for i in range(15):
    write_entry(sys.argv[1], {"data": f"{sys.argv[2]}-{i}", "features": "original", "model": "gcn"})
"""


def test_two_processes_that_write_at_once_lose_nothing(tmp_path) -> None:
    file = tmp_path / "tuned.toml"
    both = [subprocess.Popen([sys.executable, "-c", WRITER, str(file), name]) for name in "ab"]
    assert [process.wait(60) for process in both] == [0, 0]
    assert {one["data"] for one in read_entries(file)} == {f"{name}-{i}" for name in "ab" for i in range(15)}


@pytest.mark.parametrize("text", ['title = "an experiment"\n', "tuned = 3\n", "[[tuned]]\nx = 1\n", "not toml"])
def test_a_file_of_something_else_is_refused_and_stays(text: str, tmp_path) -> None:
    file = tmp_path / "other.toml"
    file.write_text(text)
    with pytest.raises(InvalidParameterError, match=r"other\.toml"):
        write_entry(file, entry())
    assert file.read_text() == text


def test_a_missing_directory_is_made(tmp_path) -> None:
    write_entry(tmp_path / "new" / "tuned.toml", entry())
    assert read_entries(tmp_path / "new" / "tuned.toml") == [entry()]
    assert [path.name for path in (tmp_path / "new").iterdir()] == ["tuned.toml"]
