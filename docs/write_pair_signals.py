"""Write docs/pair-signals.md from the catalogue and from stored measurements: `python docs/write_pair_signals.py`."""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGE = Path(__file__).with_name("pair-signals.md")
TEXT = """\
# Pair signals

What is known of a pair of nodes without a network: {count} named numbers, from common neighbours to orbit densities.
`edgeorbit.pair_signals` computes them for many pairs at once, in batches and threads, and without torch:

```pycon
>>> import edgeorbit as eo
>>> graph = eo.load("karate")
>>> signals = eo.pair_signals(graph, [[0, 33], [4, 9]], ["common_neighbours", "distance", "pagerank"])
>>> signals.names
('common_neighbours', 'distance', 'pagerank_min', 'pagerank_max', 'pagerank_sum')
>>> signals["common_neighbours"].tolist()
[4.0, 0.0]
>>> signals.to_frame().shape
(2, 5)

```

`numpy.asarray(signals)` is a float32 array with a row for each pair. A name is that of a signal or of a group. Without
names, a graph gets all signals that its size and features allow (`edgeorbit.signals.default_signals`). A
`SignalComputer` prepares what belongs to the graph once, and then computes signals as often as you ask. No signal
depends on the order of a pair, and none on node numbers, apart from the last bits of walks and features.

**A signal of a link contains the link.** Walks go over it (u-v-u-v), PageRank too, its orbit counts it, and the
distance is 1. A model that is trained on such signals learns to see the link, and fails where links are hidden. So
hide the training links a fold at a time: build the graph without the fold and compute the signals of its links, and
of as many non-links, there. `without_pairs=True` hides the links among the pairs, all at once.

## In a pipeline of scikit-learn

[examples/pair_signals.py](../examples/pair_signals.py):

```python
{example}```

## The signals

N(u) are the neighbours of u, d(u) is their number, A the adjacency matrix and D the diagonal matrix of the degrees. The
orbit of a node is its colour class after some rounds of colour refinement, the orbit of a pair the unordered pair of
both colours. α is {alpha}, κ is {kappa:g}, and the bound of the distance {bound}; `pair_signals` takes others as
`alpha`, `kappa` and `max_distance`. Up to {small:,} nodes PageRank is solved. On larger graphs it is pushed from
both nodes, until at each node at most `tolerance` ({tolerance:g}) times its degree is missing, so that a pair takes a
bounded number of steps whatever the size of the graph. Walks that take more than {work:,} visits of neighbours for a
pair are left out by default. A signal is *cheap* if a pair takes no more than a look at the neighbours of both nodes.

{signals}

## What they cost

By `python -m benchmarks.signals cora pubmed --update`, two threads: the seconds that a part takes for the graph, and
the CPU time of one of 20,000 pairs, up to half of which are hidden links. Memory is what is needed beside the signals
themselves. The last column says how many times as long a peer takes for the same pairs on one thread.

{costs}

This page is written by `python docs/write_pair_signals.py`; do not edit it.
"""


def page() -> str:
    """Return the page."""
    if str(ROOT) not in sys.path:
        sys.path.append(str(ROOT))
    from benchmarks.report import markdown_table
    from benchmarks.signals import markdown
    from edgeorbit.signals.catalogue import SIGNALS, SMALL, WORK_PER_PAIR
    from edgeorbit.signals.computer import SignalOptions

    rows = [
        [f"`{each.name}`", each.group, each.part, "yes" if each.cheap else "no", each.formula]
        for each in SIGNALS.values()
    ]
    options = SignalOptions()
    return TEXT.format(
        count=len(SIGNALS),
        example=(ROOT / "examples" / "pair_signals.py").read_text(encoding="utf-8"),
        alpha=options.alpha,
        kappa=options.kappa,
        bound=options.max_distance,
        tolerance=options.tolerance,
        small=SMALL,
        work=WORK_PER_PAIR,
        signals="\n".join(markdown_table(["signal", "group", "part", "cheap", "formula"], rows, right=())),
        costs="\n".join(markdown()),
    )


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
