"""`make` and `sweep`: synthetic graphs by name, with a chosen EAR."""

import math
import os
from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import Any, Literal, NamedTuple, get_args

from edgeorbit._randomness import check_seed
from edgeorbit.data.features import node_features
from edgeorbit.data.loading import load_graph
from edgeorbit.errors import InvalidParameterError, UnreachableTargetError
from edgeorbit.graph.graph import Graph
from edgeorbit.orbits.refine import check_rounds
from edgeorbit.synthetic.construction import Amounts, Construction
from edgeorbit.synthetic.dial import Dial, Reached, check_target, near
from edgeorbit.synthetic.generators import GENERATORS, PREFIX, Knob, resolve_generator
from edgeorbit.synthetic.moves import Part

DialName = Literal["auto", "edges", "swaps", "twins"]
MORE_ROUNDS = 4  # how far to look for a number of rounds at which a target can be reached


def make(
    name: str,
    *,
    ear: float | None = None,
    rounds: int | None = None,
    seed: int = 0,
    **options: Any,
) -> Graph:
    """Make a synthetic graph.

    Parameters
    ----------
    name
        A generator (`edgeorbit.synthetic.GENERATORS`), or `syn-X` for two copies of X, a data set or a graph file.
    ear
        The EAR that the graph should have, within 0.01, by our own measure. By default nothing is dialled.
    rounds
        Rounds of colour refinement at which it should have that EAR; None for stable colours.
    seed
        The same seed makes the same graph, on every machine.
    **options
        All others of `sweep`, and the parameters of the generator.

    Returns
    -------
    Graph
        Its `origin` tells for every edge whether it is original, added or a twin's, and for every node its copy, its
        original and whose twin it is.

    Raises
    ------
    UnreachableTargetError
        If no graph within 0.01 of the target was found; the message has the nearest, and an option that reaches it.

    Examples
    --------
    >>> from edgeorbit import ear
    >>> graph = make("syn-karate", ear=0.5)
    >>> abs(ear(graph) - 0.5) <= 0.01
    True
    >>> make("grid", rows=3, columns=4).num_edges
    17
    """
    return sweep(name, [ear], rounds=rounds, seed=seed, **options)[0]


def sweep(
    name: str,
    ears: Sequence[float | None],
    *,
    rounds: int | None = None,
    seed: int = 0,
    of: Graph | str | os.PathLike[str] | None = None,
    dial: DialName = "auto",
    swaps: int | None = None,
    edges: int | None = None,
    twins: int | None = None,
    inter: float | None = None,
    part: Part = "node",
    features: str | None = None,
    data_dir: str | os.PathLike[str] | None = None,
    threads: int | None = None,
    progress: Callable[[Amounts, float], None] | None = None,
    **parameters: Any,
) -> list[Graph]:
    """Make a graph for every wanted EAR; the moves of one with few moves are among those of one with many.

    Parameters
    ----------
    name, rounds, seed
        As for `make`.
    ears
        The EAR of every graph.
    of
        The graph that copies or twins are made from, if the name does not say it: a graph, a file, a data set, or a
        generator, which makes it with its defaults.
    dial
        What is turned. `"edges"`: random edges are added, which lowers EAR. `"swaps"`: edges are swapped, which lowers
        it and keeps every degree. `"twins"`: nodes are cloned, which raises it. `"auto"`: edges, or swaps for lattices,
        until EAR is at the target or falls past it, then twins.
    swaps, edges, twins
        Fixed amounts of moves; what is given is not dialled.
    inter
        The share of added edges between copies, by default 0.1.
    part
        What is cloned: a `"node"` with its neighbourhood, or a `"pendant"` part, a tree that hangs on one node.
    features
        See `edgeorbit.data.features.node_features`; by default those of the source, which go with its copies and twins,
        if it has any.
    data_dir, threads
        As for `edgeorbit.load`.
    progress
        Called for every graph that is measured with the amounts of moves and the EAR.
    **parameters
        Those of the generator, for instance `copies` or `rows`.

    Examples
    --------
    >>> from edgeorbit import ear
    >>> [round(ear(graph, rounds=2), 1) for graph in sweep("syn-two-copies", [0.3, 0.6, 0.9], rounds=2)]
    [0.3, 0.6, 0.9]
    """
    check_rounds(rounds)
    check_seed(seed)
    for target in ears:
        if target is not None:
            check_target(target)
    generator, source = resolve_generator(name)
    if source is not None and of is not None:
        raise InvalidParameterError(f"{name} names its source already; leave --of out")
    of = source if of is None else of
    if of is not None and not isinstance(of, Graph):
        of = _source_graph(of, seed, data_dir, threads)
    base = generator.make(seed, of, parameters)
    if base.num_edges == 0:
        raise InvalidParameterError(f"{base.name} has no edges, so it has no EAR to choose; take a graph with edges")
    shown = f"{PREFIX}{of.name}" if source is not None and of is not None else generator.name
    base = base.with_attributes(name=shown, node_names=None)
    given = [knob for knob, amount in (("swaps", swaps), ("edges", edges), ("twins", twins)) if amount is not None]
    order = _Order(
        Construction(base, inter=inter, part=part, seed=seed, threads=threads),
        Amounts(swaps or 0, edges or 0, twins or 0),
        given,
        dial,
        generator.knob,
    )
    order.knobs()
    turned = Dial(order.construction, rounds, progress)
    graphs = []
    for target in ears:
        reached = Reached(order.start, math.nan) if target is None else order.reach(turned, target)
        mode = features or (None if base.x is None else "original")
        recipe = {
            "generator": shown,
            "parameters": {
                **({} if of is None else {"of": of.name}),
                **generator.settings(parameters),
                **{"inter": order.construction.inter, "part": part},
                **asdict(reached.amounts),
            },
            "seed": seed,
            "features": mode,
            "target": None
            if target is None
            else {"ear": target, "rounds": rounds, "dial": dial, "reached": reached.ear},
        }
        graph = order.construction.build(reached.amounts, recipe)
        graphs.append(
            graph.with_attributes(
                name=shown if target is None else f"{shown}-{target:g}",
                x=None if mode is None else node_features(graph, mode, seed),
            )
        )
    return graphs


