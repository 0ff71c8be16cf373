"""Which code decides a result: the definitions that a model, its data, the training loop and the metrics use.

A definition is a function, a class or a constant of a module, and counts by its syntax tree, without docstrings,
comments and what only type checkers read. So what changes no number leaves stored results current: the version, words,
the command line, pages, another model in the same file, and a move to another file.
"""

import ast
import hashlib
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

from edgeorbit.errors import InvalidParameterError
from edgeorbit.models import MODELS, installed_models, resolve_model

PACKAGE = "edgeorbit"
DIGITS = 16
# Modules of which everything counts, and all that they use.
DATA = ("data.negatives", "data.splits", "evaluation.scoring", "prediction.preparing", "measures.ear")
SYNTHETIC = ("synthetic.make",)
TRAINING = ("training.loop", "models.perturbations", "models.perturbation_kinds")
NETWORK = "models.neural.model"  # what a model that is trained imports
FITTED, FITTING = "models.fitted", ("training.fitting",)  # the same of a model that fits itself
STATISTICS = ("data.loading", "measures.summary")
# These put the parts together: they count themselves, and not what they use.
RUNNERS = ("experiments.cell", "prediction.evaluating", "prediction.predictor")


def code_digest(model: str, *, synthetic: bool = False, package: Path | None = None) -> str:
    """Return a digest of the code that decides the results of a model.

    Parameters
    ----------
    model
        Its name; of anything else than a model, such as `statistics`, the digest is that of the statistics of graphs.
    synthetic
        Whether the graph is generated.
    package
        Where the sources lie; by default where this module does. The same sources have the same digest everywhere.

    Examples
    --------
    >>> len(code_digest("cn")), code_digest("cn") == code_digest("gcn")
    (16, False)
    """
    root = package or Path(__file__).parents[1]
    lines = {_digest_of_source(model)} if _is_external(model) else set()
    for part in _deciding(model, synthetic, root).values():
        imported = sorted(f"{name} is {_digest_of(home, root)}" for name, home in part.imports)
        lines.add(" ".join([part.digest, *imported]))
    return _sha256("\n".join(sorted(lines)))[:DIGITS]


def definitions_of(model: str, *, synthetic: bool = False, package: Path | None = None) -> frozenset[str]:
    """Return the definitions, as `module:name` below the package, that decide the results of a model.

    >>> "pairwise.walks:weigh_walks" in definitions_of("katz"), "pairwise.walks:weigh_walks" in definitions_of("cn")
    (True, False)
    """
    parts = _deciding(model, synthetic, package or Path(__file__).parents[1])
    return frozenset(f"{module}:{name}" for (module, _), part in parts.items() for name in part.defines)


class _Statement(NamedTuple):
    """A statement of a module: what it defines and uses of the module, and what it imports of the package.

    Imports are pairs of a name and where that comes from: `module:name`, or a module.
    """

    digest: str
    defines: frozenset[str]
    uses: frozenset[str]
    imports: frozenset[tuple[str, str]]


_Statements = dict[tuple[str, int], _Statement]  # by module and place


@cache
def _deciding(model: str, synthetic: bool, root: Path) -> _Statements:
    """Return the statements that decide the results of a model."""
    wanted = list(SYNTHETIC) if synthetic else []
    if model in MODELS:
        home = f"models.{MODELS[model]}"
        wanted += [home, *DATA]
        used = {module for module, _ in _closure([home], root)}
        wanted += TRAINING if NETWORK in used else FITTING if FITTED in used else ()
    elif _is_external(model):
        wanted += [NETWORK, *DATA, *TRAINING]
    else:
        wanted += STATISTICS
    runners = {(name, place): part for name in RUNNERS for place, part in enumerate(_read(name, root))}
    return _closure(wanted, root) | runners


def _is_external(model: str) -> bool:
    """Return whether a model is the user's own, or of another package."""
    return model not in MODELS and (":" in model or model in installed_models())


@cache
def _digest_of_source(model: str) -> str:
    """Return a digest of the module that a model of the user's own is in."""
    try:
        module = import_module(resolve_model(model).__module__)
    except InvalidParameterError:  # a class that a function or a notebook defines
        return f"{model} of unknown source"
    file = getattr(module, "__file__", None)
    if file is None or not file.endswith(".py"):
        return f"{model} of unknown source"
    return _sha256(repr(_shape(_bare(ast.parse(Path(file).read_text(encoding="utf-8"))))))


