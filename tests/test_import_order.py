"""The folder tree is the data flow: a part of the package imports only from those before it, and no modules in a circle.

Imports inside functions and for type checkers count too: what a signature names, a reader has to know first.
"""

import ast
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

import edgeorbit

PACKAGE = Path(edgeorbit.__file__).parent
ORDER = [
    "_text",
    "errors",
    "_memory",
    "_compiled",
    "_parallel",
    "_randomness",
    "_pyg_import",
    "_unfinished",
    "_files",
    "graph",
    "pairwise",
    "orbits",
    "measures",
    "signals",
    "data",
    "engines",
    "synthetic",
    "models",
    "evaluation",
    "training",
    "prediction",
    "expressiveness",
    "auditing",
    "testing",
    "theory",
    "experiments",
    "pyg",
    "report",
    "cli",
    "__main__",
]
# Training validates and stops early, so that evaluation comes first.


def imports_of(package: Path) -> dict[str, set[str]]:
    """Return by module, below the package, the modules of the package that it imports, wherever the statement stands."""
    files = {path.relative_to(package).with_suffix("").parts: path for path in package.rglob("*.py")}
    modules = {".".join(parts).removesuffix("__init__").rstrip("."): path for parts, path in files.items()}
    found: dict[str, set[str]] = {name: set() for name in modules}
    for name, path in modules.items():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom):
                assert node.level == 0, f"{name}, line {node.lineno}: a relative import; write the whole name"
                named = [f"{node.module}.{alias.name}" for alias in node.names]
            elif isinstance(node, ast.Import):
                named = [alias.name for alias in node.names]
            else:
                continue
            for whole in named:
                parent, _, last = whole.rpartition(".")
                if (parent == "edgeorbit" and last not in modules) or whole == "edgeorbit":
                    assert last in ("__version__", "edgeorbit"), (
                        f"{name}, line {node.lineno}: import {last} from its home"
                    )
                elif parent.split(".")[0] == "edgeorbit":
                    home = whole.removeprefix("edgeorbit.")
                    found[name].add(home if home in modules else home.rpartition(".")[0])
    # The package itself offers what lies in all of them, and loads it when it is first used.
    del found[""]
    return {name: homes - {name} for name, homes in found.items()}


def against_the_order(imports: dict[str, set[str]]) -> list[str]:
    """Return the imports from a later part of the package."""
    place = {part: number for number, part in enumerate(ORDER)}
    part_of = {name: name.split(".")[0] for name in imports}
    return sorted(
        f"{name} imports from {home}"
        for name, homes in imports.items()
        for home in homes
        if place[part_of[home]] > place[part_of[name]]
    )


def circle_of(imports: dict[str, set[str]]) -> list[str]:
    """Return modules that import each other in a circle, if there are any."""
    try:
        TopologicalSorter(imports).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def private_from_outside(imports: dict[str, set[str]]) -> list[str]:
    """Return the imports of modules with a leading underscore from outside the package that they lie in."""
    return sorted(
        f"{name} imports from {home}"
        for name, homes in imports.items()
        for home in homes
        if "_" in (first := [part[0] for part in home.split(".")])
        and not name.startswith(".".join(home.split(".")[: first.index("_")]))
    )


def test_every_part_of_the_package_has_its_place() -> None:
    assert sorted(ORDER) == sorted({name.split(".")[0] for name in imports_of(PACKAGE)})


def test_a_part_imports_only_from_those_before_it() -> None:
    assert against_the_order(imports_of(PACKAGE)) == []


def test_no_modules_import_each_other_in_a_circle() -> None:
    assert circle_of(imports_of(PACKAGE)) == []


def test_private_modules_are_imported_by_their_own_package_alone() -> None:
    assert private_from_outside(imports_of(PACKAGE)) == []
    assert private_from_outside({"orbits.refine": {"orbits._refinement.dense"}}) == []
    assert len(private_from_outside({"measures.ear": {"orbits._refinement.dense"}})) == 1


@pytest.mark.parametrize(
    "statement",
    [
        "from edgeorbit.report.page import write_page",
        "from edgeorbit.report import page",
        "import edgeorbit.report.page",
        "def late():\n    from edgeorbit.report.page import write_page",
        "if TYPE_CHECKING:\n    from edgeorbit.report.page import Page",
    ],
)
def test_imports_are_seen_wherever_they_stand(tmp_path: Path, statement: str) -> None:
    for name, text in (
        ("__init__", ""),
        ("graph/__init__", ""),
        ("graph/csr", statement),
        ("report/__init__", ""),
        ("report/page", "from edgeorbit.graph import csr"),
    ):
        path = tmp_path / f"{name}.py"
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    imports = imports_of(tmp_path)
    assert against_the_order(imports) == ["graph.csr imports from report.page"]
    assert set(circle_of(imports)) == {"graph.csr", "report.page"}


def test_names_that_the_package_offers_are_not_for_its_own_modules(tmp_path: Path) -> None:
    (tmp_path / "__init__.py").write_text("")
    (tmp_path / "graph.py").write_text("from edgeorbit import Graph, __version__")
    with pytest.raises(AssertionError, match="graph, line 1: import Graph from its home"):
        imports_of(tmp_path)
