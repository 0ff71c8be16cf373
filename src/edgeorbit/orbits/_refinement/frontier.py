"""Refinement rounds that look only at what changed: the neighbours of nodes whose class split.

Of every class that splits, the largest part keeps still and the others tell their neighbours (Hopcroft's trick): two
nodes of one class had equally many neighbours in the whole class, so if they agree on all parts but one they agree on
that one too. Hence each round gives exactly the partition that a dense round gives, and a node takes part at most
log2(n) times. This is what makes paths and grids, which need very many rounds, almost linear.
"""

import numpy as np
import numpy.typing as npt

from edgeorbit._compiled import kernel
from edgeorbit.orbits._refinement.hashing import mix, sort_by_value
from edgeorbit.orbits._refinement.partition import Partition, Workspace

ROUNDS_PER_CALL = 1 << 15  # the interpreter is asked for interrupts in between


@kernel
def _set_up(order, is_start, place_of, size, border):
    start = 0
    for place in range(len(order)):
        place_of[order[place]] = place
        if is_start[place + 1]:
            _open_class(start, place + 1 - start, size, border)
            start = place + 1


@kernel
def _open_class(start, num_nodes, size, border):
    """Set a class of which no node is touched; a node alone in its class counts as touched for ever."""
    size[start] = num_nodes
    border[start] = start if num_nodes == 1 else start + num_nodes


@kernel
def _push(
    indptr, indices, order, place_of, colour, size, border, sums, touched_classes, moved, num_moved, salt, mask
):  # fmt: skip
    """Add the value of every moved node's colour to its neighbours; return the number of classes touched.

    Touched nodes of a class are swapped to the end of its stretch, from its border on, so that no list is needed.
    """
    num_touched_classes = 0
    for i in range(num_moved):
        node = np.uint32(moved[i])
        value = mix(colour[node], salt) & mask
        for j in range(indptr[node], indptr[node + np.uint32(1)]):
            neighbour = indices[j]
            start = np.uint32(colour[neighbour])
            place = np.uint32(place_of[neighbour])
            last = np.uint32(border[start])
            if place >= last:
                sums[neighbour] += value
                continue
            sums[neighbour] = value
            if last == start + np.uint32(size[start]):
                touched_classes[num_touched_classes] = start
                num_touched_classes += 1
            last -= np.uint32(1)
            border[start] = last
            other = np.uint32(order[last])
            order[last] = neighbour
            order[place] = other
            place_of[neighbour] = last
            place_of[other] = place
    return num_touched_classes


@kernel
def _sums_differ(order, low, high, sums):
    first = sums[order[low]]
    for place in range(low + 1, high):
        if sums[order[place]] != first:
            return True
    return False


@kernel
def _sort_touched(order, place_of, low, high, sums):
    """Sort the touched nodes of one class by their sum.

    Most of them have one and the same sum, so one pass puts smaller and larger ones to either side of them.
    """
    usual = sums[order[(low + high) >> 1]]
    smaller, larger, place = low, high, low
    while place < larger:
        node = order[place]
        if sums[node] == usual:
            place += 1
        elif sums[node] < usual:
            other = order[smaller]
            order[smaller], order[place] = node, other
            place_of[node], place_of[other] = smaller, place
            smaller += 1
            place += 1
        else:
            larger -= 1
            other = order[larger]
            order[larger], order[place] = node, other
            place_of[node], place_of[other] = larger, place
    _sort_places(order, place_of, low, smaller, sums)
    _sort_places(order, place_of, larger, high, sums)


@kernel
def _sort_places(order, place_of, low, high, sums):
    if high - low > 1:
        sort_by_value(order, low, high, sums)
        for place in range(low, high):
            place_of[order[place]] = place


@kernel
def _split_in_two(order, colour, size, border, is_start, start, low, high, moved, num_moved):
    """Cut a class between its nodes `order[start:low]`, not touched, and `order[low:high]`, touched with equal sums."""
    is_start[low] = 1
    _open_class(start, low - start, size, border)
    _open_class(low, high - low, size, border)
    for place in range(low, high):
        colour[order[place]] = low
    smaller_low, smaller_high = (low, high) if high - low <= low - start else (start, low)
    for place in range(smaller_low, smaller_high):
        moved[num_moved] = order[place]
        num_moved += 1
    return num_moved


@kernel
def _split(order, colour, size, border, is_start, start, low, high, sums, moved, num_moved):
    """Cut a class whose touched nodes `order[low:high]` are sorted; return how many nodes moved and parts are new.

    The nodes that were not touched come first, and a touched node with sum 0 is taken for one of them. The largest
    part, the first if there are several, is the one that does not move.
    """
    largest_low, largest_high = start, start
    part_low = start
    last = np.uint64(0) if low > start else sums[order[low]]
    new_parts = -1
    for place in range(low, high + 1):
        if place == high or sums[order[place]] != last:
            is_start[part_low] = 1
            _open_class(part_low, place - part_low, size, border)
            new_parts += 1
            if place - part_low > largest_high - largest_low:
                largest_low, largest_high = part_low, place
            if place < high:
                part_low = place
                last = sums[order[place]]
    if largest_low != start:
        for place in range(start, low):
            moved[num_moved] = order[place]
            num_moved += 1
    part_low = start
    for place in range(low, high):
        if is_start[place]:
            part_low = place
        node = order[place]
        colour[node] = part_low
        if part_low != largest_low:
            moved[num_moved] = node
            num_moved += 1
    return num_moved, new_parts


