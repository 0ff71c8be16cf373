"""What turns a graph into a more or a less symmetric one: swapped edges, added edges, cloned nodes.

Every move is a sequence that belongs to a graph and a seed, and a graph is made with its first so many members. So
the graphs of a sweep are nested: the one with more moves has all those of the one with fewer.
"""
