"""From the user's node ids to node numbers 0, 1, ... in ascending order of the ids.

Whole numbers are renumbered with a presence array if they are dense enough, else with a hash table or by sorting;
text always with a hash table. Blocks of pairs are dropped as soon as they are renumbered, so that the ids are in
memory once.
"""

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from edgeorbit._memory import require_memory
from edgeorbit.graph.graph import Graph

if TYPE_CHECKING:
    import pyarrow as pa

MAX_ID = 2**63 - 1
IdArray = npt.NDArray[np.int32] | npt.NDArray[np.int64]

# A presence array and its running count take 5 bytes for every number up to the largest id. At two numbers per id
# that is at most what the ids themselves take at their widest; sparser ids are hashed or sorted.
NUMBERS_PER_ID = 2
SMALL_RANGE = 1 << 20
BYTES_PER_PAIR = 28  # what numbering the nodes and building the graph take beside the pairs themselves
BYTES_PER_LABEL = 120  # a hash table, the order, and the label as a Python object
COPIES_OF_LABELS = 4  # all of them, in order, as Python objects, and as an array
IDS_PER_NODE_TO_HASH = 4  # a hash table of many nodes misses the cache at every id, and sorting wins


class Numbered(NamedTuple):
    """Pairs of node numbers of shape (2, m), the number of nodes, and their names unless those are the numbers."""

    pairs: npt.NDArray[np.int32]
    num_nodes: int
    names: npt.NDArray[Any] | None

    def to_graph(self, name: str, threads: int | None, **attributes: Any) -> Graph:
        """Build the graph."""
        return Graph.from_edges(
            self.pairs.T, self.num_nodes, threads=threads, name=name, node_names=self.names, **attributes
        )


def compact(ids: npt.NDArray[Any]) -> IdArray:
    """Return non-negative whole numbers in 32 bits if they fit, else in 64.

    >>> compact(np.array([[1], [2]], np.uint64)).dtype
    dtype('int32')
    """
    if ids.size == 0 or ids.max() <= np.iinfo(np.int32).max:
        return ids.astype(np.int32, copy=False)
    return ids.astype(np.int64, copy=False)


def number_integers(blocks: list[IdArray]) -> Numbered:
    """Number the nodes of pairs of non-negative whole numbers; the list of (2, k) arrays is emptied on the way.

    >>> numbered = number_integers([np.array([[7, 5], [5, 9]])])
    >>> numbered.pairs.tolist(), numbered.names.tolist()
    ([[1, 0], [0, 2]], [5, 7, 9])
    """
    total = sum(block.shape[1] for block in blocks)
    largest = max((int(block.max()) for block in blocks if block.size), default=-1)
    if largest > max(SMALL_RANGE, NUMBERS_PER_ID * 2 * total):
        return _number_sparse(blocks, total)
    present = np.zeros(largest + 1, bool)
    for block in blocks:
        present[block] = True
    pairs = np.empty((2, total), np.int32)
    if present.all():
        for start, block in _popped(blocks):
            pairs[:, start : start + block.shape[1]] = block
        return Numbered(pairs, largest + 1, None)
    names = np.flatnonzero(present)
    number = np.cumsum(present, dtype=np.int32)
    number -= 1
    for start, block in _popped(blocks):
        for side in (0, 1):  # with `out` and `clip` half a second faster on ten million edges than indexing
            np.take(number, block[side], out=pairs[side, start : start + block.shape[1]], mode="clip")
    return Numbered(pairs, len(names), names)


def _number_sparse(blocks: list[IdArray], total: int) -> Numbered:
    """Number ids whose range is too wide for a presence array, by hashing or by sorting, whichever is quicker."""
    ids = np.empty((2, total), np.int64)
    for start, block in _popped(blocks):
        ids[:, start : start + block.shape[1]] = block
    flat = ids.reshape(-1)
    ordered = np.sort(flat)
    names = ordered[np.append(True, ordered[1:] != ordered[:-1])]
    del ordered
    if IDS_PER_NODE_TO_HASH * len(names) <= len(flat):
        import pyarrow as pa

        encoded = pa.array(flat).dictionary_encode()
        numbers = np.searchsorted(names, encoded.dictionary.to_numpy()).astype(np.int32)[encoded.indices.to_numpy()]
    else:
        order = np.argsort(flat)
        ordered = flat[order]
        is_next = np.append(False, ordered[1:] != ordered[:-1])
        del ordered
        numbers = np.empty(len(flat), np.int32)
        numbers[order] = np.cumsum(is_next, dtype=np.int32)
    return Numbered(numbers.reshape(2, total), len(names), names)


class LabelBlock(NamedTuple):
    """Pairs of text ids: the distinct labels of a block, and for each pair where its two labels stand among them."""

    labels: "pa.LargeStringArray"
    codes: npt.NDArray[np.int32]

    @classmethod
    def from_columns(cls, first: Any, second: Any) -> "LabelBlock":
        """Encode two Arrow columns of text, or two that are encoded already."""
        import pyarrow as pa

        if pa.types.is_dictionary(first.type):
            encoded = pa.chunked_array([*first.chunks, *second.chunks]).unify_dictionaries().combine_chunks()
        else:
            kind = pa.large_string()
            columns = [chunk.cast(kind) for column in (first, second) for chunk in column.chunks]
            encoded = pa.chunked_array(columns, kind).dictionary_encode().combine_chunks()
        if isinstance(encoded, pa.ChunkedArray):  # what older versions return
            encoded = encoded.chunk(0) if encoded.num_chunks else pa.array([], pa.large_string()).dictionary_encode()
        return cls(encoded.dictionary, encoded.indices.to_numpy().astype(np.int32, copy=False).reshape(2, -1))


