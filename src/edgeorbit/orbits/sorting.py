"""Sorting a short stretch of nodes by the hash values that they carry."""

import numpy as np

from edgeorbit.compiled import kernel


@kernel
def sort_by_value(nodes, low, high, value):
    """Sort `nodes[low:high]` in place by `value[node]`.

    Quicksort on the widest part last, insertion sort below 16; the stack holds at most 64 intervals because the
    smaller part is always done first.
    """
    stack = np.empty((64, 2), np.int64)
    depth = 0
    while True:
        while high - low > 16:
            a, b, c = value[nodes[low]], value[nodes[(low + high) >> 1]], value[nodes[high - 1]]
            pivot = max(min(a, b), min(max(a, b), c))
            i, j = low, high - 1
            while i <= j:
                while value[nodes[i]] < pivot:
                    i += 1
                while value[nodes[j]] > pivot:
                    j -= 1
                if i <= j:
                    nodes[i], nodes[j] = nodes[j], nodes[i]
                    i += 1
                    j -= 1
            if j + 1 - low < high - i:
                stack[depth, 0], stack[depth, 1] = i, high
                high = j + 1
            else:
                stack[depth, 0], stack[depth, 1] = low, j + 1
                low = i
            depth += 1
        for i in range(low + 1, high):
            node = nodes[i]
            key = value[node]
            j = i
            while j > low and value[nodes[j - 1]] > key:
                nodes[j] = nodes[j - 1]
                j -= 1
            nodes[j] = node
        if depth == 0:
            return
        depth -= 1
        low, high = stack[depth, 0], stack[depth, 1]
