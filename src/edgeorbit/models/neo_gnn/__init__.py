"""Neo-GNN: learned overlaps of neighbourhoods beside a GCN.

`structure` scores pairs by the overlap of their neighbourhoods, `model` mixes that with the score of a GCN.
"""
