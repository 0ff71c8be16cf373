"""Does a model or its evaluation leak? `edgeorbit.audit` runs a table of checks, each with a verdict and an example.

`audit` is where to begin: it lists the checks. `split_checks` looks at the split alone, `scoring_checks` at the scores
of a fitted model, and `training_checks` trains the model again: on the same training links with other held-out links,
on targets that another process has hidden, on renumbered nodes. `subjects` says what can be audited, `exceptions` which
models break a clause by design, and `findings` what comes out.
"""

from edgeorbit.auditing.findings import Audit, Example, Finding

__all__ = ["Audit", "Example", "Finding"]
