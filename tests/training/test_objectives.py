"""Objectives, schedules and Adam against formulas written out and PyTorch's own."""

import subprocess
import sys

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from hypothesis import given  # noqa: E402
from hypothesis import strategies as st  # noqa: E402

from edgeorbit.training import settings  # noqa: E402
from edgeorbit.training.adam import Adam  # noqa: E402
from edgeorbit.training.losses import OBJECTIVES  # noqa: E402
from edgeorbit.training.schedule import learning_rate_factor  # noqa: E402

EXPECTED = {
    "bce": lambda s, n: 0.5 * np.log1p(np.exp(-s)) + 0.5 * np.mean(np.log1p(np.exp(n))),
    "auc": lambda s, n: np.mean((1 - (s - n)) ** 2),
    "softmax": lambda s, n: -np.log(np.exp(s) / (np.exp(s) + np.exp(n).sum())),
}


def test_every_objective_of_the_settings_is_there() -> None:
    assert tuple(OBJECTIVES) == settings.OBJECTIVES and OBJECTIVES.keys() == EXPECTED.keys()


@given(name=st.sampled_from(sorted(EXPECTED)), links=st.integers(1, 5), each=st.integers(1, 4), seed=st.integers(0, 99))
def test_losses_of_links_are_those_written_out(name: str, links: int, each: int, seed: int) -> None:
    generator = torch.Generator().manual_seed(seed)
    positive = 3 * torch.randn(links, generator=generator, dtype=torch.float64)
    negative = 3 * torch.randn(links, each, generator=generator, dtype=torch.float64)
    found = OBJECTIVES[name](positive, negative)
    assert found.shape == (links,)
    expected = [EXPECTED[name](s, n) for s, n in zip(positive.numpy(), negative.numpy(), strict=True)]
    np.testing.assert_allclose(found.numpy(), expected, rtol=1e-9)


@pytest.mark.parametrize("name", OBJECTIVES)
def test_losses_stay_finite_and_have_gradients_for_extreme_logits(name: str) -> None:
    positive = torch.tensor([-500.0, 500.0], requires_grad=True)
    negative = torch.tensor([[500.0, -500.0], [500.0, -500.0]], requires_grad=True)
    loss = OBJECTIVES[name](positive, negative).mean()
    loss.backward()
    assert loss.isfinite() and positive.grad.isfinite().all() and positive.grad[0] < 0 and negative.grad[0, 0] > 0


def test_with_one_negative_per_link_cross_entropy_is_that_of_all_pairs() -> None:
    generator = torch.Generator().manual_seed(0)
    positive, negative = torch.randn(1000, generator=generator), torch.randn(1000, 1, generator=generator)
    logits, label = torch.cat([positive, negative[:, 0]]), (torch.arange(2000) < 1000).float()
    expected = torch.nn.functional.binary_cross_entropy_with_logits(logits, label)
    assert OBJECTIVES["bce"](positive, negative).mean().item() == pytest.approx(expected.item(), rel=1e-6)


@given(warmup=st.integers(0, 30), total=st.integers(1, 60))
def test_schedules_rise_to_one_and_cosine_falls_to_almost_nothing(warmup: int, total: int) -> None:
    for schedule in settings.SCHEDULES:
        factors = [learning_rate_factor(schedule, warmup, step, total) for step in range(total)]
        assert all(0 < factor <= 1 for factor in factors)
        rising = factors[:warmup]
        assert rising == sorted(rising) and (total <= warmup or factors[warmup] == 1)
        assert factors[warmup:] == sorted(factors[warmup:], reverse=True)
        assert schedule == "cosine" or set(factors[warmup:]) <= {1.0}
    if total > warmup:
        expected = 0.5 + 0.5 * np.cos(np.pi * (total - 1 - warmup) / (total - warmup))
        assert learning_rate_factor("cosine", warmup, total - 1, total) == pytest.approx(expected)


@pytest.mark.parametrize("decay", [0.0, 0.1])
def test_adam_has_the_bits_of_pytorch(decay: float) -> None:
    """Over changing rates, for weights in either layout in memory, one of which has a gradient now and then."""
    generator = torch.Generator().manual_seed(0)
    start = [torch.randn(40, 7, generator=generator), torch.randn(9, generator=generator), torch.randn(6, 50).T]
    sides = []
    for _ in range(2):
        sides.append([torch.nn.Parameter(value.clone()) for value in start])
    optimizers = Adam(sides[0], 0.01, decay), torch.optim.Adam(sides[1], lr=0.01, weight_decay=decay, fused=True)
    for step in range(7):
        optimizers[0].learning_rate = optimizers[1].param_groups[0]["lr"] = 0.01 / (1 + step)
        for optimizer, weights in zip(optimizers, sides, strict=True):
            optimizer.zero_grad()
            loss = sum((weight.sin() * (step + 1)).square().sum() for weight in weights[: 3 if step % 2 else 2])
            loss.backward()
            optimizer.step()
        if step == 3:  # a checkpoint
            state = {name: value.clone() for name, value in optimizers[0].state().items()}
            optimizers = Adam(sides[0], 0.01, decay), optimizers[1]
            optimizers[0].restore(state)
        assert all(torch.equal(ours, theirs) for ours, theirs in zip(*sides, strict=True)), step


def test_training_starts_without_the_compiler_of_pytorch() -> None:
    """`torch._dynamo` takes a second to import."""
    program = (
        "import sys\nfrom edgeorbit import LinkPredictor\n"
        "LinkPredictor('gcn', settings={'hidden_channels': 4}, training={'epochs': 1}, threads=1).fit('karate')\n"
        "print([name for name in sys.modules if name.startswith(('torch._dynamo', 'torch._inductor'))])\n"
        "import torch; print(torch.compile(lambda x: x + 1, backend='eager')(torch.ones(1)).item())"
    )
    pytest.importorskip("torch_geometric")
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["[]", "2.0"]
