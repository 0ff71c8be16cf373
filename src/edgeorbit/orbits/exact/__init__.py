"""Orbits of the automorphism group.

Begin with `orbits`. `_reduction` takes the coloured graph apart, `_twins` shrinks what is left, `_bliss` searches that,
`_assembly` puts the generators together, and `_generators` turns them into orbits; `pairs` has those of node
pairs.

This package imports little, because `_bliss` is also the program of the process that searches.
"""

from edgeorbit.orbits.exact.orbits import ExactOrbits, exact_orbits

__all__ = ["ExactOrbits", "exact_orbits"]
