"""NBFNet: messages from a source to a target along all paths.

`messages` is one Bellman-Ford iteration with its kernels, `model` runs the iterations over the states that
`edgeorbit.pairwise.reach` finds to matter.
"""
