"""Sort pooling is what a plain loop does, and does not depend on how nodes are numbered."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("torch_geometric")
import torch
from torch_geometric.nn.aggr import SortAggregation

from edgeorbit.models.seal.messages import sort_pool


def pool_by_loop(offsets: np.ndarray, keys: torch.Tensor, rows: torch.Tensor, k: int) -> torch.Tensor:
    out = torch.zeros(len(offsets) - 1, k, rows.shape[1])
    for pair in range(len(offsets) - 1):
        nodes = range(offsets[pair], offsets[pair + 1])
        order = sorted(nodes, key=lambda node: (keys[node].item(), rows[node].tolist()), reverse=True)
        for place, node in enumerate(order[:k]):
            out[pair, place] = rows[node]
    return out


@given(
    sizes=st.lists(st.integers(0, 9), min_size=1, max_size=6),
    k=st.integers(1, 8),
    levels=st.integers(1, 4),
    seed=st.integers(0, 1000),
)
def test_pooling_is_a_sort_of_keys_and_then_of_rows(sizes: list[int], k: int, levels: int, seed: int) -> None:
    """Few levels make many ties, of keys and of rows."""
    rng = np.random.default_rng(seed)
    offsets = np.cumsum([0, *sizes])
    keys = torch.from_numpy(rng.integers(0, levels, offsets[-1]).astype(np.float32))
    rows = torch.from_numpy(rng.integers(-levels, levels, (offsets[-1], 3)).astype(np.float32))
    found = sort_pool(offsets, keys, rows, k)
    assert torch.equal(found, pool_by_loop(offsets, keys, rows, k))
    shuffled = np.concatenate([low + rng.permutation(high - low) for low, high in pairwise(offsets)])
    again = sort_pool(offsets, keys[shuffled], rows[shuffled], k)
    assert torch.equal(again, found)


@pytest.mark.parametrize("threads", [1, 2])
def test_many_subgraphs_are_pooled_as_pyg_does(threads: int) -> None:
    torch.set_num_threads(threads)
    rng = np.random.default_rng(0)
    sizes = rng.integers(1, 90, 1000)
    offsets = np.concatenate([[0], np.cumsum(sizes)])
    rows = torch.from_numpy(rng.standard_normal((offsets[-1], 5)).astype(np.float32))
    batch = torch.from_numpy(np.repeat(np.arange(1000), sizes))
    expected = SortAggregation(30)(rows, batch).view(1000, 30, 5)
    assert torch.equal(sort_pool(offsets, rows[:, -1], rows, 30), expected)
    torch.set_num_threads(1)


def test_gradients_reach_the_rows_that_are_pooled_and_no_others() -> None:
    keys, rows = torch.tensor([1.0, 3.0, 2.0, 7.0]), torch.ones(4, 2, requires_grad=True)
    sort_pool(np.array([0, 3, 4]), keys, rows, 2).sum().backward()
    assert rows.grad is not None and rows.grad[:, 0].tolist() == [0, 1, 1, 1]
