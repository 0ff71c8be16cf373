"""MRR and Hits@K that give tied scores the middle rank, as metrics of PyG."""

import sys
from typing import Any

import torch
from torch import Tensor

from edgeorbit.errors import InvalidParameterError, MissingExtraError

try:
    from torch_geometric.metrics import LinkPredMetric
except ImportError:
    raise MissingExtraError(
        "the metrics of edgeorbit.pyg need torch_geometric.metrics; pip install --upgrade torch_geometric"
    ) from None

NO_CUTOFF = sys.maxsize


class _TieAwareMetric(LinkPredMetric):
    """A metric of the rank of the first positive of every row, in the middle of candidates of the same score.

    PyG's metrics take the indices of the best predictions, in which ties are broken already: by the order of the
    candidates, which often starts with the positive. This one takes scores.
    """

    higher_is_better = True
    weighted = False

    def update(self, pred_score_mat: Tensor, edge_label_index: Any, edge_label_weight: Tensor | None = None) -> None:
        """Add the scores of a batch.

        Parameters
        ----------
        pred_score_mat
            The scores of all candidates of every example, shape (batch_size, num_candidates); NaN for none.
        edge_label_index
            Row and column of the positives, shape (2, num_positives).
        edge_label_weight
            Ignored.
        """
        self._add(pred_score_mat, edge_label_index)

    def compute(self) -> Tensor:
        """Return the mean over all examples with a positive and a negative."""
        return self.accum / self.total if self.total else torch.zeros_like(self.accum)

    def _update(self, data: Any) -> None:
        """Add a batch of a `LinkPredMetricCollection`."""
        self._add(data.pred_index_mat, data.edge_label_index)

    def _add(self, scores: Tensor, edge_label_index: Any) -> None:
        if not scores.is_floating_point() or scores.ndim != 2:
            raise InvalidParameterError(
                f"{type(self).__name__} takes the scores of all candidates, shape (batch_size, num_candidates), not "
                f"the indices of the best ones; got {scores.dtype} of shape {tuple(scores.shape)}"
            )
        relevant = torch.zeros_like(scores, dtype=torch.bool)
        relevant[edge_label_index[0], edge_label_index[1]] = True
        if (scores.isnan() & relevant).any() or scores.isinf().any():
            raise InvalidParameterError(
                f"{type(self).__name__}: the score of a positive is NaN, or a score is infinite; give finite scores, "
                "and NaN only for candidates that a row does not have"
            )
        others = ~relevant & ~scores.isnan()
        best = scores.masked_fill(~relevant, float("-inf")).amax(dim=1, keepdim=True)
        greater = ((scores > best) & others).sum(dim=1)
        ties = ((scores == best) & others).sum(dim=1)
        compared = relevant.any(dim=1) & others.any(dim=1)
        rank = (1 + greater + ties / 2)[compared]
        self.accum += self._value(rank).masked_fill(rank > self.k, 0).sum()
        self.total += compared.sum()

    def _value(self, rank: Tensor) -> Tensor:
        raise NotImplementedError


class TieAwareMRR(_TieAwareMetric):
    """Mean reciprocal rank, where a positive stands in the middle of negatives of the same score.

    A constant scorer gets the MRR of the middle rank. The mean is over rows with a positive and a negative, as in
    `edgeorbit.evaluate`; without ties it is `torch_geometric.metrics.LinkPredMRR`.

    Parameters
    ----------
    k : int, optional
        Positives of a rank beyond k count 0; by default all ranks count.

    Examples
    --------
    >>> metric = TieAwareMRR()
    >>> metric.update(torch.tensor([[0.5, 0.5, 0.5], [0.9, 0.1, float("nan")]]), torch.tensor([[0, 1], [0, 0]]))
    >>> metric.compute()
    tensor(0.7500)
    """

    def __init__(self, k: int | None = None) -> None:
        super().__init__(NO_CUTOFF if k is None else k)

    def _value(self, rank: Tensor) -> Tensor:
        return 1 / rank

    def __repr__(self) -> str:
        """Give the cutoff, if there is one."""
        return f"{type(self).__name__}({'' if self.k == NO_CUTOFF else f'k={self.k}'})"


class TieAwareHits(_TieAwareMetric):
    """Hits@K: the share of rows whose positive has rank K or better, in the middle of negatives of the same score.

    It is the rule that `edgeorbit.evaluate` has for negatives of each positive's own; without ties it is
    `torch_geometric.metrics.LinkPredHitRatio`.

    Parameters
    ----------
    k : int
        The K.

    Examples
    --------
    >>> metric = TieAwareHits(k=1)
    >>> metric.update(torch.tensor([[0.5, 0.5, 0.5], [0.9, 0.1, 0.2]]), torch.tensor([[0, 1], [0, 0]]))
    >>> metric.compute()
    tensor(0.5000)
    """

    def _value(self, rank: Tensor) -> Tensor:
        return torch.ones_like(rank)
