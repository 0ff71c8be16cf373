"""NBFNet: messages from a source to a target along all paths.

`statistics` aggregates messages and `scales` adds up what is mapped of them, both with gradients, `layer` is one
Bellman-Ford iteration, `model` runs the iterations over the states that `edgeorbit.pairwise.reach` finds to matter.
"""
