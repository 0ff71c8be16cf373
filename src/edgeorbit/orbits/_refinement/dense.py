"""One refinement round over all nodes that are not yet alone in their class.

Every such node sums the hash values of its neighbours' colours; the nodes are then sorted by class and sum, and each
class is cut where the sum changes. Two ways to form the sums:

- *of all nodes*, for early rounds with few colours. Colours fit 8 or 16 bits, so the array that is read at random stays
  in the cache, and running sums over a block of neighbours replace a loop per node, whose unpredictable end is what a
  plain gather spends its time on.
- *of listed nodes*, once many are alone: those are skipped for ever. The list is put in ascending order, so that rows
  are read forwards.
"""

from itertools import pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from edgeorbit._compiled import kernel
from edgeorbit._parallel import run_all, split_range
from edgeorbit.orbits._refinement.hashing import mix, sort_by_value
from edgeorbit.orbits._refinement.partition import Partition, Workspace

BLOCK = 2048  # running sums of one block, 16 KiB, stay in the first-level cache
MAX_SMALL_COLOURS = 1 << 16


class Cost(NamedTuple):
    """What the next round will have to look at.

    Attributes
    ----------
    active : int
        Nodes that share their class: what a dense round reads.
    moved : int or None
        Nodes outside the largest part of a class that just split: what a frontier round reads. None if the last round
        did not tell, so that the next has to be dense.
    """

    active: int
    moved: int | None


@kernel
def _small_ranks(order, is_start, low, high, rank, ranks):
    """Give every node of `order[low:high]` the number of its class in 16 bits; the first class has number `rank`."""
    rank -= 1
    for place in range(low, high):
        rank += is_start[place]
        ranks[order[place]] = rank


@kernel
def _hash_table(size, salt, mask):
    table = np.empty(size, np.uint64)
    for colour in range(size):
        table[colour] = mix(colour, salt) & mask
    return table


@kernel
def _sum_of_all(indptr, indices, ranks, table, low, high, sums, rank_shift, index_bits, part_of_rank, cursor, keys):
    """Sum the neighbours' values of nodes `low` to `high`, and write each node's sort key to its part."""
    running = np.empty(BLOCK + 1, np.uint64)
    total = np.uint64(0)
    row_sum_start = np.uint64(0)
    node = low
    end = indptr[high]
    hash_shift = np.uint64(64 - rank_shift + index_bits)
    begin = indptr[low]
    while True:
        block = indices[begin : min(begin + BLOCK, end)]
        for j in range(len(block)):
            running[j] = total
            total += table[ranks[block[j]]]
        running[len(block)] = total
        while node < high and indptr[node + 1] <= begin + len(block):
            row_sum_end = running[indptr[node + 1] - begin]
            row_sum = row_sum_end - row_sum_start
            row_sum_start = row_sum_end
            sums[node] = row_sum
            rank = ranks[node]
            part = part_of_rank[rank]
            # The rank in the high bits, then as much of the hash as fits, then the node.
            keys[cursor[part]] = (
                (np.uint64(rank) << np.uint64(rank_shift))
                | ((row_sum >> hash_shift) << np.uint64(index_bits))
                | np.uint64(node)
            )
            cursor[part] += 1
            node += 1
        begin += BLOCK
        if begin >= end:
            return


@kernel
def _count_parts(ranks, low, high, part_of_rank, counts):
    for node in range(low, high):
        counts[part_of_rank[ranks[node]]] += 1


@kernel
def _list_active(order, is_start, low, high, nodes, ranks):
    """List the nodes of `order[low:high]` that share their class from `nodes[low]` on, and number their classes."""
    rank = -1
    end = low
    for place in range(low, high):
        if is_start[place]:
            if is_start[place + 1]:
                continue
            rank += 1
        nodes[end] = order[place]
        ranks[order[place]] = rank
        end += 1
    return end


