"""Orbits of the automorphism group.

Begin with `orbits`. `_reduction` takes the coloured graph apart, `_twins` shrinks what is left, `_bliss` searches that,
`_assembly` puts the generators together, and `_generators` turns them into orbits; `pairs` has the orbits of node pairs.
"""

from edgeorbit.orbits.exact.orbits import ExactOrbits, exact_orbits

__all__ = ["ExactOrbits", "exact_orbits"]
