"""Link predictors, found by name.

To add one, write a subclass of `LinkModel` (or of `EncoderModel`, if it is a new encoder) in a file of its own and add
a line to `MODELS`. The contract test takes it up from there.
"""

import difflib
from importlib import import_module
from typing import Any

from edgeorbit.errors import InvalidParameterError, MissingExtraError
from edgeorbit.models.base import LinkModel

# By name, where the class is. It is imported when it is asked for: networks need PyTorch, heuristics do not.
MODELS = {
    "cn": "heuristics.common_neighbours:CommonNeighbours",
    "aa": "heuristics.adamic_adar:AdamicAdar",
    "ra": "heuristics.resource_allocation:ResourceAllocation",
    "jaccard": "heuristics.jaccard:Jaccard",
    "katz": "heuristics.katz:Katz",
    "ppr": "heuristics.pagerank:PersonalisedPageRank",
    "mlp": "mlp:MLP",
    "gcn": "gcn:GCN",
    "sage": "sage:GraphSAGE",
    "gat": "gat:GAT",
    "gin": "gin:GIN",
    "mixhop": "mixhop:MixHop",
    "chebgcn": "chebgcn:ChebGCN",
    "linkx": "linkx:LINKX",
    "gcn-dw": "gcn_dw:GCNDeepWalk",
    "gcn-lap": "gcn_lap:GCNLaplacian",
    "gcn-rf": "gcn_rf:GCNRandom",
    "neo-gnn": "neo_gnn.model:NeoGNN",
    "seal": "seal.model:SEAL",
    "nbfnet": "nbfnet.model:NBFNet",
    "buddy": "buddy.model:BUDDY",
    "ncn": "ncn.ncn:NCN",
    "ncnc": "ncn.ncnc:NCNC",
    "eo-gnn-paper": "eo_gnn.paper:EOGNNPaper",
    "eo-gnn": "eo_gnn.model:EOGNN",
}

__all__ = ["MODELS", "LinkModel", "make_model", "resolve_model"]


def resolve_model(name: str) -> type[LinkModel]:
    """Return the class of a model.

    Raises
    ------
    InvalidParameterError
        If there is no model of that name; the message has the nearest names.
    MissingExtraError
        If it needs PyTorch, which is not installed.
    """
    if name.lower() not in MODELS:
        near = difflib.get_close_matches(name.lower(), MODELS, n=3)
        hint = f"did you mean {' or '.join(near)}?" if near else f"choose from {', '.join(MODELS)}"
        raise InvalidParameterError(f"there is no model {name!r}; {hint}")
    module, _, found = MODELS[name.lower()].partition(":")
    try:
        model: type[LinkModel] = getattr(import_module(f"edgeorbit.models.{module}"), found)
    except ModuleNotFoundError as error:
        if (error.name or "").split(".")[0] not in {"torch", "torch_geometric", "class_resolver"}:
            raise
        raise MissingExtraError(f"{name} needs {error.name}; pip install 'edgeorbit[pyg]'") from None
    return model


def make_model(name: str, **settings: Any) -> LinkModel:
    """Make a model by name, with settings in the place of its defaults."""
    return resolve_model(name)(**settings)
