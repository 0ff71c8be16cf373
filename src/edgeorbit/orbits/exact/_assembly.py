"""From a reduced graph to the generators of its automorphism group.

Irreducible components are searched; then every component, from the smallest up, gets a *form*, a number that siblings
share if and only if they are isomorphic, and its nodes an order in which isomorphic components correspond place by
place. Generators are the swaps of neighbouring isomorphic siblings and those inside one component of each form.
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from edgeorbit.orbits.exact._bliss import Patterns, Symmetries
from edgeorbit.orbits.exact._generators import Generators, NodeArray, neighbour_swaps
from edgeorbit.orbits.exact._reduction import Reduction
from edgeorbit.orbits.exact._twins import Items, Shrunk

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


class Occurrences(NamedTuple):
    """Where the patterns occur: of every irreducible component the pattern, of every item the node of the pattern."""

    pattern: Ints
    component: Ints
    place: Ints


class Solved(NamedTuple):
    """Irreducible components: number, form, log10 of the group size, and the generators by place in the component.

    `position` is every node's place; `generators[form]` lists pairs of arrays of places.
    """

    component: Ints
    form: Ints
    log10_order: Floats
    position: Ints
    generators: dict[int, list[tuple[Ints, Ints]]]


def find_patterns(component: Ints, items: Items) -> tuple[Patterns, Occurrences]:
    """Describe the graph of items of every component, components with the same description once.

    `component` numbers the components of all nodes from 0. Inside a component, items are put in order of colour; small
    components that are isomorphic therefore mostly get the same description, and only one has to be searched.
    """
    num_items = len(items.colour)
    item_component = np.zeros(num_items, np.int64)
    item_component[items.item] = component
    order = np.lexsort((np.arange(num_items), items.colour, item_component))
    size = np.bincount(item_component)
    bounds = np.append(0, np.cumsum(size))
    place = np.empty(num_items, np.int64)
    place[order] = np.arange(num_items) - np.repeat(bounds[:-1], size)

    ends = np.sort(place[items.edges].reshape(-1, 2), axis=1)
    edge_component = item_component[items.edges[:, 0]]
    edge_order = np.lexsort((ends[:, 1], ends[:, 0], edge_component))
    ends = np.ascontiguousarray(ends[edge_order])
    num_edges = np.bincount(edge_component, minlength=len(size))
    edge_bounds = np.append(0, np.cumsum(num_edges))

    colour = items.colour[order]
    seen: dict[tuple[bytes, bytes], int] = {}
    kinds: dict[tuple[bytes, int], int] = {}
    pattern = np.empty(len(size), np.int64)
    chosen: list[int] = []
    kind: list[int] = []
    for c in range(len(size)):
        colours = colour[bounds[c] : bounds[c + 1]].tobytes()
        key = (colours, ends[edge_bounds[c] : edge_bounds[c + 1]].tobytes())
        pattern[c] = seen.setdefault(key, len(seen))
        if pattern[c] == len(chosen):
            chosen.append(c)
            kind.append(kinds.setdefault((colours, int(num_edges[c])), len(kinds)))
    which = np.array(chosen, np.int64)
    in_chosen = np.zeros(len(size), bool)
    in_chosen[which] = True
    patterns = Patterns(
        size[which],
        num_edges[which],
        np.array(kind, np.int64),
        colour[np.repeat(in_chosen, size)],
        ends[np.repeat(in_chosen, num_edges)],
    )
    return patterns, Occurrences(pattern, item_component, place)


def solve(
    components: Ints, component: Ints, shrunk: Shrunk, patterns: Patterns, occurrences: Occurrences, found: Symmetries
) -> Solved:
    """Bring what was found for patterns back to the nodes of the components."""
    items = shrunk.items
    pattern_start = np.cumsum(patterns.size) - patterns.size
    item_place = found.position[pattern_start[occurrences.pattern[occurrences.component]] + occurrences.place]
    order = np.lexsort((item_place, occurrences.component))
    lengths = items.size[order]
    total = np.cumsum(lengths) - lengths
    component_size = np.bincount(component)
    offset = np.empty(len(order), np.int64)
    offset[order] = total - (np.cumsum(component_size) - component_size)[occurrences.component[order]]
    form = found.form[occurrences.pattern]

    # A form's generators permute places of items; all its components have items of the same sizes at the same places.
    generators: dict[int, list[tuple[Ints, Ints]]] = {}
    first_item = np.cumsum(np.bincount(occurrences.component)) - np.bincount(occurrences.component)
    forms, example = np.unique(form, return_index=True)
    example_of = dict(zip(forms.tolist(), example.tolist(), strict=True))
    for g, f in enumerate(found.generator_form.tolist()):
        start = first_item[example_of[f]]
        moved = slice(found.bounds[g], found.bounds[g + 1])
        source, image = order[start + found.source[moved]], order[start + found.image[moved]]
        sizes = items.size[source]
        step = np.arange(int(sizes.sum())) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        generators.setdefault(f, []).append(
            (np.repeat(offset[source], sizes) + step, np.repeat(offset[image], sizes) + step)
        )
    return Solved(
        components,
        form,
        found.log10_order[form] + shrunk.log10_order,
        offset[items.item] + items.position,
        generators,
    )


def assemble(reduction: Reduction, colour: npt.NDArray[np.int32], solved: Solved) -> tuple[list[Generators], float]:
    """Return the generators that swap components or act inside an irreducible one, and log10 of the group size."""
    num_components = len(reduction.size)
    position = np.zeros(len(colour), np.int64)
    position[reduction.irreducible.nodes] = solved.position
    # Forms: the colour for a single node, then those of irreducible components, then those that are put together here.
    num_colours = int(colour.max(initial=-1)) + 1
    form = np.zeros(num_components, np.int64)
    form[solved.component] = num_colours + solved.form
    log10_order = np.zeros(num_components)
    log10_order[solved.component] = solved.log10_order
    offset = np.zeros(num_components, np.int64)
    forms: dict[bytes, int] = {}
    first_form = num_colours + int(solved.form.max(initial=-1)) + 1
    orders: list[Ints] = []
    for level in reversed(reduction.levels):
        single = reduction.size[level.component] == 1
        form[level.component[single]] = colour[level.nodes[single]]
        children = np.arange(level.first, level.last)
        order = children[np.lexsort((children, form[children], reduction.parent[children]))]
        orders.append(order)
        parents, start = np.unique(reduction.parent[order], return_index=True)
        bounds = [*start.tolist(), len(order)]
        size = reduction.size[order]
        before = np.cumsum(size) - size
        offset[order] = before - np.repeat(before[start], np.diff(bounds))
        position[level.nodes] += offset[level.component]
        sorted_forms = form[order]
        for k, parent in enumerate(parents.tolist()):
            key = sorted_forms[bounds[k] : bounds[k + 1]].tobytes()
            form[parent] = forms.setdefault(key, first_form + len(forms))
        log10_order[parents] = np.add.reduceat(log10_order[order] + _log10_run(form, reduction.parent, order), start)

    ordered = reduction.levels[0].nodes if reduction.levels else np.zeros(0, np.int32)
    ordered = ordered[np.argsort(position[ordered])]
    return [*_from_above(reduction, form, offset, ordered, reversed(orders), solved)], float(log10_order[0])


def _repeats(form: Ints, parent: Ints, order: Ints) -> npt.NDArray[np.bool_]:
    """Tell of sorted components whether the one before is an isomorphic sibling."""
    same = np.zeros(len(order), bool)
    same[1:] = (form[order[1:]] == form[order[:-1]]) & (parent[order[1:]] == parent[order[:-1]])
    return same


def _log10_run(form: Ints, parent: Ints, order: Ints) -> Floats:
    """Return log10(i) for the i-th of a run of isomorphic siblings; a run of k sums to log10(k!), its swaps."""
    place = np.arange(len(order))
    head = np.maximum.accumulate(np.where(_repeats(form, parent, order), 0, place))
    return np.log10(place - head + 1)


def _from_above(
    reduction: Reduction, form: Ints, offset: Ints, ordered: NodeArray, orders: Iterable[Ints], solved: Solved
) -> Iterator[Generators]:
    """Yield generators level by level; a component is entered only if no isomorphic one before it was."""
    entered = np.zeros(len(form), bool)
    entered[0] = True
    start = np.zeros(len(form), np.int64)
    for order in orders:
        parent = reduction.parent[order]
        start[order] = start[parent] + offset[order]
        repeats = _repeats(form, reduction.parent, order)
        entered[order] = entered[parent] & ~repeats
        later = order[entered[parent] & repeats]
        size = reduction.size[later]
        yield neighbour_swaps(ordered, start[later] - size, size)
    for component, f in zip(solved.component.tolist(), solved.form.tolist(), strict=True):
        if entered[component]:
            for source, image in solved.generators.get(f, []):
                moved = ordered[start[component] + source]
                yield Generators(moved, ordered[start[component] + image], np.array([0, len(moved)]))
