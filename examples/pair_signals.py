"""Pair signals in a pipeline of scikit-learn: links are hidden in folds, so that their signals never see them."""

import numpy as np
import pandas as pd
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import edgeorbit as eo
from edgeorbit.signals import default_signals

split = eo.split("karate", ratios=(0.7, 0.1, 0.2), seed=0)
graph = split.graph  # the training links: all that a scorer may use
names = default_signals(graph)  # once, because the default depends on the graph
rng = np.random.default_rng(0)


def random_non_edges(count):
    """Draw pairs that are no training links."""
    pairs = rng.integers(0, graph.num_nodes, (4 * count, 2))
    linked = eo.to_scipy(graph)[pairs[:, 0], pairs[:, 1]] != 0
    return pairs[(pairs[:, 0] != pairs[:, 1]) & ~np.asarray(linked).ravel()][:count]


frames, labels = [], []
for fold in np.array_split(rng.permutation(graph.edges), 5):
    pairs = np.concatenate([fold, random_non_edges(len(fold))])
    # The signals of a link that is in the graph would give it away, so they belong to the graph without the fold.
    frames.append(eo.pair_signals(graph, pairs, names, without_pairs=True).to_frame())
    labels.append(np.arange(len(pairs)) < len(fold))

model = make_pipeline(StandardScaler(), LogisticRegression(C=0.01)).fit(pd.concat(frames), np.concatenate(labels))
scorers = {
    "resource_allocation": lambda pairs: eo.pair_signals(graph, pairs)["resource_allocation"],
    "all signals": lambda pairs: model.decision_function(eo.pair_signals(graph, pairs, names).to_frame()),
}
for name, scorer in scorers.items():
    print(f"{name}: AUC {eo.evaluate(scorer, split, ['random'])['random'].test['auc']:.3f}")
