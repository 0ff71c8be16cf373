"""Sketches of the neighbourhoods of all nodes: a few bytes each, of which sizes and overlaps are estimated.

`minhash` and `hyperloglog` are the two sorts of sketches, `neighbourhoods` makes both for every node and hop of a graph
and compares those of node pairs, and `structure` tells from that how many nodes lie at which distances from a pair.
"""
