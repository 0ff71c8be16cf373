"""Kernels for many node pairs at once, without a loop in Python and without a matrix of all pairs.

`common_neighbours` lists the common neighbours of pairs and sums weights over them, `exact_sums` rounds weights so that
such sums do not depend on how nodes are numbered, `aggregation` sums rows of a tensor over the lists with gradients,
`neighbour_differences` lists neighbours that are not common, `walks` and `short_walks` count walks, `pagerank` finds
personalised PageRank, `enclosing_subgraphs` extracts what is near each pair and `drnl` labels it, `sketches` estimates
sizes and overlaps of neighbourhoods, `walk_rows` adds up powers of the adjacency matrix and `overlaps` weighs what two
of its rows share, `reach` finds the nodes between sources and targets, `triangles` counts at every node, and `pairs`
checks and groups what the caller gives.
"""
