"""The page about scale: what was measured, how it grows, and what larger graphs would need by that."""

import math
from typing import Any

from benchmarks.report import markdown_table
from benchmarks.scale import ID_BYTES

LARGER = (10**9, 10**10)
# The cluster of the estimate.
MACHINE_CORES, MACHINE_NETWORK, MACHINE_DISK = 16, 1.25e9, 2e12  # cores, bytes per second, bytes
EFFICIENCY = 0.5  # of many machines beside one: stragglers, skew and waiting for the network
HOURS = 1.0  # how long the run may take
MOST_GROWTH = 2.4  # of the time of a round when edges double

METHOD = """# Scale

This page is written by `python -m benchmarks.scale --write docs/scale.md` from `benchmarks/scale.json`, the
results of
`python -m benchmarks.scale --update`; do not edit it.

## Three engines, one answer

| engine | where the graph is | when |
| --- | --- | --- |
| `memory` | arrays of this process, compiled code | whenever it fits: it is by far the fastest |
| `duckdb` | Parquet files on this machine's disk | more edges than memory |
| `spark` | Parquet files that a cluster shares | more edges than one machine gets through |

```
edgeorbit ear links.parquet                                             # chooses memory, or duckdb if it must
edgeorbit ear web/ --engine duckdb --memory-limit 4GB --work state/     # again: goes on where it stopped
edgeorbit ear web/ --engine spark --master spark://host:7077 --work /shared/state --colours /shared/colours
```

```python
from edgeorbit.engines import measure

found = measure(spark.table("links"), session=spark, work="/shared/state")  # in a Spark session of your own
found.ear, found.num_node_orbits, found.colours_by_round
```

`auto` counts the rows (Parquet says how many there are, of text they are estimated) and takes memory if the
graph fits
there by the formula in `edgeorbit/engines/_sources.py`; it says so when it takes another engine.

## How it works on tables

All tables are Parquet files in the work directory: each edge once, and the colour of each node. A round is four
queries.

1. *Affected*: for every neighbour of a node that moved in the round before, the multiset of the new colours that it
   sees, told by two sums of salted hash values, 64 bits each. The salts are new in every round.
2. *Splits*: within a colour, nodes with different sums belong apart. The largest part keeps the number of the colour,
   the others get new ones.
3. *Moved*: the nodes of the parts with new numbers. Only their neighbours are looked at in the next round, so
   that a node
   moves at most log2(n) times.
4. The new colours are laid over the old ones; when there are many, both are merged into one table.

A node that is alone in its colour, and whose neighbours have seen it, can neither change nor change others.
When half of
the nodes are such nodes they leave the tables with their edges. Once the rest fits into memory (half of
DuckDB's limit,
1 GiB in the driver of Spark), compiled code makes the other rounds there: a path of a million nodes needs 500,000.

**Exactness.** At the end the engine counts, for every node that shares its colour, its neighbours of every
colour, and
compares within colours: exact numbers, no hash. With a given number of rounds each round is checked so. If hash
values
ever collide, the run begins again with sorted lists in their place.

**Memory.** Joins and groups of one DuckDB query compete for memory. Where four hash tables of all nodes exceed the
limit, each join and group is made apart and its rows go to the spill directory; a query that still runs out of memory
is made in slices of its keys, twice as many each time. The process takes more than DuckDB's limit: see *Growth*.
Spark spills by itself; what it joins and groups is divided into one part for every 16 MB of a stored table (or more,
if the session says so). On one machine Java may take half of the memory that is free, unless SPARK_DRIVER_MEMORY or
Spark's own configuration say how much.

**Stops.** A round counts when `state.json` names its tables; that file is replaced in one step. A process that is
killed, a disk that is full or a cluster that goes away cost the round under way; the same command with the same
`--work` goes on.
Executors may die at any time: every table is written before it is read, and what is random is written down once.

## Training on several processes

`edgeorbit train GRAPH --devices N` (or `torchrun --no-python edgeorbit train ...`) divides the node pairs of every
step, by PyTorch's DistributedDataParallel; each process repeats the encoder on the whole graph, so a model with a small
encoder and much work per pair gains (SEAL), and a plain GCN does not. Without dropout a step with N processes is the
step with one, up to rounding: the same batch, the same hidden links, and gradients weighted by shares; dropout is drawn
by each process for itself. BUDDY normalizes over all pairs of a batch, so it is refused. A process that is killed ends
the run with one sentence, and the same command resumes it, also with another number of processes. `--device cuda` puts
the network on a GPU, and each process takes the next one; colours, walks, sketches, common neighbours and negatives are
still computed on the CPU. This was tested through the same code path on the CPU, and has not yet been run on a GPU: no
speed is claimed.

`bench` and `tune` share their work between processes and machines: `bench` by claims beside its results in a
directory that all see, `tune` by a journal there or a data base. No run is made twice.
`edgeorbit tune cora --model ncn --storage postgresql://user@host/studies`, given on every machine, shares one budget;
the trial of a command that is killed is taken over, at once on the same machine and after 90 seconds from another.
The password can be left to PGPASSWORD or ~/.pgpass. SQLite and PostgreSQL are the data bases that it takes.

## Limits

- The engines on tables start from nodes that are all alike, or from degrees; other initial colours need `memory`.
- Which number a colour has differs between engines and runs; which nodes share one does not.
- EAR after each round is not listed: it would take a pass over all edges each time.
- On tables a round reads all edges that may still matter once, even if few nodes moved; reading is cheap beside
  joining.
- The work directory of Spark is a directory that driver and executors see under one name, not an object store.
- A Spark Connect session cannot be used; give a classic one or a master.
"""


