"""The textbook algorithm: a worklist of classes, each splitting its neighbours' classes by exact counts.

Partition refinement after Hopcroft, with the counts of Berkholz, Bonsma and Grohe: O((n + m) log n). Nothing is
hashed, so its number of colours is the reference for all others.
"""

from typing import Any

import numpy as np

from benchmarks.methods import Outcome, Task
from edgeorbit._compiled import kernel


@kernel
def refine_exactly(indptr, indices):
    """Return the class of every node in the coarsest equitable partition, and the number of classes."""
    n = len(indptr) - 1
    order = np.arange(n).astype(np.int32)  # the nodes, class after class
    place = np.arange(n).astype(np.int32)  # where a node is in `order`
    class_of = np.zeros(n, np.int32)
    start, size = np.zeros(n, np.int32), np.zeros(n, np.int32)
    marked = np.zeros(n, np.int32)  # how many nodes of a class have been counted; they are at its end
    count = np.zeros(n, np.int32)  # neighbours in the splitter
    touched = np.empty(n, np.int32)  # classes with counted nodes
    queue, queued = np.empty(n, np.int32), np.zeros(n, np.bool_)
    splitter_nodes, segment = np.empty(n, np.int32), np.empty(n, np.int32)
    buckets = np.zeros(n + 2, np.int32)
    if n == 0:
        return class_of, 0
    size[0], num_classes = n, 1
    queue[0], queued[0], head, waiting = 0, True, 0, 1

    while waiting > 0:
        splitter = queue[head]
        head, waiting, queued[splitter] = (head + 1) % n, waiting - 1, False
        num_splitter = size[splitter]
        for i in range(num_splitter):  # the splitter may split itself
            splitter_nodes[i] = order[start[splitter] + i]
        num_touched = 0
        for i in range(num_splitter):
            node = splitter_nodes[i]
            for j in range(indptr[node], indptr[node + 1]):
                other = indices[j]
                cls = class_of[other]
                if size[cls] == 1:
                    continue
                if count[other] == 0:
                    if marked[cls] == 0:
                        touched[num_touched] = cls
                        num_touched += 1
                    marked[cls] += 1
                    here, there = place[other], start[cls] + size[cls] - marked[cls]
                    swapped = order[there]
                    order[here], order[there] = swapped, other
                    place[swapped], place[other] = here, there
                count[other] += 1

        for t in range(num_touched):
            cls = touched[t]
            num_marked = marked[cls]
            marked[cls] = 0
            end = start[cls] + size[cls]
            first = end - num_marked
            smallest = largest = count[order[first]]
            for i in range(first, end):
                value = count[order[i]]
                smallest, largest = min(smallest, value), max(largest, value)
            if smallest == largest and num_marked == size[cls]:
                for i in range(first, end):
                    count[order[i]] = 0
                continue
            if smallest < largest:  # counting sort: the counts of a class add up to no more than the edges just read
                for i in range(num_marked):
                    segment[i] = order[first + i]
                    buckets[count[segment[i]] - smallest + 1] += 1
                for value in range(largest - smallest + 1):
                    buckets[value + 1] += buckets[value]
                for i in range(num_marked):
                    node = segment[i]
                    bucket = count[node] - smallest
                    there = first + buckets[bucket]
                    buckets[bucket] += 1
                    order[there], place[node] = node, there
                for value in range(largest - smallest + 2):
                    buckets[value] = 0

            # The old class keeps the nodes that were not counted, or else the smallest count.
            kept_end = first
            if kept_end == start[cls]:
                while count[order[kept_end]] == smallest:
                    kept_end += 1
            fresh_from = num_classes
            low = kept_end
            while low < end:
                value, high = count[order[low]], low
                while high < end and count[order[high]] == value:
                    class_of[order[high]] = num_classes
                    high += 1
                start[num_classes], size[num_classes] = low, high - low
                num_classes += 1
                low = high
            size[cls] = kept_end - start[cls]
            for i in range(first, end):
                count[order[i]] = 0

            # All fragments but the largest; unless the class was waiting already, then all of the new ones.
            left_out = cls
            if not queued[cls]:
                for fragment in range(fresh_from, num_classes):
                    if size[fragment] > size[left_out]:
                        left_out = fragment
                if left_out != cls:
                    queue[(head + waiting) % n], queued[cls] = cls, True
                    waiting += 1
            for fragment in range(fresh_from, num_classes):
                if fragment != left_out:
                    queue[(head + waiting) % n], queued[fragment] = fragment, True
                    waiting += 1
    return class_of, num_classes


def prepare(task: Task) -> Any:
    """Take the graph as it is."""
    return task.graph.indptr, task.graph.indices


def run(state: Any) -> Outcome:
    """Refine until the worklist is empty."""
    return Outcome(int(refine_exactly(*state)[1]))
