"""Sorting a stretch of nodes by the hash values that they carry."""

from edgeorbit.compiled import kernel


@kernel
def sort_by_value(nodes, low, high, value):
    """Sort `nodes[low:high]` in place by `value[node]`.

    Shellsort: stretches are short, where it is insertion sort; on a long one it is not much slower than quicksort, and
    it compiles in a fraction of the time.
    """
    gap = 1
    while 3 * gap < high - low:
        gap = 3 * gap + 1
    while gap > 0:
        for i in range(low + gap, high):
            node = nodes[i]
            key = value[node]
            j = i
            while j >= low + gap and value[nodes[j - gap]] > key:
                nodes[j] = nodes[j - gap]
                j -= gap
            nodes[j] = node
        gap //= 3
