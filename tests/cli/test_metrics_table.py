"""The table of metrics: how many links are judged."""

import io

from rich.console import Console

from edgeorbit import LinkPredictor
from edgeorbit.cli.tables import print_metrics
from edgeorbit.graph.toys import two_copies


def test_links_without_negatives_are_not_counted_as_judged() -> None:
    predictor = LinkPredictor("ra", seed=0).fit(two_copies(), features="constant")
    for kind in ("random", "orbit"):
        found, printed = predictor.evaluate(kind).as_dict(), io.StringIO()
        print_metrics(Console(file=printed, width=200), found)
        held_out, alone = (found["test"][key] for key in ("num_positives", "num_without_negatives"))
        (row,) = [line for line in printed.getvalue().splitlines() if line.startswith("links ")]
        assert (alone > 0) == (kind == "orbit")
        assert row.rstrip().endswith(f" {held_out - alone} of {held_out}" if alone else f" {held_out}")