@kernel
def _sum_of_listed(indptr, indices, nodes, low, high, colour, salt, mask, sums, ranks, rank_shift, index_bits, keys):
    """Sum the neighbours' values of `nodes[low:high]`, and write each node's sort key."""
    hash_shift = np.uint64(64 - rank_shift + index_bits)
    for i in range(low, high):
        node = np.uint32(nodes[i])
        total = np.uint64(0)
        for j in range(indptr[node], indptr[node + np.uint32(1)]):
            total += mix(colour[indices[j]], salt) & mask
        sums[node] = total
        keys[i] = (
            (np.uint64(ranks[node]) << np.uint64(rank_shift))
            | ((total >> hash_shift) << np.uint64(index_bits))
            | np.uint64(node)
        )


@kernel
def _cut(keys, low, high, rank_shift, index_bits, sums, order, colour, is_start, moved):
    """Cut the classes of the sorted keys `keys[low:high]` where the sum changes.

    The nodes of split classes, less those of the largest part (the first such), are written to `moved[low:]`. Returns
    how many parts are new, then the numbers of `Cost`.
    """
    index_mask = (np.uint64(1) << np.uint64(index_bits)) - np.uint64(1)
    new_parts, num_active, num_moved = 0, 0, 0
    i = low
    while i < high:
        rank = keys[i] >> np.uint64(rank_shift)
        class_low = i
        start = np.int64(colour[keys[i] & index_mask])
        shift = start - class_low  # from a place among the keys to the place in the order
        largest_low, largest_high = i, i
        while i < high and keys[i] >> np.uint64(rank_shift) == rank:
            # A run of equal keys: one part, unless sums that differ in their low bits hide in it.
            run_low = i
            prefix = keys[i] >> np.uint64(index_bits)
            order[run_low + shift] = keys[i] & index_mask
            i += 1
            while i < high and keys[i] >> np.uint64(index_bits) == prefix:
                order[i + shift] = keys[i] & index_mask
                i += 1
            if i - run_low > 1:
                mixed = False
                for k in range(run_low + 1, i):
                    mixed |= sums[order[k + shift]] != sums[order[run_low + shift]]
                if mixed:
                    sort_by_value(order, run_low + shift, i + shift, sums)
            part_low = run_low
            for k in range(run_low + 1, i + 1):
                if k == i or sums[order[k + shift]] != sums[order[part_low + shift]]:
                    is_start[part_low + shift] = 1
                    new_parts += part_low != class_low
                    for p in range(part_low + shift, k + shift):
                        colour[order[p]] = part_low + shift
                    if k - part_low > largest_high - largest_low:
                        largest_low, largest_high = part_low, k
                    if k - part_low > 1:
                        num_active += k - part_low
                    part_low = k
        if largest_high - largest_low < i - class_low:
            for k in range(class_low, i):
                if k < largest_low or k >= largest_high:
                    moved[low + num_moved] = order[k + shift]
                    num_moved += 1
    return new_parts, num_active, num_moved


def class_aligned(partition: Partition, parts: int) -> list[tuple[int, int]]:
    """Cut the order of the nodes into at most `parts` ranges of about equal length that begin and end with a class."""
    n = len(partition.order)
    cuts = [0]
    for _, high in split_range(n, parts):
        cut = high
        while not partition.is_start[cut]:
            # Class starts are few and far between in symmetric graphs: look ahead a stretch at a time.
            ahead = np.flatnonzero(partition.is_start[cut : cut + (1 << 16)])
            cut = cut + int(ahead[0]) if len(ahead) else min(n, cut + (1 << 16))
        cuts.append(cut)
    return [(low, high) for low, high in pairwise(cuts) if low < high]


