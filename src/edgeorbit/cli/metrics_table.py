"""The metrics of a model, as a table with the protocol above it."""

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console

COLUMNS = ("auc", "ap", "mrr", "hits@1", "hits@3", "hits@10", "hits@20", "hits@50", "hits@100", "ties")


def print_metrics(console: "Console", found: dict[str, Any]) -> None:
    """Print what `LinkPredictor.evaluate` returns."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    protocol = {
        **found["protocol"],
        **{key: found[key] for key in ("model", "seed", "threads")},
        "train_ear": round(found["train_ear"], 4),
        "split_digest": found["split_digest"][:16],
    }
    console.print(Text(f"protocol {json.dumps(protocol)}"), style="dim", soft_wrap=True)
    console.print(Text(f"negatives {json.dumps(found['negatives'])}"), style="dim", soft_wrap=True)
    table = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
    table.add_column("")
    for column in (*COLUMNS, "positives"):
        table.add_column(column, justify="right", no_wrap=True)
    for part in ("valid", "test"):
        for name, metrics in ((part, found[part]), (f"{part}, original edges", found[part].get("original"))):
            if metrics is not None:
                values = ("-" if metrics[key] is None else f"{metrics[key]:.4f}" for key in COLUMNS)
                table.add_row(name, *values, _judged(metrics["num_positives"], metrics["num_without_negatives"]))
    console.print(table)
    for remark in found["remarks"]:
        console.print(Text(f"{found['model']}: {remark}"), style="yellow", soft_wrap=True)


def _judged(positives: int, without_negatives: int) -> str:
    judged = positives - without_negatives
    return f"{positives:,}" if judged == positives else f"{judged:,} of {positives:,}"
