"""Encodings of nodes that are joined with their features: where they lie in a graph, or who they are."""

from edgeorbit.models.neural.encodings.encoding import (
    FlippedEncoding,
    NodeEncoding,
    RandomEncoding,
    StoredEncoding,
    draw_seed,
)

__all__ = ["FlippedEncoding", "NodeEncoding", "RandomEncoding", "StoredEncoding", "draw_seed"]