class DenseRounds:
    """Dense rounds on one graph; `space.moved` holds the nodes that the last one moved."""

    def __init__(
        self,
        indptr: npt.NDArray[np.int64],
        indices: npt.NDArray[np.uint32],
        space: Workspace,
        threads: int,
        mask: np.uint64,
    ) -> None:
        self.indptr, self.indices, self.space, self.threads, self.mask = indptr, indices, space, threads, mask
        self.index_bits = max(1, (space.num_nodes - 1).bit_length())

    def split(self, partition: Partition, seen: npt.NDArray[np.int32], salt: np.uint64, cost: Cost) -> Cost:
        """Refine the partition in place by the multiset of the neighbours' colours in `seen`.

        `seen` is `partition.colour`, or a copy of it from before the round when a round is repeated with another
        salt.
        """
        few = partition.num_classes <= MAX_SMALL_COLOURS
        if few and seen is partition.colour and 2 * cost.active > self.space.num_nodes:
            parts, rank_shift = self._keys_of_all(partition, salt)
        else:
            parts, rank_shift = self._keys_of_listed(partition, seen, salt, cost.active)
        calls = [(low, high, rank_shift, partition) for low, high in parts]
        found = np.array(run_all(self._sort_and_cut, calls), np.int64).reshape(-1, 3)
        # The threads wrote what they moved with gaps between.
        end = 0
        for (low, _), moved in zip(parts, found[:, 2].tolist(), strict=True):
            self.space.moved[end : end + moved] = self.space.moved[low : low + moved]
            end += moved
        new_parts, *rest = found.sum(axis=0).tolist()
        partition.num_classes += new_parts
        return Cost(*rest)

    def _keys_of_all(self, partition: Partition, salt: np.uint64) -> tuple[list[tuple[int, int]], int]:
        num_classes, ranks = partition.num_classes, self.space.ranks(partition.num_classes)
        ranges = class_aligned(partition, self.threads)
        first_rank = [int(np.count_nonzero(partition.is_start[:low])) for low, _ in ranges]
        classes = partition.order, partition.is_start
        run_all(_small_ranks, [(*classes, *ends, rank, ranks) for ends, rank in zip(ranges, first_rank, strict=True)])
        part_of_rank = np.searchsorted(np.array(first_rank), np.arange(num_classes), side="right").astype(np.uint8) - 1
        chunks = split_range(self.space.num_nodes, len(ranges))
        counts = np.zeros((len(chunks), len(ranges)), np.int64)
        run_all(_count_parts, [(ranks, *ends, part_of_rank, counts[i]) for i, ends in enumerate(chunks)])
        cursors = np.array([low for low, _ in ranges]) + np.cumsum(counts, axis=0) - counts
        rank_shift = 64 - max(1, (num_classes - 1).bit_length())
        table = _hash_table(num_classes, salt, self.mask)
        calls = [
            (
                *(self.indptr, self.indices, ranks, table, *ends, self.space.sums),
                *(rank_shift, self.index_bits, part_of_rank, cursors[i].copy(), self.space.keys),
            )
            for i, ends in enumerate(chunks)
        ]
        run_all(_sum_of_all, calls)
        return ranges, rank_shift

    def _keys_of_listed(
        self, partition: Partition, seen: npt.NDArray[np.int32], salt: np.uint64, num_active: int
    ) -> tuple[list[tuple[int, int]], int]:
        rank_shift = 64 - max(1, (num_active // 2).bit_length())  # ranks count classes of two nodes and more
        nodes, ranks = self.space.nodes, self.space.moved  # what the last round moved is no longer needed

        def fill(low: int, high: int) -> tuple[int, int]:
            end = _list_active(partition.order, partition.is_start, low, high, nodes, ranks)
            nodes[low:end].sort()
            _sum_of_listed(
                *(self.indptr, self.indices, nodes, low, end, seen, salt, self.mask, self.space.sums, ranks),
                *(rank_shift, self.index_bits, self.space.keys),
            )
            return low, end

        return run_all(fill, class_aligned(partition, self.threads)), rank_shift

    def _sort_and_cut(self, low: int, high: int, rank_shift: int, partition: Partition) -> tuple[int, ...]:
        self.space.keys[low:high].sort()
        return _cut(  # type: ignore[no-any-return]
            *(self.space.keys, low, high, rank_shift, self.index_bits, self.space.sums),
            *(partition.order, partition.colour, partition.is_start, self.space.moved),
        )
