"""SEAL: every node pair is judged by the subgraph around it.

`estimate` measures subgraphs on a sample of pairs and refuses what would not fit, `stored_subgraphs` extracts them or
keeps them on disk, `union` prepares their disjoint union for messages, `plan` finds the nodes that layers cannot tell
apart, `sort_pooling` lines up the nodes of each, `network` is the DGCNN over them, and `settings` and `model` have the
settings and presets.
"""
