"""Draw the picture of the README: three built-in graphs, nodes coloured by orbit, look-alike links in orange.

Run from the repository: python docs/draw_readme_picture.py
"""

from pathlib import Path

import matplotlib.pyplot as plt
import networkx as nx
import numpy as np

from edgeorbit.data import load_graph
from edgeorbit.graph.convert import to_networkx
from edgeorbit.measures.ear import ear
from edgeorbit.orbits.edge_orbits import edge_orbits
from edgeorbit.orbits.refine import refine

ALIKE, UNIQUE = "#d55e00", "#9aa5b1"  # told apart also by people who do not see red and green
TITLES = {
    "karate": "a friendship network",
    "lobster": "a tree with repeated legs",
    "prism": "every link looks the same",
}


def draw(axes: plt.Axes, name: str) -> None:
    """Draw one graph."""
    graph = load_graph(name)
    colouring = refine(graph)
    alike = edge_orbits(graph, colouring).indistinguishable
    other = to_networkx(graph)
    if name == "prism":
        angle = np.tile(np.arange(3), 2) * 2 * np.pi / 3 + np.pi / 2
        radius = np.repeat([1.0, 0.4], 3)
        place = dict(enumerate(np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1)))
    else:
        place = nx.kamada_kawai_layout(other)
    for mask, colour, width in ((~alike, UNIQUE, 1.0), (alike, ALIKE, 2.2)):
        nx.draw_networkx_edges(
            other, place, edgelist=graph.edges[mask].tolist(), edge_color=colour, width=width, ax=axes
        )
    shared = colouring.sizes[colouring.labels] > 1
    palette = plt.get_cmap("tab10")
    number = {c: i for i, c in enumerate(np.unique(colouring.labels[shared]).tolist())}
    fill = [palette(number[c] % 10) if s else "white" for c, s in zip(colouring.labels.tolist(), shared, strict=True)]
    nx.draw_networkx_nodes(other, place, node_color=fill, node_size=110, edgecolors="#333333", linewidths=0.8, ax=axes)
    axes.set_title(f"{name}: {TITLES[name]}\nEAR = {ear(graph):.2f}", fontsize=11)
    axes.set_axis_off()


def main() -> None:
    """Draw all three beside each other."""
    figure, panels = plt.subplots(1, 3, figsize=(12, 4.2))
    for axes, name in zip(panels, TITLES, strict=True):
        draw(axes, name)
    figure.legend(
        handles=[
            plt.Line2D(
                [], [], color=ALIKE, lw=2.2, label="has a look-alike: no message-passing GNN can tell them apart"
            ),
            plt.Line2D([], [], color=UNIQUE, lw=1.0, label="can be told apart"),
            plt.Line2D([], [], marker="o", ls="", mfc="white", mec="#333333", label="node with a role of its own"),
        ],
        loc="lower center",
        ncols=3,
        frameon=False,
    )
    figure.tight_layout(rect=(0, 0.07, 1, 1))
    figure.savefig(Path(__file__).parent / "images" / "orbits.png", dpi=110)


if __name__ == "__main__":
    main()
