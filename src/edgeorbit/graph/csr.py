"""From an edge array to the CSR arrays of a simple undirected graph.

Rows are dealt into buckets that fit the cache, by the high bits of the row number; each bucket is then radix-sorted
by column and by row and its duplicates are dropped. Every pass reads and writes memory in long runs, which is why
this is several times faster than building a COO matrix and converting it. At its peak it holds 16 bytes per edge, of
which the result keeps 8. Small inputs are sorted by numpy, which needs nothing compiled.
"""

from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from edgeorbit._compiled import kernel
from edgeorbit._parallel import resolve_threads, run_all, split_range


class CSR(NamedTuple):
    """CSR arrays of a simple undirected graph, and how many pairs repeated an edge or joined a node to itself.

    `reciprocal` edges were given in both directions.
    """

    indptr: npt.NDArray[np.int64]
    indices: npt.NDArray[np.int32]
    merged: int
    loops: int
    reciprocal: int


# The 8-byte entries of a bucket, twice, stay within a second-level cache of half a megabyte.
ENTRIES_PER_BUCKET = 28_000
MAX_ROW_BITS = 16  # rows of a bucket are a digit of the sort
SMALL_INPUT = 20_000  # pairs; so few take numpy less time than loading the kernels takes
EDGES_PER_THREAD = 50_000  # below this a second thread costs more than it saves


@kernel
def _scan(flat, step, offset, low, high):
    """Return the smallest and largest id, and whether the pairs are strictly increasing."""
    smallest, largest = flat[low * step], flat[low * step]
    increasing = True
    last_u, last_v = flat[0] - 1, flat[0] - 1
    if low > 0:
        last_u, last_v = flat[(low - 1) * step], flat[(low - 1) * step + offset]
    for i in range(low, high):
        u, v = flat[i * step], flat[i * step + offset]
        smallest = min(smallest, u, v)
        largest = max(largest, u, v)
        increasing &= (u > last_u) | ((u == last_u) & (v > last_v))
        last_u, last_v = u, v
    return smallest, largest, increasing


@kernel
def _count(flat, step, offset, low, high, shift, counts):
    """Count the entries of every bucket, both directions of every edge, and return the number of self-loops."""
    loops = 0
    for i in range(low, high):
        u, v = flat[i * step], flat[i * step + offset]
        if u == v:
            loops += 1
        else:
            counts[np.uint64(u) >> shift] += 1
            counts[np.uint64(v) >> shift] += 1
    return loops


@kernel
def _scatter(flat, step, offset, low, high, shift, cursor, entries):
    """Write both directions of every edge to their buckets; `cursor` holds this thread's next free place in each.

    An entry is the row's number inside its bucket, then a bit that is set if the edge was given the other way round,
    then the column in 31 bits.
    """
    mask = np.uint64((1 << shift) - 1)
    turned = np.uint64(1 << 31)
    for i in range(low, high):
        u, v = np.uint64(flat[i * step]), np.uint64(flat[i * step + offset])
        if u == v:
            continue
        place = np.uint64(cursor[u >> shift])
        cursor[u >> shift] += 1
        entries[place] = (u & mask) << np.uint64(32) | v
        place = np.uint64(cursor[v >> shift])
        cursor[v >> shift] += 1
        entries[place] = (v & mask) << np.uint64(32) | turned | u


