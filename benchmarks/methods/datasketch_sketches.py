"""datasketch's sketches of the neighbourhoods of all nodes, two hops wide, with their estimated sizes."""

from typing import Any

from datasketch import HyperLogLogPlusPlus, MinHash

from benchmarks.methods import Outcome, Task


def prepare(task: Task) -> Any:
    """List the neighbours of every node, itself first, and name the nodes by bytes."""
    graph = task.graph
    indices, indptr = graph.indices.tolist(), graph.indptr.tolist()
    rows = [[node, *indices[indptr[node] : indptr[node + 1]]] for node in range(graph.num_nodes)]
    return rows, [node.to_bytes(8, "little") for node in range(graph.num_nodes)]


def run(state: Any) -> Outcome:
    """Sketch every node by itself, and merge the sketches of neighbours twice."""
    rows, names = state
    minima: list[Any] = MinHash.bulk([[name] for name in names], num_perm=128)
    registers: list[Any] = []
    for name in names:
        one = HyperLogLogPlusPlus(p=8)
        one.update(name)
        registers.append(one)
    total = 0.0
    for _ in range(2):
        minima, registers = _merged(minima, rows), _merged(registers, rows)
        total += sum(one.count() for one in registers)
    return Outcome(value=float(total / (2 * len(rows))))


def _merged(sketches: list[Any], rows: list[list[int]]) -> list[Any]:
    found = []
    for row in rows:
        one = sketches[row[0]].copy()
        for other in row[1:]:
            one.merge(sketches[other])
        found.append(one)
    return found
