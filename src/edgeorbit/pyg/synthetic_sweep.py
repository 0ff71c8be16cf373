"""A sweep of synthetic graphs, from little to much symmetry, as a PyG data set."""

import os
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from torch_geometric.data import Data, InMemoryDataset

from edgeorbit.errors import EdgeorbitError, InvalidParameterError
from edgeorbit.pyg._tensor_file import read_collated, write_collated
from edgeorbit.pyg.made_data import made_data
from edgeorbit.synthetic.generators import resolve_generator
from edgeorbit.synthetic.make import sweep
from edgeorbit.synthetic.saving import pickled, sweep_digest

EARS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
WITHOUT_EFFECT = ("threads", "progress")  # parameters of `sweep` that do not change the graphs


class SyntheticSweep(InMemoryDataset):
    """Synthetic graphs of chosen EAR: item `i` is the graph with an EAR of `ears[i]`, within 0.01.

    Nothing is downloaded. The graphs are made when they are first asked for and stored in `root/processed`, in a file
    whose name depends on all settings, the content of the source and the version of edgeorbit: other settings in the
    same directory make another file. Files are read without running any code that may be in them.

    Parameters
    ----------
    root : path
        The directory to store graphs in.
    name : str
        A generator, or `syn-X` for two copies of X; see `edgeorbit.synthetic.make`.
    ears : sequence of float
        The EAR of every graph; None for one that is not dialled.
    rounds : int, optional
        Rounds of colour refinement at which the graphs have that EAR; by default when the colours are stable.
    seed : int
        The same seed makes the same graphs, on every machine.
    features : str, optional
        `"original"`, `"constant"`, `"degree"`, `"identity"`, `"random"` or `"orthogonal"`; by default those of the
        source, if any.
    data_dir : path, optional
        The directory of data sets; see `edgeorbit.load`.
    transform, pre_transform, pre_filter, force_reload
        As for `InMemoryDataset`. Functions that change what is stored are known by their pickles: after a change in the
        code of one, pass `force_reload=True`. With one that has no pickle, such as a lambda, graphs are always made
        afresh.
    **parameters
        Others of `edgeorbit.synthetic.sweep`, for instance `dial`, `of` or `copies`.

    Raises
    ------
    UnreachableTargetError
        If there is no graph within 0.01 of a wanted EAR; nothing is stored then.

    Notes
    -----
    Every item is a plain `Data` with

    | attribute | shape | what it is |
    |---|---|---|
    | `edge_index` | [2, num_edges] | both directions of every edge, sorted by row |
    | `x` | [num_nodes, num_features] | features, dense, float; only if there are any |
    | `y` | [num_nodes] | labels of the source; only if they are numbers |
    | `edge_kind` | [num_edges] | 0 for an edge of the source, 1 for an added one, 2 for one of a twin |
    | `copy` | [num_nodes] | which copy of the source a node belongs to |
    | `original` | [num_nodes] | the node of the source that a node stems from |
    | `twin_of` | [num_nodes] | the node that a node is a twin of, -1 for none |
    | `ear`, `ear_target` | [1] | EAR as measured, and as asked for (NaN for None) |
    | `rounds` | [1] | rounds of colour refinement at which it is measured, -1 for stable colours |

    Batching shifts none of them but `edge_index`: `original` counts the nodes of the source, which all graphs share,
    and `twin_of` those of its own graph, since PyG's shift would turn -1 into a node. The twins of a `Batch` are
    `torch.where(batch.twin_of < 0, -1, batch.twin_of + batch.ptr[batch.batch])`.

    Added edges are random, so nothing predicts them: report link prediction on edges of kind 0.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as root:
    ...     dataset = SyntheticSweep(root, "syn-karate", ears=[0.3, 0.6], features="constant")
    >>> dataset
    SyntheticSweep(2, name='syn-karate', rounds=None, seed=0)
    >>> [round(float(data.ear), 2) for data in dataset]
    [0.3, 0.61]
    """

    def __init__(
        self,
        root: str | os.PathLike[str],
        name: str = "syn-cora",
        ears: Sequence[float | None] = EARS,
        rounds: int | None = None,
        seed: int = 0,
        features: str | None = None,
        data_dir: str | os.PathLike[str] | None = None,
        transform: Callable[..., Any] | None = None,
        pre_transform: Callable[..., Any] | None = None,
        pre_filter: Callable[..., Any] | None = None,
        force_reload: bool = False,
        **parameters: Any,
    ) -> None:
        self.name, self.ears, self.rounds, self.seed = name, _checked(ears), rounds, seed
        self.features, self.data_dir, self.parameters = features, data_dir, parameters
        functions = {"pre_transform": pickled(pre_transform), "pre_filter": pickled(pre_filter)}
        self._file_name = self._choose_file_name(functions)
        super().__init__(
            os.fspath(root),
            transform,
            pre_transform,
            pre_filter,
            force_reload=force_reload or None in functions.values(),
        )
        self.load(self.processed_paths[0])

    @property
    def raw_file_names(self) -> list[str]:
        """There are none: graphs are made, or loaded from the data directory."""
        return []

    @property
    def processed_file_names(self) -> list[str]:
        """The file of these very graphs."""
        return [self._file_name]

    def process(self) -> None:
        """Make the graphs and store them."""
        graphs = sweep(
            self.name,
            self.ears,
            rounds=self.rounds,
            seed=self.seed,
            features=self.features,
            data_dir=self.data_dir,
            **self.parameters,
        )
        items = [made_data(graph, target, self.rounds) for graph, target in zip(graphs, self.ears, strict=True)]
        if self.pre_filter is not None:
            items = [data for data in items if self.pre_filter(data)]
        if not items:
            raise InvalidParameterError(f"pre_filter keeps none of {len(graphs)} graphs; keep at least one")
        if self.pre_transform is not None:
            items = [self.pre_transform(data) for data in items]
        self.save(items, self.processed_paths[0])

    @classmethod
    def save(cls, data_list: Sequence[Data], path: str) -> None:
        """Store graphs as tensors, in a file that appears when it is complete."""
        other = next((type(data).__name__ for data in data_list if type(data) is not Data), None)
        if other is not None:
            raise InvalidParameterError(f"pre_transform returns {other}, and only Data is stored; use it as transform")
        data, slices = cls.collate(data_list)
        write_collated(data.to_dict(), slices, Path(path))

    def load(self, path: str, data_cls: type[Data] = Data) -> None:
        """Read graphs that were stored, and nothing else."""
        data, self.slices = read_collated(Path(path))
        self.data = data_cls.from_dict(data)

    def __repr__(self) -> str:
        """Give the number of graphs and what makes them these."""
        return f"{type(self).__name__}({len(self)}, name={self.name!r}, rounds={self.rounds}, seed={self.seed})"

    def _process(self) -> None:
        """Make the graphs unless they are there.

        PyG's own `_process` unpickles notes about `pre_transform` and `pre_filter` that lie in the directory. Here
        both are part of the name of the file.
        """
        path = Path(self.processed_paths[0])
        if path.is_file() and not self.force_reload:
            return
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise EdgeorbitError(
                f"{path.parent}: cannot be created ({error.strerror}); choose a root that you may write to"
            ) from None
        self.process()

    def _choose_file_name(self, functions: dict[str, bytes | None]) -> str:
        generator, source = resolve_generator(self.name)
        settings = {
            "generator": generator.name,
            "ears": self.ears,
            "rounds": self.rounds,
            "seed": self.seed,
            "features": self.features,
            "parameters": {key: self.parameters[key] for key in self.parameters if key not in {"of", *WITHOUT_EFFECT}},
        }
        of = self.parameters.get("of") if source is None else source
        digest = sweep_digest(settings, of, self.data_dir, functions)
        readable = re.sub(r"[^a-z0-9]+", "-", self.name.lower()).strip("-")[-40:]
        return f"{readable}-{digest[:32]}.pt"


def _checked(ears: Any) -> tuple[float | None, ...]:
    """Return the wanted EARs as plain numbers, also from arrays and tensors."""
    try:
        found = tuple(None if value is None else float(value) for value in ears)
    except (TypeError, ValueError):
        raise InvalidParameterError(f"ears are numbers from 0 to 1, such as [0.3, 0.6], not {ears!r}") from None
    if not found:
        raise InvalidParameterError("ears is empty; give at least one number from 0 to 1")
    return found
