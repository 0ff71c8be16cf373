"""Orbits of the automorphism group.

`orbits` is where to begin. `reduction` takes the coloured graph apart, `twins` shrinks what is left, `bliss` searches
that, `assembly` puts the generators together, and `generators` turns them into orbits; `pairs` has those
of node pairs.
"""

from edgeorbit.orbits.exact.orbits import ExactOrbits, exact_orbits

__all__ = ["ExactOrbits", "exact_orbits"]
