"""SEAL: every node pair is scored from the subgraph around it.

`subgraphs` measures the subgraphs on a sample of pairs, extracts them and keeps them in files, `messages` passes
messages over their disjoint union and pools it, `model` has the settings, the DGCNN and the presets.
"""
