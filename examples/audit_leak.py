"""Audit a model that leaks: it was given the whole graph, test links included, before the links were held out."""

import edgeorbit as eo
from edgeorbit.graph.node_pairs import are_edges

whole = eo.load("karate")
split = eo.split(whole, "random", seed=0)


class Leaky(eo.LinkModel):
    """Common neighbours, and a bonus for every link of the whole graph."""

    name = "leaky"
    citation = "an example of what not to do"

    def on(self, graph):
        """Return a scorer that looks at more than the graph that it is given."""
        honest = eo.models.make_model("cn").on(graph)
        return lambda pairs: honest(pairs) + 100.0 * are_edges(whole, pairs)


result = eo.evaluate(Leaky(), split)
print(f"AUC {result.test['auc']:.3f}: too good to be true")

audit = eo.audit(Leaky(), split, seed=0)
print(audit)
print("passed" if audit.passed else "this model leaks")