def to_markdown(stored: dict[str, Any]) -> str:
    """Return the page."""
    found = stored["measurements"]
    machine = stored["machine"]
    versions = ", ".join(f"{name} {number}" for name, number in machine["versions"].items())
    busy = max((one["load"] for one in found), default=0.0)
    parts = [METHOD, "## Measured", ""]
    parts += [
        f"On {machine['processor']}, {machine['cores']} cores, {machine['system']}, Python {machine['python']}, "
        f"{versions}.",
        "Each row is a process of its own, from Parquet to EAR; only the start of Java is left out. Memory is the",
        "peak of the process and all its children, Java included; disk the peak of tables, spilled data and logs.",
        "For Spark it is an upper bound: what Java starts for a moment shares its memory and may count twice.",
        "DuckDB and Spark made all rounds on tables here unless *end in memory* is said; a round is their mean. Spark",
        "sent no table to all executors at once (no broadcast joins), as it could not with large graphs, and Java",
        "had 4 GB.",
    ]
    if busy > 1:
        parts.append(f"Others used the machine at the same time (load up to {busy:g}): times are upper bounds.")
    parts += ["", *markdown_table(COLUMNS, [_row(one) for one in found], right=range(2, len(COLUMNS)))]
    parts += ["", "## Growth", "", *_growth(found), "", *_memory(found), "", "## Larger graphs: an estimate", ""]
    return "\n".join([*parts, *_estimate(found), ""])


COLUMNS = ["graph", "engine", "edges", "time", "rounds", "a round", "memory", "disk", "shuffled"]


def _row(one: dict[str, Any]) -> list[str]:
    engine = one["engine"]
    if one["memory_limit"]:
        engine += f", limit {one['memory_limit']}"
    if engine != "memory" and not one["on_tables"]:
        engine += ", end in memory"
    cells = [one["graph"], engine, f"{one['edges']:,}"]
    if one["status"] != "ok":
        told = f"> {one['limit']:g} s" if one["status"] == "time" else one["status"]
        return [*cells, told, "", "", _size(one["memory"]), _size(one["disk"]), ""]
    rounds = one["seconds_by_round"]
    each = f"{sum(rounds) / len(rounds):.2f} s" if rounds else ""
    cells += [f"{one['seconds']:.1f} s", f"{one['rounds']:,}", each, _size(one["memory"])]
    shuffled = one["shuffle_bytes"]
    return [
        *cells,
        _size(one["disk"]) if one["engine"] != "memory" else "",
        "" if shuffled is None else _size(shuffled),
    ]


def _growth(found: list[dict[str, Any]]) -> list[str]:
    """Compare the time of a round of a graph with that of the same kind with twice as many edges."""
    rows = []
    plain = {(o["graph"], o["engine"], o["edges"]): o for o in found if _on_tables(o) and not o["memory_limit"]}
    for (graph, engine, edges), one in plain.items():
        twice = plain.get((graph, engine, 2 * edges))
        if twice:
            ratio = _round_seconds(twice) / _round_seconds(one)
            verdict = "met" if ratio < MOST_GROWTH else "not met"
            rows.append([graph, engine, f"{edges:,} to {2 * edges:,}", f"{ratio:.2f} x", f"< {MOST_GROWTH} x", verdict])
    if not rows:
        return ["No graph was measured at twice its size."]
    return ["The time of a round when the number of edges doubles:", "", *markdown_table(GROWTH, rows, right=[3, 4])]


