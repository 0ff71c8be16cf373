"""Arrays that torch saved are read as they are, and nothing in a file is run."""

import io
import os
import pickle
import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from edgeorbit import _memory as memory
from edgeorbit.data.torch_arrays import read_torch_arrays
from edgeorbit.errors import EdgeorbitError, GraphFormatError, LimitExceededError, MissingExtraError

torch = pytest.importorskip("torch")
NUMBERS = hnp.integer_dtypes(endianness="?") | hnp.unsigned_integer_dtypes() | hnp.floating_dtypes(sizes=(32, 64))


@given(
    st.dictionaries(st.sampled_from("abc"), hnp.arrays(NUMBERS, hnp.array_shapes(min_dims=0, max_dims=3, min_side=0))),
    st.booleans(),
    st.booleans(),
)
def test_what_torch_saved_comes_back(tmp_path, arrays, zipped, fortran):
    saved = {key: np.asfortranarray(array) if fortran else array for key, array in arrays.items()}
    torch.save(saved, tmp_path / "a.pt", _use_new_zipfile_serialization=zipped)
    found = read_torch_arrays(tmp_path / "a.pt")
    assert list(found) == list(arrays)
    for key, array in arrays.items():
        assert found[key].dtype == array.dtype.newbyteorder("=")
        np.testing.assert_array_equal(found[key], array)


@pytest.mark.parametrize("zipped", [True, False])
def test_tensors_are_arrays_too(tmp_path, zipped):
    saved = {"edge": torch.arange(6).reshape(3, 2), "weight": torch.ones(3, requires_grad=True)}
    torch.save(saved, tmp_path / "a.pt", _use_new_zipfile_serialization=zipped)
    found = read_torch_arrays(tmp_path / "a.pt")
    assert found["edge"].tolist() == [[0, 1], [2, 3], [4, 5]] and found["weight"].tolist() == [1, 1, 1]


class Evil:
    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return os.mkdir, (str(self.path),)


@pytest.mark.parametrize("protocol", [2, 4])
@pytest.mark.parametrize("zipped", [True, False])
def test_nothing_in_a_file_is_run(tmp_path, zipped, protocol):
    marker = tmp_path / "ran"
    torch.save(
        {"edge": Evil(marker)}, tmp_path / "a.pt", pickle_protocol=protocol, _use_new_zipfile_serialization=zipped
    )
    with pytest.raises(
        GraphFormatError, match=r"a\.pt: is not a readable file of arrays \(.*\); fetch it again"
    ) as error:
        read_torch_arrays(tmp_path / "a.pt")
    assert not marker.exists() and "weights_only" not in str(error.value) and "\n" not in str(error.value)


@pytest.mark.parametrize("thing", [np.load, np.lib.format.open_memmap, pickle.loads, print, getattr, torch.load])
def test_other_functions_are_refused_by_name(tmp_path, thing):
    torch.save({"edge": thing}, tmp_path / "a.pt")
    with pytest.raises(GraphFormatError, match=rf"it asks for \S*{thing.__name__}, which is not part of one"):
        read_torch_arrays(tmp_path / "a.pt")


@pytest.mark.parametrize(
    ("stored", "reason"),
    [
        ([1, 2], "it is no dictionary"),
        ({1: np.ones(2)}, "it is no dictionary"),
        ({"edge": "text"}, "it holds a str"),
        ({"edge": np.array([{}, 1], object)}, "it holds something else than numbers"),
        ({"edge": np.array(["a"])}, "its numbers are of type U1"),
        ({"edge": np.zeros(2, [("a", "i4")])}, "its numbers are of type V4"),
    ],
)
def test_other_content_is_refused_with_a_reason(tmp_path, stored, reason):
    torch.save(stored, tmp_path / "a.pt")
    with pytest.raises(GraphFormatError, match=reason):
        read_torch_arrays(tmp_path / "a.pt")


class FlaggedType:
    def __reduce__(self):
        return np.dtype, ("i8", False, True), (3, "<", None, None, None, -1, -1, 63)


class FlaggedArray:
    def __reduce__(self):
        state = (1, (4,), FlaggedType(), False, np.arange(4).tobytes())
        return np._core.multiarray._reconstruct, (np.ndarray, (0,), b"b"), state


def test_a_type_cannot_claim_to_hold_objects(tmp_path):
    # numpy itself believes these flags, and then follows the numbers of the array as if they were addresses.
    torch.save({"edge": FlaggedArray()}, tmp_path / "a.pt")
    found = read_torch_arrays(tmp_path / "a.pt")["edge"]
    assert not found.dtype.hasobject and found.tolist() == [0, 1, 2, 3]


class LongArray:
    def __reduce__(self):
        state = (1, (2**40, 2**40), np.dtype("i8"), False, b"")
        return np._core.multiarray._reconstruct, (np.ndarray, (0,), b"b"), state


def test_a_shape_beyond_its_bytes_is_refused(tmp_path):
    torch.save({"edge": LongArray()}, tmp_path / "a.pt")
    with pytest.raises(GraphFormatError, match=r"an array of shape .* has 0 bytes"):
        read_torch_arrays(tmp_path / "a.pt")


def test_a_file_that_is_not_there_or_a_directory_is_one_sentence(tmp_path):
    for path, message in ((tmp_path / "none.pt", "is not a readable file of arrays"), (tmp_path, "is a directory")):
        with pytest.raises(GraphFormatError, match=message):
            read_torch_arrays(path)


def test_memory_is_asked_for_before_the_file_is_read(tmp_path, monkeypatch):
    torch.save({"edge": np.zeros(10**6)}, tmp_path / "a.pt")
    monkeypatch.setattr(memory, "available_memory", lambda: 1 << 20)
    with pytest.raises(LimitExceededError, match=r"a\.pt: reading it takes about"):
        read_torch_arrays(tmp_path / "a.pt")


def test_an_old_torch_is_not_trusted(tmp_path, monkeypatch):
    monkeypatch.setattr(torch, "__version__", "2.5.1+cpu")
    with pytest.raises(MissingExtraError, match=r"torch 2\.5\.1\+cpu does not read such files safely"):
        read_torch_arrays(tmp_path / "a.pt")


@pytest.mark.parametrize("zipped", [True, False])
def test_damaged_files_give_arrays_or_an_error_of_ours(tmp_path, zipped):
    rng = random.Random(7)
    buffer = io.BytesIO()
    saved = {"edge": np.arange(40).reshape(20, 2), "edge_neg": np.arange(20).reshape(10, 2)}
    torch.save(saved, buffer, _use_new_zipfile_serialization=zipped)
    good, path, outcomes = buffer.getvalue(), tmp_path / "a.pt", [0, 0]
    for _ in range(400):
        bad = bytearray(good)
        for _ in range(rng.choice((1, 1, 3))):
            place = rng.randrange(len(bad))
            match rng.randrange(4):
                case 0:
                    bad[place] ^= 1 << rng.randrange(8)
                case 1:
                    bad[place] = rng.randrange(256)
                case 2:
                    del bad[place : place + rng.choice((1, 4, len(bad)))]
                case 3:
                    bad[place:place] = bad[place : place + 8]
            if not bad:
                break
        path.write_bytes(bad)
        try:
            found = read_torch_arrays(path)
        except EdgeorbitError as error:
            assert "\n" not in str(error) and "a.pt" in str(error)
            outcomes[0] += 1
        else:
            assert all(isinstance(array, np.ndarray) for array in found.values())
            outcomes[1] += 1
    assert min(outcomes) > 10
