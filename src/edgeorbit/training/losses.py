"""What training makes smaller: losses of a link and its own negatives, by name.

Each maps the logits of p links, shape (p,), and those of their negatives, shape (p, k), to a loss per link, shape (p,).
A step takes their mean over its links, so a batch can be decoded in pieces, and by several processes.

| name | loss of a link with logit s and negatives n_1, ..., n_k | reference |
| --- | --- | --- |
| `bce` | binary cross-entropy; link and negatives have half of the weight each | |
| `auc` | mean of (1 - s + n_j)^2, which bounds the share of misordered pairs | Gao, Zhou 2015 |
| `softmax` | cross-entropy of the link among itself and its negatives | |
"""

from collections.abc import Callable

from torch import Tensor
from torch.nn.functional import softplus

Objective = Callable[[Tensor, Tensor], Tensor]


def cross_entropy(positive: Tensor, negative: Tensor) -> Tensor:
    """Return the binary cross-entropy per link; with one negative each, their mean is that of all pairs.

    >>> import torch
    >>> cross_entropy(torch.zeros(2), torch.zeros(2, 3))
    tensor([0.6931, 0.6931])
    """
    return (softplus(-positive) + softplus(negative).mean(dim=1)) / 2


def squared_auc(positive: Tensor, negative: Tensor) -> Tensor:
    """Return the mean over negatives of the squared distance from a lead of one.

    >>> import torch
    >>> squared_auc(torch.tensor([1.0, 0.0]), torch.tensor([[0.0, 1.0], [0.0, 1.0]]))
    tensor([0.5000, 2.5000])
    """
    return (1 - positive[:, None] + negative).square().mean(dim=1)


def softmax_loss(positive: Tensor, negative: Tensor) -> Tensor:
    """Return minus the logarithm of the share that softmax gives to the link among its negatives.

    >>> import torch
    >>> softmax_loss(torch.zeros(1), torch.zeros(1, 3)).exp()
    tensor([4.])
    """
    # log(1 + sum exp(n - s)): the link itself is the 1
    return softplus((negative - positive[:, None]).logsumexp(dim=1))


OBJECTIVES: dict[str, Objective] = {"bce": cross_entropy, "auc": squared_auc, "softmax": softmax_loss}
