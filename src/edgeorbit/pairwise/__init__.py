"""Kernels for many node pairs at once, without a loop in Python and without a matrix of all pairs.

- `pairs` checks and groups the pairs that a caller gives.
- `common_neighbours` lists the common neighbours of pairs, sums weights over them, and lists those that are not common.
- `walks` counts and weighs walks, and `meeting_walks` sorts them by the node where their halves meet.
- `overlaps` adds up powers of the adjacency matrix and compares two of its rows.
- `pagerank` computes personalised PageRank, for pairs and from single nodes; `pair_pagerank` for pairs of large graphs.
- `distances` finds shortest distances up to a bound.
- `enclosing_subgraphs` extracts the subgraph around each pair, and `drnl` labels it.
- `sketches` estimates sizes and overlaps of neighbourhoods.
- `reach` finds the nodes between sources and targets.
- `triangles` counts triangles and sums values over neighbours, and rounds values so that such sums are exact.
"""
