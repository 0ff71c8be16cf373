"""Rows of a table, and their gradients, are those of PyTorch's indexing."""

import numpy as np
import pytest

pytest.importorskip("torch_geometric")
import torch
from hypothesis import given
from hypothesis import strategies as st

from edgeorbit.models.neural.rows import gather


@given(seed=st.integers(0, 999), rows=st.integers(0, 30))
def test_rows_and_gradients_are_those_of_indexing(seed: int, rows: int) -> None:
    draw = np.random.default_rng(seed)
    table = torch.from_numpy(draw.standard_normal((7, 3)).astype(np.float32)).requires_grad_()
    asked = draw.integers(0, 7, rows).astype(np.int32)
    flow = torch.from_numpy(draw.standard_normal((rows, 3)).astype(np.float32))
    found, expected = gather(table, asked), table[torch.from_numpy(asked)]
    assert torch.equal(found, expected)
    with torch.no_grad():
        assert torch.equal(gather(table, asked), expected)
    here, there = (torch.autograd.grad((one * flow).sum(), table)[0] for one in (found, expected))
    assert torch.allclose(here, there, atol=1e-5)
