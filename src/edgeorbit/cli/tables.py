"""The tables that commands print: metrics of a model, measurements of EAR, and those of the theorems."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from edgeorbit.cli.console import WIDE, new_table

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from edgeorbit.measures.ear import Measurement
    from edgeorbit.theory.performance import Correlation

PARTS = ("valid", "test")
ORACLES_ARE = {"ceiling": "ceiling", "in sample": "in_sample", "cross-fitted": "cross_fitted"}
METRICS = ("auc", "ap", "mrr", "hits@1", "hits@3", "hits@10", "hits@20", "hits@50", "hits@100", "ties")
LISTED_ROUNDS = (1, 2, 3)


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
    table = _number_table(list(judged))
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
    table = _number_table([f"{part}\n{way}" for part, _ in known for way in ORACLES_ARE])
    for name in oracles:
        values = (of[name].get(way) for _, of in known for way in ORACLES_ARE.values())
        table.add_row(_plain(name), *("-" if value is None else f"{value:.4f}" for value in values))
    console.print()
    console.print(f"AUC of an oracle that knows these alone (walks up to {known[0][1]['walk_length']}):", style="dim")
    console.print(table)


def _number_table(columns: list[str]) -> "Table":
    table = new_table((0, 1, 0, 0))
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


def measurement_table(results: "list[tuple[Measurement, dict[str, Any]]]", width: int) -> "Table":
    """Return the table of measurements, one row per graph; EAR by round is left out if nobody has it, or has room."""
    from rich.text import Text

    rounds = LISTED_ROUNDS if width >= WIDE and any(found.ear_by_round for found, _ in results) else ()
    exact = any(extra for _, extra in results)
    table = new_table((0, 1, 0, 0))
    table.add_column("graph", overflow="fold")
    headings = ["nodes", "edges", "rounds", "node\norbits", "edge\norbits", *(f"EAR@{k}" for k in rounds)]
    for heading in [*headings, "EAR", "alpha_V", *(["exact\nnode\norbits", "exact\nedge\norbits"] if exact else [])]:
        table.add_column(heading, justify="right", style="bold" if heading == "EAR" else None, no_wrap=True)
    for found, extra in results:
        row = [
            f"{found.num_nodes:,}",
            f"{found.num_edges:,}",
            f"{found.rounds:,}" + ("" if found.stable else "*"),
            f"{found.num_node_orbits:,}",
            f"{found.num_edge_orbits:,}",
            *(_at_round(found.ear_by_round, k, found.stable) for k in rounds),
            f"{found.ear:.4f}",
            f"{found.alpha_v:.4f}",
        ]
        if exact:
            row += [f"{extra['exact_num_node_orbits']:,}", f"{extra['exact_num_edge_orbits']:,}"]
        table.add_row(Text(found.graph), *row)
    return table


def _at_round(by_round: list[float], k: int, stable: bool) -> str:
    if not by_round:
        return ""
    if k < len(by_round):
        return f"{by_round[k]:.4f}"
    return f"{by_round[-1]:.4f}" if stable else ""


def print_readings(console: "Console", found: "list[Measurement]") -> None:
    """Print what measurements mean, a sentence each."""
    from rich.text import Text

    from edgeorbit.measures.ear import explain

    console.print()
    for one in found:
        sentence = Text(explain(one) if len(found) == 1 else f"{one.graph}: {explain(one)}")
        if one.merged_edges or one.self_loops:
            sentence.append(
                f" Merged {one.merged_edges:,} repeated edges, dropped {one.self_loops:,} self-loops.", "dim"
            )
        console.print(sentence, soft_wrap=not console.is_terminal)
    if any(not one.stable for one in found):
        console.print("* not stable: further rounds would tell more apart.", style="dim")


def complexity_table(found: Sequence[dict[str, Any]]) -> "Table":
    """Return how many draws of dropout tell links apart, one row per graph."""
    table = plain_table(
        *("graph", "links", "with look-\nalike", "mean\nrate", "L of\nD1", "L of\nuniform", "break-even\nrate"),
        *("share\nchanged", "orbits split,\n1 draw", "pairs told,\n1 draw", "pairs told,\nL draws"),
    )
    for row in found:
        course, draws = row["course"], row["d1_draws"]
        told = course["pairs_told"]
        table.add_row(
            row["graph"],
            *(f"{row[key]:,}" for key in ("num_edges", "automorphic")),
            f"{row['mean_rate']:.4f}",
            *(f"{row[key]:,}" for key in ("d1_draws", "uniform_draws")),
            f"{row['break_even_rate']:.4f}",
            f"{row['share_changed']:.3f}",
            *(f"{course['orbits_split'][0]:.3f}", f"{told[0]:.3f}"),
            f"{told[draws - 1]:.3f}" if draws <= len(told) else "-",
        )
    return table


def distances_table(found: Sequence[Sequence[Any]]) -> "Table":
    """Return how far the nodes of an orbit are from each other and from others, one row per stage."""
    table = plain_table(
        *("graph", "orbits", "dominant", "stage", "D2", "within", "formula", "of mean", "between"),
        *("within /\nbetween", "linked\nwithin", "linked\nbetween"),
    )
    for rows in found:
        for row in rows:
            numbers = (row.within, row.closed_form, row.within_of_mean, row.between)
            table.add_row(
                *(row.graph, f"{row.num_orbits:,}", f"{row.num_dominant:,}", row.stage),
                f"tau {row.tau:g}" if row.d2 else "no",
                *(_number(value) for value in (*numbers, row.ratio, row.linked_within, row.linked_between)),
            )
    return table


def scores_table(found: Sequence[Any]) -> "Table":
    """Return the scores of links by model, kind and place."""
    table = plain_table("model", "links", "place", "number", "mean", "deviation", "median", "missed", "AUC", "±")
    for row in found:
        median = None if row.quartiles is None else row.quartiles[1]
        table.add_row(
            *(row.model, row.kind, "" if row.kind == "negative" else row.place, f"{row.number:,}"),
            *(_number(value) for value in (row.mean, row.deviation, median, row.share_missed)),
            *(_number(value) for value in (row.auc, row.auc_deviation)),
        )
    return table


def correlation_table(found: Sequence["Correlation"]) -> "Table":
    """Return Spearman's correlations with EAR, one row per family of graphs and model."""
    table = new_table()
    for column in ("graphs", "model", "runs", "rho", "95 % interval"):
        table.add_column(column, justify="left" if column in {"graphs", "model"} else "right")
    for row in found:
        rho = "-" if row.rho is None else f"{row.rho:+.2f}"
        interval = "-" if row.low is None or row.high is None else f"{row.low:+.2f} to {row.high:+.2f}"
        table.add_row(row.family, row.model, str(row.number), rho, interval)
    return table


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


def plain_table(first: str, *headings: str) -> "Table":
    """Return a table without rows; numbers are aligned to the right."""
    table = new_table((0, 1, 0, 0))
    table.add_column(first, overflow="fold")
    for heading in headings:
        table.add_column(heading, justify="left" if heading in {"links", "place", "stage", "D2"} else "right")
    return table
