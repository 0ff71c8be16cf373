"""The metrics of a model, as a table with the protocol above it."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

PARTS = ("valid", "test")
ORACLES_ARE = {"ceiling": "ceiling", "in sample": "in_sample", "cross-fitted": "cross_fitted"}
METRICS = ("auc", "ap", "mrr", "hits@1", "hits@3", "hits@10", "hits@20", "hits@50", "hits@100", "ties")


def print_metrics(console: "Console", found: dict[str, Any]) -> None:
    """Print what `LinkPredictor.evaluate` returns."""
    from rich.text import Text

    protocol = {
        **found["protocol"],
        **{key: found[key] for key in ("model", "seed", "threads")},
        "train_ear": round(found["train_ear"], 4),
        "split_digest": found["split_digest"][:16],
    }
    negatives = found["negatives"]
    if negatives["kind"] == "orbit" and negatives["rounds"] is None:
        negatives = negatives | {"rounds": "until stable"}
    about = {"protocol": protocol, "negatives": negatives}
    about |= {f"negatives of {part}": negatives[part] for part in PARTS if isinstance(negatives.get(part), Mapping)}
    for name, facts in about.items():
        console.print(Text(f"{name}: {_in_words(facts)}"), style="dim", soft_wrap=True)
    judged = {part: found[part] for part in PARTS}
    judged |= {f"{part}, original edges": found[part]["original"] for part in PARTS if "original" in found[part]}
    table = _table(list(judged))
    for metric in METRICS:
        table.add_row(metric, *("-" if of[metric] is None else f"{of[metric]:.4f}" for of in judged.values()))
    table.add_row("links", *(_judged(of["num_positives"], of["num_without_negatives"]) for of in judged.values()))
    console.print(table)
    _print_bounds(console, {part: (negatives.get(part) or {}).get("bounds") for part in PARTS})
    for remark in found["remarks"]:
        console.print(Text(f"{found['model']}: {remark}"), style="yellow", soft_wrap=True)


def _print_bounds(console: "Console", bounds: Mapping[str, Mapping[str, Any] | None]) -> None:
    """Print the AUC of oracles on orbit negatives, if they were asked."""
    known = [(part, of) for part, of in bounds.items() if of]
    if not known:
        return
    oracles = [name for name, values in known[0][1].items() if isinstance(values, Mapping)]
    table = _table([f"{part}\n{way}" for part, _ in known for way in ORACLES_ARE])
    for name in oracles:
        values = (of[name].get(way) for _, of in known for way in ORACLES_ARE.values())
        table.add_row(_plain(name), *("-" if value is None else f"{value:.4f}" for value in values))
    console.print()
    console.print(f"AUC of an oracle that knows these alone (walks up to {known[0][1]['walk_length']}):", style="dim")
    console.print(table)


def _table(columns: list[str]) -> "Table":
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    table = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
    table.add_column("")
    for column in columns:
        table.add_column(column, justify="right", no_wrap=True)
    return table


def _in_words(facts: Mapping[str, Any]) -> str:
    """Return facts one after the other; those that have parts are left out.

    >>> _in_words({"ratios": [0.8, 0.2], "with_valid_edges": False, "rounds": None, "bounds": {}})
    'ratios 0.8 0.2, with valid edges no, rounds none'
    """
    return ", ".join(f"{_plain(key)} {_word(value)}" for key, value in facts.items() if not isinstance(value, Mapping))


def _plain(name: str) -> str:
    return name.replace("_", " ")


def _word(value: Any) -> str:
    if isinstance(value, list | tuple):
        return " ".join(map(_word, value))
    if value is None or isinstance(value, bool):
        return {None: "none", True: "yes", False: "no"}[value]
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _judged(positives: int, without_negatives: int) -> str:
    judged = positives - without_negatives
    return f"{positives:,}" if judged == positives else f"{judged:,} of {positives:,}"
