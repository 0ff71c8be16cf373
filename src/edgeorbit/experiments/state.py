"""What the results have of some cells, and whether it may be put into one table: by which code, version and split."""

from collections import Counter, defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from edgeorbit.errors import InvalidParameterError
from edgeorbit.experiments.plan import Cell
from edgeorbit.experiments.store import Store

Redo = Literal["failed", "outdated", "all"]


@dataclass(frozen=True)
class State:
    """What there is of some cells; all but the last are sets of their keys.

    Attributes
    ----------
    done, failed
        Those with rows, and those of them that failed.
    other_code, unknown_code
        Those that were made by other code than this, and those whose rows do not say.
    mixed
        Graphs and seeds of which there are results of different splits, or of different negatives of one kind.
    """

    done: frozenset[str]
    failed: frozenset[str]
    other_code: frozenset[str]
    unknown_code: frozenset[str]
    mixed: tuple[tuple[str, int], ...]

    def to_redo(self, which: str | None) -> frozenset[str]:
        """Return the cells to run again.

        Raises
        ------
        InvalidParameterError
            If there is no such choice.
        """
        if which is None:
            return frozenset()
        if which not in get_args(Redo):
            raise InvalidParameterError(f"--redo {which}: choose from {', '.join(get_args(Redo))}")
        return {"failed": self.failed, "outdated": self.other_code | self.unknown_code, "all": self.done}[which]

    def sentences(self) -> list[str]:
        """Return what whoever reads the results must know."""
        told = []
        outdated = [
            f"{len(keys)} by {kind}"
            for keys, kind in ((self.other_code, "other code"), (self.unknown_code, "unknown code"))
            if keys
        ]
        if outdated:
            told.append(f"Of these, {' and '.join(outdated)}; --redo outdated runs them again")
        if self.failed:
            told.append(f"{len(self.failed)} failed; --redo failed runs them again")
        if self.mixed:
            data, seed = self.mixed[0]
            told.append(
                f"Results of {len(self.mixed)} graphs and seeds, such as {data}, seed {seed}, are of different splits "
                "or negatives and must not be compared; --redo all with --only runs them again"
            )
        return told


def unplanned(cells: Sequence[Cell], store: Store) -> set[str]:
    """Return the keys of rows that are of none of these cells."""
    return store.keys - {cell.key for cell in cells}


def count_rows(keys: Collection[str], store: Store) -> dict[str, Counter[str]]:
    """Return by graph and model how many rows of some cells there are."""
    counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for key, data, model in zip(*map(store.column, ("key", "data", "model")), strict=True):
        if key in keys:
            counts[data][model] += 1
    return dict(counts)


def examine(cells: Sequence[Cell], store: Store) -> State:
    """Return what a store has of some cells."""
    code_of = {cell.key: cell.code for cell in cells}
    done: set[str] = set()
    failed: set[str] = set()
    other: set[str] = set()
    unknown: set[str] = set()
    digests: defaultdict[tuple[str, int, str, str], set[str]] = defaultdict(set)  # of splits, and of negatives
    names = ("key", "failed", "code", "data", "seed", "features", "negatives", "split_digest", "negatives_digest")
    columns = map(store.column, names)
    for key, reason, code, data, seed, features, kind, split, negatives in zip(*columns, strict=True):
        if key not in code_of:
            continue
        done.add(key)
        if reason:
            failed.add(key)
        if code is None:
            unknown.add(key)
        elif code != code_of[key]:
            other.add(key)
        for place, digest in (((data, seed, "", ""), split), ((data, seed, features, kind), negatives)):
            if digest is not None:
                digests[place].add(digest)
    mixed = dict.fromkeys((data, seed) for (data, seed, *_), found in digests.items() if len(found) > 1)
    return State(frozenset(done), frozenset(failed), frozenset(other), frozenset(unknown), tuple(mixed))
