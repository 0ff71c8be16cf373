"""Claims: of several benches one has a cell, and what a dead one had is taken over."""

import json
import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from edgeorbit.errors import EdgeorbitError
from edgeorbit.experiments import claims as module
from edgeorbit.experiments.claims import Claims
from edgeorbit.experiments.store import Store
from edgeorbit.files import locked


@pytest.fixture
def two(tmp_path):
    return Claims(tmp_path / "c"), Claims(tmp_path / "c")


def age(claims: Claims, key: str, seconds: float) -> None:
    path = claims.directory / f"{key}.claim"
    os.utime(path, (time.time() - seconds,) * 2)


def change(claims: Claims, key: str, **said) -> None:
    path = claims.directory / f"{key}.claim"
    path.write_text(json.dumps(json.loads(path.read_text()) | said))


def test_a_bench_that_ends_before_it_knows_what_to_say_leaves_no_claim(two, monkeypatch) -> None:
    monkeypatch.setattr(Claims, "_about", lambda self: sys.exit("killed"))
    with pytest.raises(SystemExit):
        two[0].take("a")
    assert two[1].taken() == set()


def test_a_cell_is_claimed_once_until_it_is_given_back(two) -> None:
    one, other = two
    assert one.take("a") and not other.take("a") and not one.take("a")
    assert other.taken() == {"a"} and one.mine == {"a"} and other.mine == set()
    assert other.take_over(["a"]) is None, "its process is alive: it is this one"
    other.release("a")
    assert other.taken() == {"a"}, "only the owner gives it back"
    one.release("a")
    assert other.take("a")


def test_a_claim_that_nobody_touched_for_two_minutes_is_taken_over(two) -> None:
    one, other = two
    one.take("a")
    change(one, "a", space="another machine")
    age(one, "a", 100)
    assert other.take_over(["b", "a"]) is None
    age(one, "a", 130)
    assert other.take_over(["b", "a"]) == "a" and other.mine == {"a"}
    assert one.take_over(["a"]) is None


def test_touching_keeps_a_claim_and_shows_what_was_lost(two, monkeypatch) -> None:
    one, other = two
    for key in "ab":
        one.take(key)
        age(one, key, 130)
    assert one.refresh() == set(), "it is not time yet"
    assert other.take_over(["a"]) == "a"
    monkeypatch.setattr(module, "REFRESH_SECONDS", 0.0)
    assert one.refresh() == {"a"} and one.mine == {"b"}
    assert other.take_over(["b"]) is None
    one.close()
    assert other.taken() == {"a"}


@pytest.mark.parametrize(
    ("said", "stale"),
    [
        ({}, False),
        ({"started": "1"}, True),  # the number of the process belongs to another one now
        ({"started": "1", "space": "x"}, False),  # on another machine nobody can tell
        ({"pid": "no number"}, False),
    ],
)
def test_processes_are_looked_for_on_their_own_machine_alone(two, said, stale) -> None:
    two[0].take("a")
    change(two[0], "a", **said)
    assert (two[1].take_over(["a"]) == "a") == stale


def test_the_claim_of_a_process_that_is_gone_is_taken_over_at_once(tmp_path) -> None:
    code = "import os, sys; from pathlib import Path; from edgeorbit.experiments.claims import Claims\n"
    code += "Claims(Path(sys.argv[1])).take('a'); os._exit(1)"
    subprocess.run([sys.executable, "-c", code, tmp_path / "c"], check=False)
    claims = Claims(tmp_path / "c")
    assert claims.taken() == {"a"} and len(list(claims.directory.glob("*.beat"))) == 2
    claims.clean(set(), "code")
    assert len(list(claims.directory.glob("*.beat"))) == 1
    assert claims.take_over(["a"]) == "a"


def test_a_claim_that_was_cut_off_while_it_was_written_is_no_error(two) -> None:
    (two[0].directory / "a.claim").write_text('{"tok')
    assert not two[0].take("a") and two[0].take_over(["a"]) is None
    age(two[0], "a", 130)
    assert two[0].take_over(["a"]) == "a"


def test_checkpoints_of_cells_that_are_done_or_of_other_code_are_removed(two) -> None:
    claims = two[0]
    places = [claims.run_directory(key, code) for key, code in [("a", "x"), ("b", "x"), ("c", "y"), ("d", "y")]]
    for place in places:
        place.mkdir()
    claims.take("d")
    claims.clean({"a"}, "x")
    assert [place.exists() for place in places] == [False, True, False, True]


def test_a_directory_that_cannot_be_written_is_told(tmp_path) -> None:
    (tmp_path / "c").write_text("a file")
    with pytest.raises(EdgeorbitError, match="name results in another directory"):
        Claims(tmp_path / "c")


def test_a_bench_can_start_while_another_one_clears_the_directory_away(tmp_path) -> None:
    store = Store(tmp_path / "r.parquet")
    with ThreadPoolExecutor() as pool:
        clearing = pool.submit(lambda: [Store(store.path).clean() for _ in range(3000)])
        while not clearing.done():
            Claims(store.side).close()
        clearing.result()


COUNT = """
import sys
from contextlib import suppress
from pathlib import Path
from edgeorbit.files import locked
place = Path(sys.argv[1])
for _ in range(100):
    with locked(place / "side" / "lock"):
        number = int((place / "number").read_text())
        (place / "number").write_text(str(number + 1))
        (place / "side" / "lock").unlink()
        with suppress(OSError):  # the next one may be there already
            (place / "side").rmdir()
"""


def test_a_lock_holds_although_every_holder_removes_its_file_and_directory(tmp_path) -> None:
    (tmp_path / "number").write_text("0")
    both = [subprocess.Popen([sys.executable, "-c", COUNT, tmp_path]) for _ in range(3)]
    assert [process.wait() for process in both] == [0, 0, 0]
    assert (tmp_path / "number").read_text() == "300"


def test_a_lock_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no directory")
    with pytest.raises(EdgeorbitError, match="cannot be written"), locked(tmp_path / "file" / "lock"):
        pass


def test_a_claim_of_a_dead_bench_goes_once_its_cell_is_done(two) -> None:
    one, other = two
    for key in ("done", "open", "alive"):
        one.take(key)
    for key in ("done", "open"):
        change(one, key, started="another process")
    other.clean({"done", "alive"}, "code")
    assert other.taken() == {"open", "alive"}
