"""What an audit returns: a finding per check, with a verdict and an example."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from html import escape
from typing import Any, Literal, NamedTuple

Verdict = Literal["passed", "failed", "exception", "skipped"]


class Example(NamedTuple):
    """A node pair that shows the finding.

    Attributes
    ----------
    pair : tuple
        The two nodes, by the user's own ids.
    text : str
        What is wrong with it; for scores, what each of the two is.
    scores : tuple of two floats, or None
        The two scores that should be equal.
    """

    pair: tuple[Any, Any]
    text: str
    scores: tuple[float, float] | None = None

    def __str__(self) -> str:
        """Return the example as a phrase."""
        where = f"{self.pair[0]} - {self.pair[1]}"
        if self.scores is None:
            return f"{where}: {self.text}"
        first, second = (f"{score:.7g}" for score in self.scores)
        if first == second:
            first, second = map(repr, self.scores)
        return f"{where}: {first} or {second} ({self.text})"


@dataclass(frozen=True)
class Finding:
    """The outcome of one check.

    Attributes
    ----------
    check : str
        The name of the check.
    claim : str
        What the check verifies, in one sentence.
    verdict : str
        `passed`; `failed`; `exception`, if the claim does not hold by design; or `skipped`, if the check does not apply
        or cannot be decided. `note` says why.
    note : str
        The reason, or what was compared.
    example : Example or None
        A pair for which the claim does not hold.
    """

    check: str
    claim: str
    verdict: Verdict
    note: str = ""
    example: Example | None = None

    @property
    def shown(self) -> str:
        """The last column of the table: the example and the note."""
        return "; ".join(part for part in ("" if self.example is None else str(self.example), self.note) if part)

    def to_dict(self) -> dict[str, Any]:
        """Return the finding as JSON-compatible values."""
        values: dict[str, Any] = {key: getattr(self, key) for key in ("check", "claim", "verdict", "note")}
        if self.example is not None:
            pair, text, scores = self.example
            shown = None if scores is None else [score if math.isfinite(score) else str(score) for score in scores]
            values["example"] = {"pair": [_plain(node) for node in pair], "text": text, "scores": shown}
        return values


@dataclass(frozen=True)
class Audit:
    """The findings of an audit; printed, or shown by a notebook, it is a table.

    Attributes
    ----------
    model, graph : str
        The names of the model and of the graph.
    seed : int
        The seed of training and of all pairs.
    checks : list of Finding
        In the order of `edgeorbit.auditing.audit.CHECKS`.
    about : mapping
        The protocol of the split, the settings of training and the tolerance.
    """

    model: str
    graph: str
    seed: int
    checks: list[Finding]
    about: Mapping[str, Any] = field(default_factory=dict)

    @property
    def passed(self) -> bool:
        """Whether no check failed; exceptions by design and skipped checks do not count as failures."""
        return not self.failed

    @property
    def failed(self) -> list[Finding]:
        """The checks that failed."""
        return [finding for finding in self.checks if finding.verdict == "failed"]

    def __getitem__(self, check: str) -> Finding:
        """Return the finding of a check."""
        finding = next((finding for finding in self.checks if finding.check == check), None)
        if finding is None:
            raise KeyError(f"{check}: known are {', '.join(finding.check for finding in self.checks)}")
        return finding

    def to_dict(self) -> dict[str, Any]:
        """Return the audit as JSON-compatible values, as `edgeorbit audit --json` prints it."""
        return {
            "model": self.model,
            "graph": self.graph,
            "seed": self.seed,
            "passed": self.passed,
            "checks": [finding.to_dict() for finding in self.checks],
            **self.about,
        }

    @property
    def title(self) -> str:
        """What was audited and how it ended, in one line."""
        counts = {
            verdict: sum(finding.verdict == verdict for finding in self.checks)
            for verdict in ("passed", "failed", "exception", "skipped")
        }
        ended = ", ".join(f"{count} {verdict}" for verdict, count in counts.items() if count)
        return f"{self.model} on {self.graph}, seed {self.seed}: {ended}"

    def __str__(self) -> str:
        """Return the table as text."""
        rows = [("check", "verdict", "example"), *((each.check, each.verdict, each.shown) for each in self.checks)]
        first, second = (max(len(row[column]) for row in rows) for column in (0, 1))
        lines = [f"{check:<{first}}  {verdict:<{second}}  {shown}".rstrip() for check, verdict, shown in rows]
        return "\n".join([self.title, *lines])

    def _repr_html_(self) -> str:
        """Return the table, for notebooks."""
        rows = "".join(
            f'<tr><th title="{escape(each.claim)}">{escape(each.check)}</th><td>{each.verdict}</td>'
            f"<td>{escape(each.shown)}</td></tr>"
            for each in self.checks
        )
        head = "<tr><th>check</th><th>verdict</th><th>example</th></tr>"
        return f"<table><caption>{escape(self.title)}</caption>{head}{rows}</table>"


def _plain(value: Any) -> Any:
    return value.item() if hasattr(value, "item") else value