def memory_of_labels(blocks: list[LabelBlock]) -> int:
    """Return the bytes that numbering the nodes of blocks and building the graph take beside the blocks."""
    pairs: int = sum(block.codes.shape[1] for block in blocks)
    labels: int = sum(len(block.labels) for block in blocks)
    letters = sum(int(block.labels.nbytes) for block in blocks)
    return BYTES_PER_PAIR * pairs + BYTES_PER_LABEL * labels + COPIES_OF_LABELS * letters


def all_labels(blocks: list[LabelBlock]) -> tuple["pa.LargeStringArray", npt.NDArray[np.int32]]:
    """Return the distinct labels of all blocks, and for every label of every block its place among them."""
    import pyarrow as pa

    encoded = pa.chunked_array([block.labels for block in blocks], pa.large_string()).dictionary_encode()
    if encoded.num_chunks == 0:
        return pa.array([], pa.large_string()), np.zeros(0, np.int32)
    return encoded.chunk(0).dictionary, np.concatenate([chunk.indices.to_numpy() for chunk in encoded.chunks])


def join_labels(blocks: list[LabelBlock]) -> tuple["pa.LargeStringArray", npt.NDArray[np.int32]]:
    """Return the distinct labels of all blocks, and the places of the labels of all pairs among them, shape (2, m)."""
    labels, places = all_labels(blocks)
    starts = np.cumsum([0, *(len(block.labels) for block in blocks)])
    codes = [places[start:][block.codes] for start, block in zip(starts.tolist(), blocks, strict=False)]
    return labels, np.concatenate([np.zeros((2, 0), np.int32), *codes], axis=1)


def number_labels(blocks: list[LabelBlock], where: str) -> Numbered:
    """Number the nodes of pairs of text ids from the file `where`; the list of blocks is emptied on the way."""
    import pyarrow.compute as pc

    labels, places = all_labels(blocks)
    order = pc.sort_indices(labels).to_numpy()
    number = _ranks(order)[places]
    pairs = np.empty((2, sum(block.codes.shape[1] for block in blocks)), np.int32)
    start = offset = 0
    blocks.reverse()
    while blocks:
        block = blocks.pop()
        length = block.codes.shape[1]
        pairs[:, start : start + length] = number[offset : offset + len(block.labels)][block.codes]
        start += length
        offset += len(block.labels)
    return Numbered(pairs, len(labels), text_array(labels.take(order).to_pylist(), where))


def number_names(names: list[str], where: str) -> tuple[npt.NDArray[np.int32], npt.NDArray[Any] | None]:
    """Return the number of every distinct name in the file `where`, and the names in order unless they are the numbers.

    If all names are whole numbers, as written by most programs that write labels, they become numbers.

    >>> number_names(["10", "9"], "links.gml")
    (array([1, 0], dtype=int32), array([ 9, 10]))
    """
    if all(map(is_whole_number, names)):
        values = np.array([int(name) for name in names], np.int64)
        order = np.argsort(values)
        ordered = values[order]
        gapless = len(names) == 0 or (ordered[-1] == len(names) - 1)
        return _ranks(order), None if gapless else ordered
    order = np.array(sorted(range(len(names)), key=names.__getitem__), np.int64)
    return _ranks(order), text_array([names[i] for i in order.tolist()], where)


def is_whole_number(text: str) -> bool:
    """Tell whether text is a node number written the plain way, in the range of int64.

    >>> [is_whole_number(text) for text in ("0", "17", "007", "-1", "1.0", "9223372036854775808")]
    [True, True, False, False, False, False]
    """
    plain = text.isascii() and text.isdigit() and (text[0] != "0" or text == "0")
    return plain and len(text) <= 19 and int(text) <= MAX_ID


def text_array(labels: list[str], where: str) -> npt.NDArray[Any]:
    """Return text from the file `where` as an array; of objects if a fixed width would waste memory on a long label.

    >>> text_array(["a", "bc"], "g.csv").dtype, text_array(["a"] * 999 + ["b" * 100_000], "g.csv").dtype
    (dtype('<U2'), dtype('O'))
    """
    longest = max(map(len, labels), default=0)
    if longest * len(labels) <= max(1 << 20, 8 * sum(map(len, labels))):
        require_memory(where, 4 * longest * len(labels))
        return np.array(labels, f"U{max(1, longest)}")
    array = np.empty(len(labels), object)
    array[:] = labels
    return array


def _ranks(order: npt.NDArray[Any]) -> npt.NDArray[np.int32]:
    ranks = np.empty(len(order), np.int32)
    ranks[order] = np.arange(len(order), dtype=np.int32)
    return ranks


def _popped(blocks: list[IdArray]) -> Any:
    """Yield where each block starts, and the block, which then belongs to the caller alone."""
    start = 0
    blocks.reverse()
    while blocks:
        block = blocks.pop()
        yield start, block
        start += block.shape[1]
