"""Link predictors, found by name.

To add one, write a subclass of `LinkModel` (or of `EncoderModel`, if it is a new encoder) and add a
line to `MODELS`. The contract test takes it up from there.
"""

import ast
import difflib
from importlib import import_module
from pathlib import Path
from typing import Any

from edgeorbit.errors import InvalidParameterError, naming_extras
from edgeorbit.models.base import LinkModel

# By name, where the class is. It is imported when it is asked for: networks need PyTorch, heuristics do not.
MODELS = {
    "cn": "heuristics:CommonNeighbours",
    "aa": "heuristics:AdamicAdar",
    "ra": "heuristics:ResourceAllocation",
    "jaccard": "heuristics:Jaccard",
    "katz": "heuristics:Katz",
    "ppr": "heuristics:PersonalisedPageRank",
    "mlp": "encoder_models:MLP",
    "gcn": "encoder_models:GCN",
    "sage": "encoder_models:GraphSAGE",
    "gat": "encoder_models:GAT",
    "gin": "encoder_models:GIN",
    "mixhop": "encoder_models:MixHop",
    "chebgcn": "encoder_models:ChebGCN",
    "linkx": "encoder_models:LINKX",
    "gcn-dw": "encoded_gcn:GCNDeepWalk",
    "gcn-lap": "encoded_gcn:GCNLaplacian",
    "gcn-rf": "encoded_gcn:GCNRandom",
    "neo-gnn": "neo_gnn:NeoGNN",
    "seal": "seal.model:SEAL",
    "nbfnet": "nbfnet.model:NBFNet",
    "buddy": "buddy:BUDDY",
    "ncn": "ncn.model:NCN",
    "ncnc": "ncn.model:NCNC",
    "eo-gnn-paper": "eo_gnn.model:EOGNNPaper",
    "eo-gnn": "eo_gnn.model:EOGNN",
}

__all__ = ["MODELS", "LinkModel", "make_model", "resolve_model", "summary_of"]


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
    with naming_extras(name):
        model: type[LinkModel] = getattr(import_module(f"edgeorbit.models.{module}"), found)
    return model


def summary_of(name: str) -> str:
    """Return what a model does, in one sentence: the first line of its class, which is read without being loaded.

    >>> summary_of("cn")
    'The number of neighbours that two nodes have in common.'
    """
    module, _, wanted = MODELS[name].partition(":")
    source = Path(__file__).parent.joinpath(*module.split(".")).with_suffix(".py").read_text(encoding="utf-8")
    found = next(node for node in ast.parse(source).body if isinstance(node, ast.ClassDef) and node.name == wanted)
    return (ast.get_docstring(found) or "").split("\n", 1)[0]


def make_model(name: str, /, **settings: Any) -> LinkModel:
    """Make a model by name, with settings in the place of its defaults."""
    return resolve_model(name)(**settings)
