"""Orbits: colour refinement, the edge orbits it induces, and the exact orbits of the automorphism group.

Begin with `refine` and `recolour`; `_refinement` holds what they are made of.
"""
