"""What is mapped of messages, plain, times a scale of each row and divided by it: added up in one pass."""

from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from edgeorbit._compiled import kernel
from edgeorbit._parallel import resolve_threads, run_all, split_range

SMALLEST_SCALE = 1e-2  # the original's, of what is divided by
ROWS_PER_THREAD = 20_000  # below this a second thread costs more than it saves


@kernel
def _add(base, mapped, scale, out, start, stop):
    width = base.shape[1]
    for row in range(start, stop):
        times, over = scale[row], np.float32(1) / max(scale[row], np.float32(SMALLEST_SCALE))
        for c in range(width):
            scaled = times * mapped[row, width + c] + over * mapped[row, 2 * width + c]
            out[row, c] = base[row, c] + mapped[row, c] + scaled


@kernel
def _spread(gradient, scale, out, start, stop):
    width = gradient.shape[1]
    for row in range(start, stop):
        times, over = scale[row], np.float32(1) / max(scale[row], np.float32(SMALLEST_SCALE))
        for c in range(width):
            out[row, c] = gradient[row, c]
        for c in range(width):
            out[row, width + c] = times * gradient[row, c]
        for c in range(width):
            out[row, 2 * width + c] = over * gradient[row, c]


class _Scales(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, base: Tensor, mapped: Tensor, scale: npt.NDArray[np.float32]) -> Tensor:
        """Add them up."""
        given = base.detach().contiguous().numpy(), mapped.detach().contiguous().numpy()
        ctx.scale, out = scale, np.empty_like(given[0])
        run_all(_add, [(*given, scale, out, *part) for part in _parts(len(out))])
        return torch.from_numpy(out)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, Tensor, None]:
        """Scale what flows back."""
        given = gradient.contiguous().numpy()
        out = np.empty((len(given), 3 * given.shape[1]), given.dtype)
        run_all(_spread, [(given, ctx.scale, out, *part) for part in _parts(len(out))])
        return gradient, torch.from_numpy(out), None


def _parts(rows: int) -> list[tuple[int, int]]:
    return split_range(rows, min(resolve_threads(torch.get_num_threads()), 1 + rows // ROWS_PER_THREAD))


def add_scales(base: Tensor, mapped: Tensor, scale: npt.NDArray[np.float32]) -> Tensor:
    """Return `base` plus the first third of the columns of `mapped`, the second times `scale`, the last divided by it.

    Shapes
    ------
    base (n, d), mapped (n, 3 d), scale (n,), result (n, d)

    Examples
    --------
    >>> base, mapped = torch.tensor([[1.0], [2.0]]), torch.tensor([[10.0, 20.0, 30.0], [10.0, 20.0, 30.0]])
    >>> add_scales(base, mapped, np.array([1, 2], np.float32)).tolist()
    [[61.0], [67.0]]
    """
    out: Tensor = _Scales.apply(base, mapped, scale)
    return out
