"""Print the lowest versions that pyproject.toml allows, as constraints for pip: `make test-lowest` installs them.

The tools of development are not among them, nor what constraints.txt pins.
"""

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

TOOLS = "dev"


def lowest_versions(project: str, pinned: str) -> Iterator[str]:
    """Give a line `name==version` for every dependency in the text of a pyproject.toml."""
    declared = tomllib.loads(project)["project"]
    extras = [some for extra, some in declared["optional-dependencies"].items() if extra != TOOLS]
    for requirement in sum(extras, declared["dependencies"]):
        bounded = re.fullmatch(r"([\w-]+)>=([\d.]+)", requirement)
        if bounded is None:
            raise ValueError(f"{requirement} states no lower bound; write NAME>=VERSION in pyproject.toml")
        if f"{bounded[1]}==" not in pinned:
            yield f"{bounded[1]}=={bounded[2]}"


if __name__ == "__main__":
    root = Path(__file__).parents[1]
    texts = ((root / name).read_text(encoding="utf-8") for name in ("pyproject.toml", "constraints.txt"))
    print(*lowest_versions(*texts), sep="\n")
