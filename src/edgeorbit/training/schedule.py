"""The learning rate of every step, as a share of the setting `learning_rate`."""

import math


def learning_rate_factor(schedule: str, warmup_steps: int, step: int, total_steps: int) -> float:
    """Return what the learning rate of a step is multiplied by.

    Parameters
    ----------
    schedule
        `constant`, or `cosine`: half a cosine wave from 1 after the warm-up down to 0 after the last step.
    warmup_steps
        Steps in which the rate rises linearly to 1.
    step
        The step, from 0.
    total_steps
        Steps of all epochs.

    Examples
    --------
    >>> [learning_rate_factor("constant", 4, step, 10) for step in (0, 1, 3, 4, 9)]
    [0.25, 0.5, 1.0, 1.0, 1.0]
    >>> [round(learning_rate_factor("cosine", 0, step, 4), 2) for step in range(5)]
    [1.0, 0.85, 0.5, 0.15, 0.0]
    """
    if step < warmup_steps:
        return (step + 1) / warmup_steps
    if schedule == "constant":
        return 1.0
    share = (step - warmup_steps) / max(1, total_steps - warmup_steps)
    return (1 + math.cos(math.pi * min(1.0, share))) / 2
