"""Signals of node pairs: named numbers for the two nodes of a pair, computed on a graph.

Begin with `pair_signals`. `catalogue` lists the signals with their formulas, `computer` prepares what belongs to the
graph and computes in batches; `_structure`, `_orbits`, `_reach` and `_features` hold the parts that share their work.
"""

from edgeorbit.signals.catalogue import GROUPS, SIGNALS, Signal, default_signals, resolve_signals
from edgeorbit.signals.computer import PairSignals, SignalComputer, pair_signals

__all__ = [
    "GROUPS",
    "SIGNALS",
    "PairSignals",
    "Signal",
    "SignalComputer",
    "default_signals",
    "pair_signals",
    "resolve_signals",
]
