"""Write docs/api.md, the public names with their signatures: `python docs/write_api.py`."""

import inspect
import re
from importlib import import_module
from pathlib import Path
from typing import Any

PAGE = Path(__file__).with_name("api.md")
PARTS = {
    "edgeorbit": "",
    "edgeorbit.models": "Models by name, and the class that all derive from.",
    "edgeorbit.testing": "The contract of every model, for the tests of other packages.",
    "edgeorbit.expressiveness": "Which links a model can never distinguish.",
    "edgeorbit.synthetic": "Graphs whose EAR is chosen.",
    "edgeorbit.pyg": "Transforms, data sets, metrics and layers for PyTorch Geometric.",
}
INTRODUCTION = """\
# The public names

Each name that `import edgeorbit as eo` offers, with its signature and the first sentence of its docstring;
`help(eo.load)` prints the rest.
"""
COMMAND = "This page is written by `python docs/write_api.py`; do not edit it.\n"


def page() -> str:
    """Return the page."""
    lines = [INTRODUCTION, COMMAND]
    for part, about in PARTS.items():
        module = import_module(part)
        lines.append(f"## {part}\n")
        lines += [f"{about}\n"] if about else []
        lines += [entry for name in sorted(module.__all__, key=str.lower) if (entry := _entry(module, name))]
    return "\n".join(lines)


def _entry(module: Any, name: str) -> str:
    """Return the signature and first sentence of a name, and of the methods of a class."""
    found = getattr(module, name)
    if not callable(found):
        return ""
    lines = [f"- `{name}{_signature(found)}`  ", f"  {_summary(found)}"]
    if inspect.isclass(found) and found.__module__.startswith("edgeorbit"):
        for method, value in sorted(vars(found).items()):
            plain = value.__func__ if isinstance(value, classmethod | staticmethod) else value
            if not method.startswith("_") and inspect.isfunction(plain) and plain.__doc__:
                lines += [f"  - `{name}.{method}{_signature(getattr(found, method))}`  ", f"    {_summary(plain)}"]
    return "\n".join(lines) + "\n"


def _signature(found: Any) -> str:
    """Return the names and defaults of the parameters, without types: these are in the docstring."""
    try:
        signature = inspect.signature(found)
    except ValueError:
        return "(...)"
    parameters = [each.replace(annotation=each.empty) for each in signature.parameters.values() if each.name != "self"]
    shown = str(signature.replace(parameters=parameters, return_annotation=signature.empty))
    return re.sub(r"<factory>|<[^>]* at 0x[0-9a-f]+>|<class '[\w.]*'>", "...", shown)


def _summary(found: Any) -> str:
    """Return the first sentence of a docstring, on one line."""
    text = " ".join((inspect.getdoc(found) or "").partition("\n\n")[0].split())
    return text if text else "-"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
