"""The kinds of input: their valid examples, what is damaged in them, and the commands that read them."""

import hashlib
import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from attack import examples
from attack.mutators import damage
from attack.trees import Special, Tree, damage_tree

OTHER_DAMAGE = 0.02  # share of cases in which a file is missing, a pipe, or another one


class Kind(NamedTuple):
    """One kind of input.

    Attributes
    ----------
    examples : list of (Tree, list of str)
        Valid inputs, and the files of each that are damaged.
    commands : list of str
        What reads them; `{file}` is the damaged file. The output is what `-o` or `--write` names.
    repair : function, optional
        Puts checksums in order after the damage, so that it is not found by these alone.
    """

    examples: list[tuple[dict[str, bytes], list[str]]]
    commands: list[str]
    repair: Callable[[Tree], None] = lambda tree: None


class Case(NamedTuple):
    """One input, and the command that it is given to."""

    tree: Tree
    arguments: list[str]
    target: str
    damage: str


def make_kinds(run: Callable[..., None], place: Path) -> dict[str, Kind]:
    """Return all kinds by name; `run` makes what commands write, in an empty directory."""
    (place / "results").mkdir()
    made, results = examples.directories(run, place / "made"), examples.results(place / "results")
    ra = _within("run", made["ra"])
    return {
        "graph": Kind(
            _one_by_one(examples.graphs()),
            [
                *["ear {file} --json --threads 1"] * 25,
                "orbits {file} -o out.csv --threads 1",
                "stats {file} --json --threads 1",
                "ear {file} --rounds 2 --columns 0,1 --threads 1",
                "ear {file} --columns source,target --threads 1",
                *["ear {file} --skip-bad-rows --no-header --encoding latin-1 --format edgelist --threads 1"] * 2,
                "train {file} --model ra --format edgelist --time 0 --weight 1 --columns 2,3 -o out-run --threads 1",
                "train {file} --model cn --weight weight -o out-run --threads 1",
                *(f"ear {{file}} --format {name} --threads 1" for name in ("edgelist", "mtx", "gml", "graphml", "npz")),
                "ear {file} --engine duckdb --memory-limit 1GB --threads 1",
                "train {file} --model ra -o out-run --threads 1",
                "synth disjoint-copies --of {file} -o out-copies --threads 1",
            ],
        ),
        "features": Kind(
            _one_by_one(examples.features()),
            ["train karate --model ra --features-file {file} -o out-run --threads 1"],
        ),
        "pairs": Kind(
            [({**ra, name: content}, [name]) for name, content in examples.pairs().items()],
            [
                "predict run --pairs {file} -o out.csv --threads 1",
                "predict run --pairs {file} --json --threads 1",
                "predict run --pairs {file} --strict -o out.parquet --threads 1",
                "predict run --exclude {file} --skip-bad-rows --top 5 --threads 1",
                "predict run --candidates {file} --columns 1,0 -o out.json --threads 1",
            ],
        ),
        "colours": Kind(_one_by_one(examples.colours()), ["ear karate --initial {file} --json --threads 1"]),
        "run": Kind(
            [(tree, [*tree]) for tree in (_within("run", made[name]) for name in ("ra", "gcn", "twin", "official"))],
            [
                "evaluate run --json --threads 1",
                "evaluate run --negatives orbit --threads 1",
                "predict run --top 5 --json --threads 1",
                "predict run --top 5 -o out.csv --threads 1",
                "train karate --model ra -o run --json --threads 1",
            ],
        ),
        "results": Kind(
            [(results, ["small.parquet"])],
            [
                "bench small.toml --dry-run",
                "bench small.toml --write out.md",
                "bench small.toml --prune --dry-run",
                "bench small.toml --sql SELECT*FROM(results) --json",
                "report small.parquet -o out.html",
                "report small.toml -o out.md",
                "report small.parquet --against gcn -o out.md",
                "report small.parquet -o out.csv",
            ],
        ),
        "experiment": Kind(
            [(results, ["small.toml"])],
            [*["bench small.toml --dry-run"] * 3, "bench small.toml --write out.md", "report small.toml -o out.html"],
        ),
        "tuned": Kind([(results, ["tuned.toml"])], ["bench small.toml --dry-run", "bench small.toml --write out.md"]),
        "card": Kind(
            [(_within("graph", made[name]), [f"graph/{file}" for file in made[name]]) for name in ("copies", "grid")],
            [
                "ear graph --json --threads 1",
                "stats graph --json --threads 1",
                "train graph --model ra -o out-run --threads 1",
                "synth disjoint-copies --of graph -o out-copies --threads 1",
            ],
            repair_card,
        ),
        "heart": Kind(
            [(_within("split", examples.heart()), [f"split/{file}" for file in examples.heart()])],
            [
                "ear split --json --threads 1",
                "train split --model ra --features constant -o out-run --threads 1",
                "train split --model cn --features constant --negatives heart -o out-run --threads 1",
            ],
        ),
    }


def make_case(rng: random.Random, kind: Kind) -> Case:
    """Return a damaged example and a command; the generator decides all."""
    example, targets = rng.choice(kind.examples)
    tree: Tree = dict(example)
    done = []
    for _ in range(rng.choice((1, 1, 1, 1, 2))):
        target = rng.choice(targets)
        content = tree.get(target)
        if rng.random() < OTHER_DAMAGE:
            done.append(damage_tree(rng, tree, target) if target in tree else "")
        elif isinstance(content, bytes) and content:
            other = rng.choice([*rng.choice(kind.examples)[0].values()])
            tree[target], how = damage(rng, target, example[target], other)
            done.append(f"{target}: {how}")
    if rng.random() < 0.85:
        kind.repair(tree)
    command = rng.choice(kind.commands)
    return Case(tree, [word.replace("{file}", target) for word in command.split()], target, "; ".join(done))


def repair_card(tree: Tree) -> None:
    """Give a card the checksums of the files beside it."""
    content = tree.get("graph/graph.json")
    if isinstance(content, Special) or content is None:
        return
    try:
        card = json.loads(content)
        digests = {name: hashlib.sha256(tree[f"graph/{name}"]).hexdigest() for name in card["sha256"]}  # type: ignore
    except (ValueError, KeyError, TypeError, RecursionError):
        return
    tree["graph/graph.json"] = json.dumps(card | {"sha256": digests}).encode("utf-8", "replace")


def _one_by_one(files: dict[str, bytes]) -> list[tuple[dict[str, bytes], list[str]]]:
    return [({name: content}, [name]) for name, content in files.items()]


def _within(directory: str, files: dict[str, bytes]) -> dict[str, bytes]:
    return {f"{directory}/{name}": content for name, content in files.items()}
