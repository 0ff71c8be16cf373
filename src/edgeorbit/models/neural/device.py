"""Where tensors are: kernels of our own work in main memory, and PyTorch everywhere else.

What is derived from a graph (colours, walks, sketches, common neighbours) is found by the CPU, and node pairs are kept
there; what networks compute with is moved to their device. Every random number follows from PyTorch's
generator of the CPU, so that a seed decides all of them on any device.
"""

from typing import Any

import numpy.typing as npt
import torch
from torch import Tensor


def on_cpu(tensor: Tensor) -> bool:
    """Tell whether a tensor is where kernels can work on it.

    >>> on_cpu(torch.ones(1)), on_cpu(torch.ones(1, device="meta"))
    (True, False)
    """
    return tensor.is_cpu


def place(array: npt.NDArray[Any], like: Tensor) -> Tensor:
    """Return an array as a tensor where another one is, floats in the precision of that one; copy only if needed.

    >>> import numpy as np
    >>> place(np.ones(1, np.float32), torch.ones(1, dtype=torch.float64)).dtype
    torch.float64
    >>> place(np.ones(1, np.int32), torch.ones(1)).dtype
    torch.int32
    """
    found = torch.from_numpy(array)
    both = found.is_floating_point() and like.is_floating_point()
    return found.to(like.device, like.dtype if both else found.dtype)