def _closure(names: list[str], root: Path) -> _Statements:
    """Return the statements of some definitions, or of whole modules, and of all that they use, in functions too."""
    found: _Statements = {}
    seen, left = set(names), list(names)
    while left:
        module, _, name = left.pop().partition(":")
        for place, part in enumerate(_read(module, root)):
            if not name or not part.defines or name in part.defines:  # what defines nothing takes effect when imported
                found[module, place] = part
                new = {f"{module}:{used}" for used in part.uses} | {home for _, home in part.imports}
                left.extend(new - seen)
                seen |= new
    return found


@cache
def _read(module: str, root: Path) -> tuple[_Statement, ...]:
    """Return the statements of a module, one for each name that it imports."""
    place = root.joinpath(*module.split("."))
    package = place / "__init__.py"
    file = package if package.is_file() else place.with_suffix(".py")  # a removed package can leave its directory
    tree = _bare(ast.parse(file.read_text(encoding="utf-8")))
    body = [single for statement in tree.body for single in _singly(statement)]
    defined = {name for statement in body for name in _defined(statement)}
    return tuple(_statement(statement, defined, root) for statement in body)


def _statement(statement: ast.stmt, defined: set[str], root: Path) -> _Statement:
    nodes = list(ast.walk(statement))
    imports = frozenset(pair for node in nodes for pair in _imported(node, root))
    uses = defined & {node.id for node in nodes if isinstance(node, ast.Name)}
    return _Statement(_sha256(repr(_shape([statement]))), frozenset(_defined(statement)), frozenset(uses), imports)


@cache
def _digest_of(home: str, root: Path) -> str:
    """Return the digest of a definition, also if a package only offers it; nothing of a module, which counts itself."""
    module, _, name = home.partition(":")
    parts = [part for part in _read(module, root) if name in part.defines]
    offered = [other for part in parts if part.digest == _sha256("()") for _, other in part.imports]
    return " ".join([*(part.digest for part in parts), *(_digest_of(other, root) for other in offered)])


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _singly(statement: ast.stmt) -> list[ast.stmt]:
    """Return a statement for every name that a statement imports, or the statement."""
    if isinstance(statement, ast.ImportFrom):
        return [ast.ImportFrom(statement.module, [alias], statement.level) for alias in statement.names]
    return [ast.Import([alias]) for alias in statement.names] if isinstance(statement, ast.Import) else [statement]


def _defined(statement: ast.stmt) -> set[str]:
    """Return the names that a statement of a module defines."""
    if isinstance(statement, ast.FunctionDef | ast.ClassDef):
        return {statement.name}
    if isinstance(statement, ast.Import | ast.ImportFrom):
        return {alias.asname or alias.name.partition(".")[0] for alias in statement.names}
    stored = (node for node in ast.walk(statement) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store))
    return {node.id for node in stored}


def _imported(node: ast.AST, root: Path) -> Iterator[tuple[str, str]]:
    """Yield the names that an import statement takes from the package, and where they come from."""
    if isinstance(node, ast.Import):
        for alias in node.names:
            if alias.name.startswith(f"{PACKAGE}."):
                yield alias.asname or alias.name, alias.name.removeprefix(f"{PACKAGE}.")
    elif isinstance(node, ast.ImportFrom) and node.module is not None and node.module.startswith(f"{PACKAGE}."):
        module = node.module.removeprefix(f"{PACKAGE}.")
        place = root.joinpath(*module.split("."))
        for alias in node.names:
            is_module = any((place / name).is_file() for name in (f"{alias.name}.py", f"{alias.name}/__init__.py"))
            yield alias.asname or alias.name, f"{module}.{alias.name}" if is_module else f"{module}:{alias.name}"


def _bare(tree: ast.Module) -> ast.Module:
    """Remove docstrings, and what only type checkers read."""
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if not isinstance(body, list):
            continue
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and body and _is_docstring(body[0]):
            del body[0]
        node.body = [statement for statement in body if not _is_for_type_checkers(statement)]  # type: ignore[attr-defined]
    return tree


def _is_docstring(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def _is_for_type_checkers(node: ast.stmt) -> bool:
    return isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"


def _shape(node: object) -> object:
    """Return a syntax tree as nested tuples that are the same in every version of Python.

    Left out are what errors say, and imports from the package: what they import counts itself, wherever it lies.
    """
    if isinstance(node, ast.Raise):
        return "raise"
    if isinstance(node, ast.AST):
        fields = [(name, _shape(value)) for name, value in ast.iter_fields(node) if value not in (None, [])]
        return (type(node).__name__, *fields)
    return tuple(_shape(each) for each in node if not _is_of_package(each)) if isinstance(node, list) else node


def _is_of_package(node: object) -> bool:
    return isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == PACKAGE
