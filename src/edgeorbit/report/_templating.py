"""Pages from the templates in `templates/`, which escape all text unless it is marked as HTML."""

from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from edgeorbit.report.style import count


def render(template: str, **context: Any) -> str:
    """Return the page that a template makes of its context.

    >>> page = render("graph.html", title="<b>", size="", headline="", facts=None, read=[], version="1", style="")
    >>> "<h1><bdi>&lt;b&gt;</bdi></h1>" in page
    True
    """
    return _environment().get_template(template).render(context)


def source(name: str) -> str:
    """Return a file beside the templates, as it is."""
    environment = _environment()
    assert environment.loader is not None
    return environment.loader.get_source(environment, name)[0]


def styles(*names: str) -> Markup:
    """Return style sheets, one after the other."""
    return Markup("".join(source(name) for name in names))


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("edgeorbit.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.policies["json.dumps_kwargs"] = {"separators": (",", ":"), "allow_nan": False}
    environment.globals["count"] = count
    return environment