@kernel
def _sort_buckets(first, last, bounds, shift, column_bits, entries, columns, degree, kept):
    """Sort buckets `first` to `last` by row and column, drop duplicates, and count what is kept.

    Return how many entries were given in both directions.

    Radix sort from the lowest digit up: the digits of the column, then the row as a digit of its own. `columns` is the
    same memory as `entries` in halves; the columns of a bucket are written over its entries, from its beginning.
    """
    largest = 0
    for bucket in range(first, last):
        largest = max(largest, bounds[bucket + 1] - bounds[bucket])
    rows_per_bucket = 1 << shift
    passes = (column_bits + 10) // 11
    digit_bits = (column_bits + passes - 1) // passes
    digits = 1 << digit_bits
    sorted_entries, spare = np.empty(largest, np.uint64), np.empty(largest, np.uint64)
    next_place = np.empty(max(digits, rows_per_bucket), np.int64)
    without_direction = np.uint64(0xFFFFFFFF7FFFFFFF)
    both = 0
    for bucket in range(first, last):
        begin, size = bounds[bucket], bounds[bucket + 1] - bounds[bucket]
        for i in range(size):
            sorted_entries[i] = entries[begin + i]
        for k in range(passes + 1):
            digit_shift = np.uint64(32 if k == passes else k * digit_bits)
            num_digits = rows_per_bucket if k == passes else digits
            mask = np.uint64(num_digits - 1)
            for digit in range(num_digits):
                next_place[digit] = 0
            for i in range(size):
                next_place[((sorted_entries[i] & without_direction) >> digit_shift) & mask] += 1
            total = 0
            for digit in range(num_digits):
                count = next_place[digit]
                next_place[digit] = total
                total += count
            for i in range(size):
                digit = ((sorted_entries[i] & without_direction) >> digit_shift) & mask
                spare[np.uint64(next_place[digit])] = sorted_entries[i]
                next_place[digit] += 1
            sorted_entries, spare = spare, sorted_entries
        base = bucket << shift
        place = 2 * begin
        last_entry, directions = np.uint64(0), np.uint64(0)
        for i in range(size):
            entry = sorted_entries[i] & without_direction
            direction = np.uint64(1) << ((sorted_entries[i] >> np.uint64(31)) & np.uint64(1))
            if i == 0 or entry != last_entry:
                both += directions == 3
                columns[place] = entry
                place += 1
                degree[base + np.int64(entry >> np.uint64(32))] += 1
                last_entry, directions = entry, direction
            else:
                directions |= direction
        both += directions == 3
        kept[bucket] = place - 2 * begin
    return both


@kernel
def _close_gaps(bounds, kept, columns):
    """Move the columns of all buckets together and return how many there are."""
    end = 0
    for bucket in range(len(kept)):
        start = 2 * bounds[bucket]
        for i in range(kept[bucket]):
            columns[end + i] = columns[start + i]
        end += kept[bucket]
    return end


@kernel
def _row_bounds(flat, step, count, num_nodes):
    """Return where every row starts in pairs that are sorted by row."""
    indptr = np.zeros(num_nodes + 1, np.int64)
    for i in range(count):
        indptr[flat[i * step] + 1] += 1
    for row in range(num_nodes):
        indptr[row + 1] += indptr[row]
    return indptr


@kernel
def _is_symmetric(flat, step, offset, indptr):
    """Tell whether strictly increasing pairs hold the reverse of each and no self-loop."""
    cursor = indptr[:-1].copy()
    for i in range(indptr[-1]):
        u, v = flat[i * step], flat[i * step + offset]
        # Rows come in ascending order, so u has to be the next unseen column of row v.
        if u == v or cursor[v] >= indptr[v + 1] or flat[cursor[v] * step + offset] != u:
            return False
        cursor[v] += 1
    return True


class Pairs(NamedTuple):
    """Pairs of ids in one flat array: pair `i` is `flat[i * step]`, `flat[i * step + offset]`."""

    flat: npt.NDArray[np.int32] | npt.NDArray[np.int64]
    step: int
    offset: int
    size: int

    @classmethod
    def from_array(cls, edges: npt.NDArray[Any]) -> "Pairs":
        """View an array of shape `(m, 2)` or `(2, m)` as pairs, copying only what is not contiguous."""
        edges = edges if edges.dtype in (np.int32, np.int64) else edges.astype(np.int64)
        if edges.shape[0] == 2 and edges.shape[1] != 2:
            return cls(np.ascontiguousarray(edges).reshape(-1), 1, edges.shape[1], edges.shape[1])
        if edges.flags.f_contiguous:
            return cls(edges.T.reshape(-1), 1, len(edges), len(edges))
        return cls(np.ascontiguousarray(edges).reshape(-1), 2, 1, len(edges))


class Scan(NamedTuple):
    """What one look at all pairs shows: the range of ids, and whether each pair is larger than the one before."""

    smallest: int
    largest: int
    increasing: bool


def scan_pairs(pairs: Pairs, threads: int | None = None) -> Scan:
    """Find the range of ids and whether the pairs are strictly increasing; there must be at least one pair.

    The order of small inputs is not checked, because nothing depends on it.
    """
    if pairs.size <= SMALL_INPUT:
        return Scan(int(pairs.flat.min()), int(pairs.flat.max()), False)
    found = run_all(_scan, [(*pairs[:3], low, high) for low, high in _chunks(pairs.size, threads)])
    return Scan(min(f[0] for f in found), max(f[1] for f in found), all(f[2] for f in found))