GROWTH = ["graph", "engine", "edges", "growth", "bound", "verdict"]


def _memory(found: list[dict[str, Any]]) -> list[str]:
    limited = [one for one in found if one["memory_limit"] and one["status"] == "ok"]
    if not limited:
        return []
    from edgeorbit.engines import parse_size

    rows = []
    for one in limited:
        limit, size = parse_size(one["memory_limit"]), one["edges"] * ID_BYTES
        cells = [one["graph"], f"{one['edges']:,}", _size(size), one["memory_limit"], f"{size / limit:.1f} x"]
        rows.append([*cells, _size(one["memory"])])
    columns = ["graph", "edges", "as pairs of 8-byte ids", "limit of DuckDB", "graph / limit", "peak of the process"]
    return [
        "Graphs larger than the memory that DuckDB was given:",
        "",
        *markdown_table(columns, rows, right=range(1, 6)),
    ]


def _estimate(found: list[dict[str, Any]]) -> list[str]:
    measured = [one for one in found if one["engine"] == "spark" and _on_tables(one) and one["graph"] == "random"]
    if not measured:
        return ["Spark was not measured, so nothing is estimated."]
    one = max(measured, key=lambda found: int(found["edges"]))
    edges, rounds, cores = one["edges"], one["rounds"], one.get("cores", 2)
    seconds = sum(one["seconds_by_round"])
    per_round = seconds * cores / edges / rounds
    shuffle, disk = one["shuffle_bytes"] / edges / (rounds + 2), one["disk"] / edges
    rows = []
    for larger in LARGER:
        work = per_round * larger * (rounds + 2)
        machines = math.ceil(work / EFFICIENCY / (HOURS * 3600) / MACHINE_CORES)
        volume = shuffle * larger
        machines = max(machines, math.ceil(2 * disk * larger / MACHINE_DISK))
        rows.append(
            [
                f"{larger:,}",
                str(rounds),
                f"{work / 3600:,.1f} core hours",
                f"{machines:,}",
                _size(volume),
                f"{volume / machines / MACHINE_NETWORK:,.1f} s",
                _size(disk * larger),
            ]
        )
    columns = [
        "edges",
        "rounds",
        "work",
        f"machines of {MACHINE_CORES} cores",
        "shuffled per round",
        "on the network",
        "disk, all machines",
    ]
    return [
        "Not measured. Computed from the largest random graph that Spark was measured on here, and as rough as that:",
        "",
        f"- a round took {seconds / rounds:.1f} s on {cores} cores for {edges:,} edges: {per_round * 1e6:.2f} core "
        "microseconds per edge;",
        f"- preparing and proving are taken to cost as much as two rounds more (an assumption), so the run shuffled "
        f"{shuffle:.0f} bytes per edge and round;",
        f"- tables and spilled data took {disk:.0f} bytes per edge at their peak.",
        "",
        "Work grows with edges (above) and rounds. Random graphs need hardly more rounds when they grow, graphs with",
        "long paths many more, which is why the end is made in memory. Machines: work / "
        f"{EFFICIENCY:g} (efficiency) / {HOURS:g} h / {MACHINE_CORES} cores,",
        f"or twice the disk / {MACHINE_DISK / 1e12:g} TB if that is more. Network: volume / machines / "
        f"{MACHINE_NETWORK / 1e9:g} GB/s.",
        "",
        *markdown_table(columns, rows, right=range(len(columns))),
    ]


def _on_tables(one: dict[str, Any]) -> bool:
    return bool(one["status"] == "ok" and one["on_tables"] and one["seconds_by_round"])


def _round_seconds(one: dict[str, Any]) -> float:
    return sum(one["seconds_by_round"]) / len(one["seconds_by_round"])


def _size(number: float) -> str:
    for unit, factor in (("TB", 1e12), ("GB", 1e9)):
        if number >= factor:
            return f"{number / factor:,.1f} {unit}"
    return f"{number / 1e6:,.0f} MB"
