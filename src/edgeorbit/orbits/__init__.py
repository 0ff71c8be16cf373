"""Orbits: colour refinement, the edge orbits it induces, and the exact orbits of the automorphism group.

`refine` and `recolour` are where to begin; what they are made of lies in `refinement`.
"""
