"""The section that says which model to try, by which rule, on what evidence."""

import shlex
from collections.abc import Sequence
from html import escape

from edgeorbit.report.graph_page import advice as rules
from edgeorbit.report.graph_page.evidence import PROTOCOL, SOURCE, Claim
from edgeorbit.report.graph_page.facts import GraphFacts
from edgeorbit.report.graph_page.markup import command, number, paragraph, section
from edgeorbit.report.wording import count

RULE = (
    "Links are compared with non-links of the same roles if at least "
    f"{100 * rules.MANY_AMBIGUOUS:.0f} % of hidden links have any, else with random ones. (1) If the link's two ends "
    f"have the more similar features at least {100 * rules.FEATURES_LEAD:.0f} points more often than the non-link's: "
    "gcn. (2) Else, if the link has more common neighbours at least "
    f"{100 * rules.COMMON_LEAD:.0f} points more often than fewer: eo-gnn and ncn, or buddy and eo-gnn "
    f"beyond {rules.LARGE:,} links. (3) Else: eo-gnn, beside personalised PageRank."
)
CAVEAT = (
    "The thresholds were chosen with these results in view (Cora and Citeseer fall under rule 1, NS, USAir and Yeast "
    "under 2, Router under 3), so the results illustrate the rule and do not test it. Take it as where to begin."
)


def advice_section(facts: GraphFacts, source: str, reading: Sequence[str] = ()) -> str:
    """Return which model to try, by which rule, and on what evidence."""
    title, advice = "Which model to try", facts.advice
    if advice is None:
        return section(title, paragraph("None: there are no links to learn from.", "lead"))
    steps = "".join(
        f'<li><span class="name">{step.model}</span> <span class="faint">{step.why}</span>{command(step.command)}</li>'
        for step in advice.suggestions
    )
    links = count(facts.graph.num_edges, "link")
    parts = [
        paragraph(escape(advice.verdict), "lead verdict"),
        paragraph(f"{escape(advice.reason)} Clustering {number(facts.statistics.clustering)}.", "lead small faint"),
        f'<p><span class="chip">{links}: {escape(advice.time)}</span></p>',
        f'<ol class="steps">{steps}</ol>',
    ]
    if source == rules.UNNAMED:
        parts.append(paragraph(f"{source} is the file or data set of this report.", "small faint after"))
    see = f"edgeorbit expressiveness {shlex.join([source, *reading])} --models gcn,ncn,eo-gnn"
    parts.append(paragraph("Before training, see which links each model can never tell apart:", "small after"))
    parts.append(command(see))
    if advice.evidence:
        parts += [
            _evidence(advice.evidence),
            f'<details><summary>The rule</summary><p class="small">{RULE}</p></details>',
        ]
    return section(title, *parts)


def _evidence(claims: tuple[Claim, ...]) -> str:
    listed = "".join(f"<li>{escape(claim.sentence())}</li>" for claim in claims)
    return (
        f'<h3 class="after">Evidence, for and against</h3><p class="small faint">{PROTOCOL}; {SOURCE}. '
        f'{CAVEAT}</p><ul class="small">{listed}</ul>'
    )
