"""Dense products of a training step in bfloat16, which CPUs with AVX-512 BF16 or AMX multiply several times as fast.

Weights, their moments, activations between layers, messages and the loss stay in float32; sums within a product are
accumulated in float32 by the hardware. Scores are computed in float64 as ever.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import linear
from torch.overrides import TorchFunctionMode

from edgeorbit.errors import InvalidParameterError

FLOAT32, BF16 = "float32", "bf16"
PRODUCTS = {linear, torch.matmul, torch.mm, Tensor.matmul, Tensor.mm, Tensor.__matmul__}


def has_bf16(device: torch.device) -> bool:
    """Tell whether a device multiplies in bfloat16 by instructions of its own; otherwise it is slower than float32."""
    if device.type == "cuda":
        return bool(torch.cuda.is_bf16_supported(including_emulation=False))
    able = [getattr(torch.cpu, name, None) for name in ("_is_avx512_bf16_supported", "_is_amx_tile_supported")]
    return any(asked is not None and asked() for asked in able)


def check_precision(precision: str, device: torch.device) -> None:
    """Refuse bf16 on a device that has no instructions for it."""
    if precision == BF16 and not has_bf16(device):
        needed = "a GPU of compute capability 8.0" if device.type == "cuda" else "a CPU with AVX-512 BF16 or AMX"
        raise InvalidParameterError(
            f"precision bf16 needs {needed}, which {device} of this machine is not; leave precision at float32"
        )


@contextmanager
def computing_in(precision: str) -> Iterator[None]:
    """Take dense products in the block, and those of its gradients, in a precision."""
    if precision == FLOAT32:
        yield
        return
    with _Products():
        yield


class _Products(TorchFunctionMode):
    """Rounds what is multiplied to bfloat16, and returns products in float32."""

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: Sequence[type],
        args: Sequence[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        given = dict(kwargs or {})
        if func not in PRODUCTS:
            return func(*args, **given)
        rounded = func(*map(_rounded, args), **{name: _rounded(value) for name, value in given.items()})
        return rounded.float() if rounded.dtype is torch.bfloat16 else rounded


def _rounded(value: Any) -> Any:
    return value.bfloat16() if isinstance(value, Tensor) and value.dtype is torch.float32 else value
