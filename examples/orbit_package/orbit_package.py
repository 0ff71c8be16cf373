"""A package of its own with one model for edgeorbit; pyproject.toml names it as an entry point."""

from edgeorbit.models import LinkModel


class PreferentialAttachment(LinkModel):
    """The product of the degrees of two nodes."""

    name = "preferential-attachment"
    citation = "Barabasi and Albert, Emergence of scaling in random networks, Science 1999"

    def on(self, graph):
        """Return a function that scores node pairs from this graph alone."""
        degree = graph.degree.astype(float)
        return lambda pairs: degree[pairs].prod(axis=1)