def _source_graph(
    of: str | os.PathLike[str], seed: int, data_dir: str | os.PathLike[str] | None, threads: int | None
) -> Graph:
    named = GENERATORS.get(str(of).lower())
    if named is not None and not named.takes_source:
        return named.make(seed, None, {}).with_attributes(name=named.name)
    return load_graph(of, data_dir=data_dir, threads=threads)


class _Order(NamedTuple):
    """What is asked for: a construction, the amounts to begin with and which of them are given, and the dial."""

    construction: Construction
    start: Amounts
    given: list[str]
    dial: DialName
    usual: Knob

    def knobs(self) -> tuple[Knob | None, Knob | None]:
        """Return the knob that lowers EAR and the one that raises it; what is given is not turned."""
        if self.dial not in get_args(DialName):
            raise InvalidParameterError(f"dial {self.dial!r} is unknown; choose from {', '.join(get_args(DialName))}")
        if self.dial in self.given:
            raise InvalidParameterError(f"{self.dial} cannot be given and dialled at once; leave one of them out")
        if self.dial == "auto":
            return (None if self.usual in self.given else self.usual), (None if "twins" in self.given else "twins")
        return (None, "twins") if self.dial == "twins" else (self.dial, None)

    def turn(self, dial: Dial, target: float) -> Reached:
        """Return the graph nearest to the target."""
        return dial.turn(target, self.start, *self.knobs())

    def reach(self, dial: Dial, target: float) -> Reached:
        """Return what reaches a target, or say what would."""
        reached = self.turn(dial, target)
        if near(reached, target):
            return reached
        turned = " and ".join(knob for knob in self.knobs() if knob) or "nothing"
        raise UnreachableTargetError(
            f"{self.construction.base.name}: {_called(dial.rounds)} {target:g} cannot be reached by turning {turned}, "
            f"the nearest is {reached.ear:.4f}; {self._way_out(dial.rounds, target)}",
            reached.ear,
        )

    def _way_out(self, rounds: int | None, target: float) -> str:
        """Find, by trying, an option that reaches the target."""
        choices: list[tuple[str, _Order, int | None]] = []
        if self.given:
            left_out = " and ".join(f"--{knob}" for knob in self.given)
            choices.append((f"leaving {left_out} out", self._replace(start=Amounts(), given=[]), rounds))
        if self.dial != "auto":
            choices.append(("--dial auto", self._replace(dial="auto"), rounds))
        elif self.usual != "edges" and "edges" not in self.given:
            choices.append(("--dial edges", self._replace(dial="edges"), rounds))
        if self.construction.origin.num_copies > 1 and self.construction.inter < 1:
            choices.append(("--inter 1", self._replace(construction=self.construction.with_options(inter=1)), rounds))
        if self.construction.part != "node":
            choices.append(
                ("--part node", self._replace(construction=self.construction.with_options(part="node")), rounds)
            )
        if rounds is not None:
            choices += [(f"--rounds {more}", self, more) for more in range(rounds + 1, MORE_ROUNDS + 1)]
            choices.append(("--stable", self, None))
        for option, order, at in choices:
            if near(order.turn(Dial(order.construction, at), target), target):
                return f"{option} reaches it" if at == rounds else f"{option} reaches {_called(at)} {target:g}"
        lower = self.knobs()[0]
        if lower is not None and self.construction.room(lower, self.start, 1) == 0:
            return f"it has no room for {lower}, so take a graph that is not so dense"
        return "take a larger graph, whose EAR moves in smaller steps"


def _called(rounds: int | None) -> str:
    return "EAR" if rounds is None else f"EAR@{rounds}"
