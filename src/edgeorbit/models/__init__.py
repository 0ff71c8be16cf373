"""Link predictors, found by name.

To add one here, write a subclass of `LinkModel` (or of `EncoderModel`, if it is a new encoder) and add a line to
`MODELS`; the contract test runs on it. Other packages offer theirs by an entry point `edgeorbit.models`, and a user's
own class is named as `module:Class`, or given itself.
"""

import ast
import difflib
import inspect
import sys
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from edgeorbit.errors import InvalidParameterError, naming_extras
from edgeorbit.models.base import LinkModel

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

# By name, where the class is. It is imported when it is asked for: networks need PyTorch, heuristics do not.
MODELS = {
    "cn": "heuristics:CommonNeighbours",
    "aa": "heuristics:AdamicAdar",
    "ra": "heuristics:ResourceAllocation",
    "jaccard": "heuristics:Jaccard",
    "katz": "heuristics:Katz",
    "ppr": "heuristics:PersonalisedPageRank",
    "orbit-boost": "orbit_boost.model:OrbitBoost",
    "orbit-density": "orbit_density:OrbitDensity",
    "orbit-density-cn": "orbit_density:OrbitDensityCN",
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

ENTRY_POINTS = "edgeorbit.models"  # the group that other packages offer their models under

__all__ = [
    "ENTRY_POINTS",
    "MODELS",
    "LinkModel",
    "installed_models",
    "make_model",
    "reference_of",
    "resolve_model",
    "search_modules",
    "summary_of",
]


def resolve_model(model: Any) -> type[LinkModel]:
    """Return the class of a model.

    Parameters
    ----------
    model
        A name of `MODELS`; a name that an installed package offers as an entry point `edgeorbit.models`;
        `module:Class`, which is imported; a subclass of `LinkModel`; or a class or instance of `torch.nn.Module` (see
        `edgeorbit.models.modules`).

    Raises
    ------
    InvalidParameterError
        If there is no model of that name; the message has the nearest names.
    MissingExtraError
        If it needs PyTorch, which is not installed.
    """
    if not isinstance(model, str):
        return _of_object(model, None)
    if model.lower() in MODELS:
        module, _, found = MODELS[model.lower()].partition(":")
        with naming_extras(model):
            known: type[LinkModel] = getattr(import_module(f"edgeorbit.models.{module}"), found)
        return known
    if ":" in model:
        return _of_object(import_named(model), model)
    offered = installed_models()
    if model in offered:
        return _of_object(_load_entry_point(offered[model]), model)
    near = difflib.get_close_matches(model.lower(), [*MODELS, *offered], n=3)
    hint = (
        f"did you mean {' or '.join(near)}?"
        if near
        else f"choose from {', '.join([*MODELS, *offered])}, or module:Class"
    )
    raise InvalidParameterError(f"there is no model {model!r}; {hint}")


def reference_of(model: Any, found: type[LinkModel]) -> str:
    """Return the name that a model is found by again: the one that was given, else `module:Class` of a user's own.

    >>> from edgeorbit.models.heuristics import Katz
    >>> reference_of("Katz", Katz), reference_of(Katz, Katz)
    ('katz', 'katz')
    """
    if found.__module__.startswith(f"{__name__}.") and found.name in MODELS:
        return found.name
    if isinstance(model, str):
        return model
    template = getattr(found, "template", found)
    kind = template if isinstance(template, type) else type(template)
    return f"{kind.__module__}:{kind.__qualname__}"


def installed_models() -> "dict[str, EntryPoint]":
    """Return the models that installed packages offer, by name; none of them is imported."""
    from importlib.metadata import entry_points

    return {each.name: each for each in entry_points(group=ENTRY_POINTS) if each.name not in MODELS}


def search_modules(folder: Path) -> None:
    """Let `module:Class` also be found in a folder, after all that is installed."""
    place = str(folder.resolve())
    if place not in sys.path:
        sys.path.append(place)


def import_named(name: str) -> Any:
    """Return what `module:attribute` names; modules of the working directory are found too.

    Raises
    ------
    InvalidParameterError
        If the module cannot be imported, or has no such attribute.

    Examples
    --------
    >>> import_named("edgeorbit.models.heuristics:Katz").name
    'katz'
    """
    module_name, _, attribute = name.partition(":")
    if not all(part.isidentifier() for part in [*module_name.split("."), *attribute.split(".")]):
        raise InvalidParameterError(f"{name!r} is no module:Class; give for instance mymodels:MyNet")
    search_modules(Path.cwd())
    try:
        found: Any = import_module(module_name)
        for part in attribute.split("."):
            found = getattr(found, part)
    except AttributeError:
        raise InvalidParameterError(
            f"module {module_name} has no {attribute!r}; check the name behind the colon"
        ) from None
    except Exception as error:  # whatever the user's module raises
        raise InvalidParameterError(
            f"{name}: cannot be imported ({type(error).__name__}: {error}); repair it"
        ) from error
    return found


def summary_of(name: str) -> str:
    """Return what a model does, in one sentence: the first line of its class, which is read without being loaded.

    >>> summary_of("cn")
    'The number of neighbours that two nodes have in common.'
    """
    module, _, wanted = MODELS[name].partition(":")
    source = Path(__file__).parent.joinpath(*module.split(".")).with_suffix(".py").read_text(encoding="utf-8")
    found = next(node for node in ast.parse(source).body if isinstance(node, ast.ClassDef) and node.name == wanted)
    return (ast.get_docstring(found) or "").split("\n", 1)[0]


def make_model(model: Any, /, **settings: Any) -> LinkModel:
    """Make a model, as `resolve_model` takes it, with settings in place of its defaults."""
    return resolve_model(model)(**settings)


def _of_object(found: Any, name: str | None) -> type[LinkModel]:
    """Return the model class of a class or an instance; of a module of PyTorch one that wraps it."""
    if isinstance(found, LinkModel):
        found = type(found)
    if isinstance(found, type) and issubclass(found, LinkModel):
        if inspect.isabstract(found):
            raise InvalidParameterError(f"{name or found.__qualname__} is abstract; implement {_missing(found)}")
        return found
    torch = sys.modules.get("torch")  # there is no module without it
    if torch is not None and (
        isinstance(found, torch.nn.Module) or (isinstance(found, type) and issubclass(found, torch.nn.Module))
    ):
        from edgeorbit.models.modules import module_model

        return module_model(found, name)
    raise InvalidParameterError(
        f"{name or type(found).__name__} is no model: give a name, a subclass of LinkModel, or a class or instance of "
        "torch.nn.Module; a function that scores pairs goes to edgeorbit.evaluate"
    )


def _missing(found: type) -> str:
    return " and ".join(sorted(getattr(found, "__abstractmethods__", ())))


def _load_entry_point(entry_point: "EntryPoint") -> Any:
    try:
        return entry_point.load()
    except Exception as error:  # whatever another package raises
        raise InvalidParameterError(
            f"model {entry_point.name!r} of entry point {entry_point.value} cannot be imported "
            f"({type(error).__name__}: {error}); repair or uninstall its package"
        ) from error
