"""NBFNet: messages from a source to a target along all paths.

`statistics` aggregates messages with gradients, `layer` is one Bellman-Ford iteration, `model` runs the iterations over
the states that `edgeorbit.pairwise.reach` finds to matter.
"""