@kernel
def _parts_agree(indptr, indices, order, colour, sums, low, high, stamp, now, count):
    """Tell whether touched nodes with equal sums have the same multiset of moved neighbours' colours.

    `count` is all zero before, and again afterwards if the answer is yes.
    """
    first = order[low]
    total = 0
    for place in range(low, high):
        node = order[place]
        if sums[node] == 0:  # it would be taken for a node that was not touched
            return False
        if place == low or sums[node] != sums[first]:
            for j in range(indptr[first], indptr[first + 1]):
                count[colour[indices[j]]] = 0
            first = node
            total = 0
            for j in range(indptr[first], indptr[first + 1]):
                if stamp[indices[j]] == now:
                    count[colour[indices[j]]] += 1
                    total += 1
            continue
        missing = False
        remaining = total
        for j in range(indptr[node], indptr[node + 1]):
            if stamp[indices[j]] == now:
                count[colour[indices[j]]] -= 1
                missing |= count[colour[indices[j]]] < 0
                remaining -= 1
        if missing or remaining != 0:
            return False
        for j in range(indptr[node], indptr[node + 1]):
            if stamp[indices[j]] == now:
                count[colour[indices[j]]] += 1
    for j in range(indptr[first], indptr[first + 1]):
        count[colour[indices[j]]] = 0
    return True


@kernel
def _run(
    indptr, indices, order, place_of, colour, is_start, size, border, sums, touched_classes, moved, num_moved,
    num_classes, salt, mask, stamp, clock, count, classes_per_round,
):  # fmt: skip
    """Make rounds until nothing moves or `classes_per_round` is full.

    Returns the rounds made, the number of moved nodes, the number of classes, and whether all rounds could be proved;
    a round that could not be proved is not carried out. Rounds are proved if `stamp` has an entry per node.
    """
    proving = len(stamp) == len(order)
    rounds = 0
    while rounds < len(classes_per_round) and num_moved > 0:
        now = np.int32(clock + rounds)
        round_salt = salt + np.uint64(now) * np.uint64(0xA24B_AED4_963E_E407)
        num_touched_classes = _push(
            indptr, indices, order, place_of, colour, size, border, sums, touched_classes, moved, num_moved, round_salt,
            mask,
        )  # fmt: skip
        if proving:
            for i in range(num_moved):
                stamp[moved[i]] = now
            for i in range(num_touched_classes):
                start = np.int64(touched_classes[i])
                low, high = np.int64(border[start]), start + size[start]
                _sort_touched(order, place_of, low, high, sums)
                if not _parts_agree(indptr, indices, order, colour, sums, low, high, stamp, now, count):
                    return rounds, num_moved, num_classes, False
        num_moved = 0
        classes_before = num_classes
        for i in range(num_touched_classes):
            start = np.int64(touched_classes[i])
            low, high = np.int64(border[start]), start + size[start]
            if _sums_differ(order, low, high, sums) or sums[order[low]] == 0:
                _sort_touched(order, place_of, low, high, sums)
                num_moved, new_parts = _split(
                    order, colour, size, border, is_start, start, low, high, sums, moved, num_moved
                )
                num_classes += new_parts
            elif low > start:
                num_moved = _split_in_two(order, colour, size, border, is_start, start, low, high, moved, num_moved)
                num_classes += 1
            else:
                border[start] = high
        if num_classes > classes_before:
            classes_per_round[rounds] = num_classes
            rounds += 1
    return rounds, num_moved, num_classes, True


class Frontier:
    """Rounds that start from a partition and the nodes that its last round moved.

    Parameters
    ----------
    indptr, indices
        CSR arrays of the graph.
    partition
        The partition, refined in place.
    num_moved
        How many nodes the last round moved: the first of `space.moved`.
    space
        Work arrays.
    mask
        Which bits of a hash value are used.
    prove
        Whether each round is proved exact by counting before it is carried out.
    """

    def __init__(
        self,
        indptr: npt.NDArray[np.int64],
        indices: npt.NDArray[np.uint32],
        partition: Partition,
        num_moved: int,
        space: Workspace,
        mask: np.uint64,
        prove: bool,
    ) -> None:
        n = len(partition.order)
        self.indptr, self.indices, self.partition, self.space = indptr, indices, partition, space
        self.num_moved, self.mask = num_moved, mask
        self.place_of, self.size, self.border = (np.empty(n, np.int32) for _ in range(3))
        _set_up(partition.order, partition.is_start, self.place_of, self.size, self.border)
        self.touched_classes = np.empty(n, np.int32)
        self.stamp = np.zeros(n if prove else 0, np.int32)
        self.count = np.zeros(n if prove else 0, np.int32)
        self.clock = 1

    def run(self, max_rounds: int, salt: np.uint64) -> tuple[npt.NDArray[np.int64], bool]:
        """Make at most `max_rounds` rounds; return the number of classes after each, and whether all were proved.

        After a round that could not be proved, this object must not be used again; the partition is that of the round
        before.
        """
        p = self.partition
        classes_per_round = np.empty(min(max_rounds, ROUNDS_PER_CALL), np.int64)
        rounds, self.num_moved, p.num_classes, proved = _run(
            *(self.indptr, self.indices, p.order, self.place_of, p.colour, p.is_start, self.size, self.border),
            *(self.space.sums, self.touched_classes, self.space.moved, self.num_moved, p.num_classes, salt),
            *(self.mask, self.stamp, self.clock, self.count, classes_per_round),
        )
        self.clock += rounds
        return classes_per_round[:rounds], proved
