"""Models that break a clause of the audit by design, and why; an audit names them instead of failing."""

from collections.abc import Mapping
from typing import Any

TARGET_LINKS, NODE_NUMBERS = "target links", "node numbers"  # the checks that have exceptions

ENCODINGS = "encodings are computed once from all training links, as in the literature"
ROLE_NOISE = "the noise of roles is drawn in the order of the nodes; with tau=0 scores are permuted"
FOLDS = "the folds in which links are hidden are drawn in the order of the links; with folds=0 scores are permuted"
OWN_WEIGHTS = "it learns weights for each node (transductive), so scores belong to this numbering"

# By model and check. A check that a listed model passes is reported as passed.
KNOWN: Mapping[str, Mapping[str, str]] = {
    "orbit-density": {NODE_NUMBERS: FOLDS},
    "orbit-density-cn": {NODE_NUMBERS: FOLDS},
    "linkx": {NODE_NUMBERS: OWN_WEIGHTS},
    "gcn-dw": {TARGET_LINKS: ENCODINGS, NODE_NUMBERS: "every node has an encoding of its own, from random walks"},
    "gcn-lap": {TARGET_LINKS: ENCODINGS, NODE_NUMBERS: "every node has an encoding of its own, an eigenvector's entry"},
    "gcn-rf": {NODE_NUMBERS: "random features are drawn in the order of the nodes"},
    "buddy": {
        TARGET_LINKS: "training links are visible to its sketches, which are made once, as in the paper",
        NODE_NUMBERS: "its sketches hash node numbers",
    },
    "seal": {
        TARGET_LINKS: "the subgraph of a pair is without the link of that pair, and of no other, as in the paper",
    },
    "eo-gnn-paper": {NODE_NUMBERS: ROLE_NOISE},
    "eo-gnn": {NODE_NUMBERS: ROLE_NOISE},
}


def exception_for(model: Any, check: str) -> str | None:
    """Return why a model breaks a clause by design, if it is known to.

    Parameters
    ----------
    model : LinkModel, its class, or None
        The model; None if it is not one of edgeorbit.
    check
        The name of the check.
    """
    if model is None:
        return None
    known = KNOWN.get(model.name, {}).get(check)
    if known is None and check == NODE_NUMBERS and model.transductive:
        return OWN_WEIGHTS
    return known
