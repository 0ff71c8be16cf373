"""Random numbers belong to a seed and a purpose, and to nothing else of the machine or of numpy."""

import hashlib
import itertools
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from edgeorbit._randomness import BLOCK, Random
from edgeorbit.errors import InvalidParameterError

WORD = 2**64


def philox(key: int, number: int) -> list[int]:
    """The first raw numbers of Philox4x64-10 by its definition (Salmon et al. 2011), counted from block 1."""
    raw: list[int] = []
    for block in itertools.count(1):
        if len(raw) >= number:
            return raw[:number]
        counter, (low, high) = [block, 0, 0, 0], (key % WORD, key // WORD)
        for _ in range(10):
            first, second = 0xD2E7470EE14C6C93 * counter[0], 0xCA5A826395121157 * counter[2]
            counter = [
                second // WORD ^ counter[1] ^ low,
                second % WORD,
                first // WORD ^ counter[3] ^ high,
                first % WORD,
            ]
            low, high = (low + 0x9E3779B97F4A7C15) % WORD, (high + 0xBB67AE8584CAA73B) % WORD
        raw += counter
    raise AssertionError


def raw_numbers(seed: int, purpose: str, number: int) -> list[int]:
    return philox(int.from_bytes(hashlib.sha256(f"{seed} {purpose}".encode()).digest()[:16], "little"), number)


@given(seed=st.integers(0, 2**63 - 1), purpose=st.text(max_size=20), size=st.integers(1, 50))
def test_every_number_follows_from_raw_bits_that_plain_integers_can_compute(seed: int, purpose: str, size: int) -> None:
    raw = raw_numbers(seed, purpose, size)
    assert Random(seed, purpose).uniform(size).tolist() == [(bits >> 11) / 2**53 for bits in raw]
    bounds = [1 + (bits % 10**6) for bits in raw]
    expected = [int((bits >> 11) / 2**53 * bound) for bits, bound in zip(raw, bounds, strict=True)]
    assert Random(seed, purpose).below(np.array(bounds)).tolist() == expected
    assert Random(seed, purpose).permutation(size).tolist() == sorted(range(size), key=raw.__getitem__)


def test_single_numbers_come_from_blocks_of_the_same_stream() -> None:
    random, blocks = Random(3, "x"), Random(3, "x")
    drawn = [random.one() for _ in range(2 * BLOCK + 1)]
    expected = [number for _ in range(3) for number in blocks.uniform(BLOCK)[::-1].tolist()]
    assert drawn == expected[: 2 * BLOCK + 1]


def test_nothing_but_raw_output_is_taken_from_numpy(monkeypatch: pytest.MonkeyPatch) -> None:
    class RawOnly:
        def __init__(self, key: int) -> None:
            self._raw = iter(philox(key, 20_000))

        def random_raw(self, size: int) -> np.ndarray:
            return np.array(list(itertools.islice(self._raw, size)), np.uint64)

    def use_all() -> list[list[float]]:
        random = Random(0, "all")
        found = [random.uniform(9), random.below(np.arange(1, 40)), random.permutation(30)]
        return [*(one.tolist() for one in found), [random.one() for _ in range(5)]]

    expected = use_all()
    monkeypatch.setattr(np.random, "Philox", RawOnly)
    assert use_all() == expected


@given(bound=st.integers(1, 2**53))
def test_a_number_below_a_bound_never_is_the_bound(bound: int) -> None:
    class Largest:
        def random_raw(self, size: int) -> np.ndarray:
            return np.full(size, WORD - 1, np.uint64)

    random = Random(0, "")
    random._bits = Largest()  # type: ignore[assignment]
    assert 0 <= random.below(np.array([bound])).item() < bound


def test_seeds_and_purposes_have_streams_of_their_own_that_go_on() -> None:
    streams = {(seed, purpose): Random(seed, purpose) for seed in range(20) for purpose in ("a", "b", "")}
    drawn = [tuple(stream.uniform(3)) for _ in range(5) for stream in streams.values()]
    assert len(set(drawn)) == len(drawn)


def test_draws_are_fair() -> None:
    throws = np.bincount(Random(1, "dice").below(np.full(60_000, 6)), minlength=7)
    assert throws[6] == 0
    assert (np.abs(throws[:6] - 10_000) < 5 * np.sqrt(60_000 * 5 / 36)).all()
    random = Random(1, "shuffles")
    orders = Counter(tuple(random.permutation(4).tolist()) for _ in range(24_000))
    assert len(orders) == 24
    assert all(abs(count - 1000) < 5 * np.sqrt(1000) for count in orders.values())


def test_nothing_may_be_drawn_from_nothing() -> None:
    random = Random(0, "")
    assert len(random.uniform(0)) == len(random.below(np.zeros(0, np.int64))) == len(random.permutation(0)) == 0


@pytest.mark.parametrize("seed", [-1, 1.5, "0", None])
def test_what_is_no_seed_is_refused(seed: object) -> None:
    with pytest.raises(InvalidParameterError, match=r"a seed is a whole number from 0 to 2\^63 - 1, not"):
        Random(seed, "")  # type: ignore[arg-type]
    assert Random(np.int64(7), "p").uniform(2).tolist() == Random(7, "p").uniform(2).tolist()