def build_csr(pairs: Pairs, num_nodes: int, increasing: bool, threads: int | None = None) -> CSR:
    """Build the sorted, symmetric CSR arrays of the simple graph that the pairs describe.

    Parameters
    ----------
    pairs
        Pairs of ids in `range(num_nodes)`, in any order and either direction.
    num_nodes
        Number of nodes.
    increasing
        Whether the pairs are strictly increasing. If they are symmetric too, they are the CSR already.
    threads
        Number of threads, or None for one per core.
    """
    flat, step, offset, count = pairs
    if count <= SMALL_INPUT:
        return _build_small(flat[::step][:count], flat[offset::step][:count], num_nodes)
    if increasing:
        indptr = _row_bounds(flat, step, count, num_nodes)
        if _is_symmetric(flat, step, offset, indptr):
            return CSR(indptr, flat[offset::step][:count].astype(np.int32), count // 2, 0, count // 2)
    chunks = _chunks(count, threads)
    shift = _bucket_shift(num_nodes, 2 * count)
    num_buckets = ((num_nodes - 1) >> shift) + 1
    counts = np.zeros((len(chunks), num_buckets), np.int64)
    wide_shift = np.uint64(shift)
    loops = sum(run_all(_count, [(*pairs[:3], *ends, wide_shift, counts[i]) for i, ends in enumerate(chunks)]))

    # Inside a bucket the entries of the first thread come first, then those of the second, and so on.
    ends = np.cumsum(counts.T.ravel()).reshape(num_buckets, len(chunks)).T
    cursors = ends - counts
    bounds = np.append(cursors[0], ends[-1, -1])
    entries = np.empty(bounds[-1], np.uint64)
    places = np.ascontiguousarray(cursors)
    run_all(_scatter, [(*pairs[:3], *ends, wide_shift, places[i], entries) for i, ends in enumerate(chunks)])

    degree = np.zeros(num_buckets << shift, np.int32)
    kept = np.empty(num_buckets, np.int64)
    column_bits = max(1, int(num_nodes - 1).bit_length())
    # Several parts a thread, so that a bucket of hubs does not leave the others waiting.
    cuts = np.searchsorted(bounds, [high * int(bounds[-1]) // count for _, high in chunks])
    cuts = np.maximum.accumulate(np.append(0, np.minimum(cuts, num_buckets)))
    cuts[-1] = num_buckets
    parts = [(int(a), int(b)) for a, b in pairwise(cuts) if a < b]
    arrays = entries, entries.view(np.uint32), degree, kept
    both = sum(run_all(_sort_buckets, [(a, b, bounds, shift, column_bits, *arrays) for a, b in parts]))
    size = _close_gaps(bounds, kept, arrays[1])
    del arrays
    entries.resize((size + 1) // 2, refcheck=False)
    columns = entries.view(np.uint32)[:size]
    indptr = np.zeros(num_nodes + 1, np.int64)
    np.cumsum(degree[:num_nodes], out=indptr[1:])
    return CSR(indptr, columns.view(np.int32), count - loops - size // 2, loops, both // 2)


def _build_small(source: npt.NDArray[Any], target: npt.NDArray[Any], num_nodes: int) -> CSR:
    """Build the same arrays by sorting the edges as single numbers."""
    u, v = source.astype(np.int64), target.astype(np.int64)
    proper = u != v
    edges = np.unique(np.minimum(u, v)[proper] * num_nodes + np.maximum(u, v)[proper])
    directed = len(np.unique(u[proper] * num_nodes + v[proper])) if len(edges) + (u == v).sum() < len(u) else len(edges)
    low, high = np.divmod(edges, max(1, num_nodes))
    entries = np.sort(np.concatenate([edges, high * num_nodes + low]))
    row, column = np.divmod(entries, max(1, num_nodes))
    indptr = np.zeros(num_nodes + 1, np.int64)
    np.cumsum(np.bincount(row, minlength=num_nodes), out=indptr[1:])
    loops = len(u) - int(np.count_nonzero(proper))
    return CSR(indptr, column.astype(np.int32), len(u) - loops - len(edges), loops, directed - len(edges))


def _chunks(count: int, threads: int | None) -> list[tuple[int, int]]:
    return split_range(count, max(1, min(resolve_threads(threads), count // EDGES_PER_THREAD)))


def _bucket_shift(num_nodes: int, num_entries: int) -> int:
    """Return how many low bits of a row number stay inside a bucket."""
    buckets = max(1, num_entries // ENTRIES_PER_BUCKET)
    return min(MAX_ROW_BITS, max(0, (num_nodes // buckets).bit_length()))
