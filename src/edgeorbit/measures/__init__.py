"""Measures of a graph: the Edge Automorphism Ratio, what it means in words, and plain statistics."""
