"""The command: `python -m benchmarks [--quick] [--only NAME] [--json FILE] [--write FILE]`."""

import argparse
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from benchmarks import common_neighbours, devices, large_graphs, training, training_scale
from benchmarks.report import busy_note, print_goals, print_graph, to_markdown
from benchmarks.startup import measure_startup
from benchmarks.suite import Plan, describe_machine, make_plan, run_suite

WIDTH = 130  # of tables that go to a file
RESULTS = Path(__file__).parent / "results.json"


def main() -> None:
    """Run the suite, or write the page of the documentation from its results."""
    options = _options()
    if options.write is not None:
        source = options.json or RESULTS
        if not source.exists():
            raise SystemExit(f"{source} does not exist; run python -m benchmarks first")
        page = to_markdown(json.loads(source.read_text()))
        parts = training, training_scale, large_graphs, common_neighbours, devices
        sections = [section for part in parts for section in part.markdown()]
        options.write.write_text("\n".join([page.rstrip(), *sections, ""]))
        return
    plan = make_plan(quick=options.quick, only=options.only, limit=options.limit)
    console = Console()
    if not console.is_terminal:
        console = Console(width=WIDTH)
    stored = _run(plan, console, quick=options.quick)
    print_goals(console, stored)
    whole = not options.quick and not options.only
    target = options.json or (RESULTS if whole or options.update else None)
    if options.update and target is not None and target.exists():
        stored = merged(json.loads(target.read_text()), stored)
    if target is not None:
        target.write_text(json.dumps(stored, indent=1) + "\n")


def merged(old: dict[str, Any], new: dict[str, Any]) -> dict[str, Any]:
    """Return old results in which every measurement that was made again is replaced."""
    again = {graph["name"]: graph for graph in new["graphs"]}
    graphs = []
    for graph in old["graphs"]:
        newer = again.pop(graph["name"], {"measurements": []})
        replaced = {(m["method"], m["threads"]): m for m in newer["measurements"]}
        kept = [replaced.pop((m["method"], m["threads"]), m) for m in graph["measurements"]]
        graphs.append(graph | {"measurements": [*kept, *replaced.values()]})
    startup = new.get("startup") or old.get("startup")
    return old | {"date": new["date"], "updated": True, "graphs": [*graphs, *again.values()], "startup": startup}


def _run(plan: Plan, console: Console, *, quick: bool) -> dict[str, Any]:
    stored: dict[str, Any] = {
        "date": datetime.now(UTC).date().isoformat(),
        "quick": quick,
        "limit": plan.limit,
        "machine": describe_machine(),
        "graphs": [],
    }
    if busy := busy_note(stored["machine"]):
        console.print(busy, style="yellow")
    columns = (BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TextColumn("{task.description}"))
    with Progress(*columns, console=console, transient=True) as progress:
        bar = progress.add_task("", total=sum(len(plan.runs(graph)) for graph in plan.methods))

        def started(what: str) -> None:
            progress.update(bar, description=what)

        for graph in run_suite(plan, started, lambda count: progress.advance(bar, count)):
            stored["graphs"].append(graph)
            print_graph(progress.console, graph)
        if plan.startup:
            started("edgeorbit ear cora")
            stored["startup"] = measure_startup()
    return stored


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="Measure edgeorbit beside its peers.")
    parser.add_argument("--quick", action="store_true", help="small graphs and few peers, under a minute")
    parser.add_argument(
        "--only", action="append", default=[], metavar="NAME", help="a graph, a method or startup; may be repeated"
    )
    parser.add_argument("--update", action="store_true", help="with --only: put what is measured into stored results")
    parser.add_argument("--limit", type=float, default=120.0, help="seconds after which a measurement is stopped")
    parser.add_argument("--json", type=Path, metavar="FILE", help="where results are stored, or read with --write")
    parser.add_argument("--write", type=Path, metavar="FILE", help="write the page of the documentation and do not run")
    return parser.parse_args()


if __name__ == "__main__":
    main()
