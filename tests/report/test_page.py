"""Whole pages and the files they are written to."""

import itertools
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from matplotlib.text import Text

from edgeorbit import Graph
from edgeorbit.errors import EdgeorbitError, InvalidParameterError
from edgeorbit.graph.families import cycle
from edgeorbit.graph.toys import karate, lobster, prism, two_copies
from edgeorbit.report import draw_page, save_figure
from oracles import tree_edges

LONG = "a very long name of a graph that nobody would want to read in a title, ever"


def written_texts(figure) -> list[Text]:
    """Texts that are written on the page, apart from the numbers at the axes."""
    ticks = {
        label
        for axes in figure.axes
        for axis in (axes.xaxis, axes.yaxis)
        for label in axis.get_ticklabels(which="both")
    }
    return [
        text for text in figure.findobj(Text) if text.get_visible() and text.get_text().strip() and text not in ticks
    ]


@pytest.mark.parametrize(
    "graphs",
    [
        two_copies(),
        Graph.from_edges(tree_edges(2000, seed=1), name=LONG),
        Graph.empty(3),
        [karate(), lobster(), prism()],
        [Graph.from_edges(tree_edges(700, seed=1), name=LONG)] * 4,
    ],
)
def test_no_text_is_cut_off_or_lies_over_another(graphs) -> None:
    figure = draw_page(graphs, max_nodes=200).figure
    figure.draw_without_rendering()
    page = figure.bbox
    boxes = [(text.get_text(), text.get_window_extent()) for text in written_texts(figure)]
    for text, box in boxes:
        assert box.x0 >= page.x0 and box.x1 <= page.x1 and box.y0 >= page.y0 and box.y1 <= page.y1, text
    for (text, box), (other, other_box) in itertools.combinations(boxes, 2):
        assert not box.shrunk(0.9, 0.6).overlaps(other_box.shrunk(0.9, 0.6)), (text, other)


def test_networks_fill_their_panels_and_no_dot_lies_outside() -> None:
    figure = draw_page([karate(), lobster()]).figure
    figure.draw_without_rendering()
    for axes in figure.axes:
        places = axes.transData.transform(axes.collections[-1].get_offsets())
        low, high = places.min(axis=0), places.max(axis=0)
        box = axes.get_window_extent()
        assert low[0] >= box.x0 and low[1] >= box.y0 and high[0] <= box.x1 and high[1] <= box.y1
        assert ((high - low) / [box.width, box.height]).max() > 0.8


@pytest.mark.parametrize("suffix", ["png", "SVG", "pdf"])
def test_the_same_page_gives_the_same_bytes(suffix, tmp_path) -> None:
    for name in ("first", "second"):
        save_figure(draw_page(karate(), "network").figure, tmp_path / f"{name}.{suffix}", dpi=40)
    first, second = ((tmp_path / f"{name}.{suffix}").read_bytes() for name in ("first", "second"))
    assert first == second
    assert first[:5] == {"png": b"\x89PNG\r", "svg": b"<?xml", "pdf": b"%PDF-"}[suffix.lower()]
    assert b"Date" not in first


def test_pages_can_be_drawn_in_several_threads(tmp_path) -> None:
    def draw(number: int) -> bytes:
        save_figure(draw_page(lobster(), "sizes").figure, tmp_path / f"{number}.svg")
        return (tmp_path / f"{number}.svg").read_bytes()

    with ThreadPoolExecutor(4) as pool:
        assert len(set(pool.map(draw, range(4)))) == 1


@pytest.mark.parametrize("panel", ["all", "network"])
def test_another_seed_gives_another_picture(panel) -> None:
    first, second = (draw_page(karate(), panel, seed=seed).drawings[0].positions for seed in (0, 1))
    assert not np.allclose(first, second)


@pytest.mark.parametrize(
    ("panel", "num_graphs", "num_axes", "num_drawings"),
    [
        *((None, 1, 3, 1), ("all", 1, 3, 1), ("network", 1, 1, 1), ("rounds", 1, 1, 0), ("sizes", 1, 1, 0)),
        *((None, 2, 2, 2), ("network", 4, 4, 4), ("rounds", 2, 2, 0), ("sizes", 5, 6, 0)),
    ],
)
def test_pages_have_the_panels_that_were_asked_for(panel, num_graphs, num_axes, num_drawings) -> None:
    page = draw_page([cycle(5 + number) for number in range(num_graphs)], panel)
    assert len(page.figure.axes) == num_axes and len(page.drawings) == num_drawings


@pytest.mark.parametrize(
    ("graphs", "panel", "sentence"),
    [
        ([karate(), prism()], "all", "panel all shows one graph, not 2"),
        ([karate()], "nodes", "choose from all, network, rounds, sizes"),
        ([], None, "at least one"),
    ],
)
def test_pages_that_cannot_be_drawn_get_one_sentence(graphs, panel, sentence) -> None:
    with pytest.raises(InvalidParameterError, match=sentence):
        draw_page(graphs, panel)


@pytest.mark.parametrize(
    ("name", "sentence"), [("a.gif", "one of .png, .svg, .pdf"), ("no/such/a.png", "create the directory first")]
)
def test_files_that_cannot_be_written_get_one_sentence(name, sentence, tmp_path) -> None:
    with pytest.raises(EdgeorbitError, match=sentence):
        save_figure(draw_page(prism(), "network").figure, tmp_path / name)
    assert not [file for file in tmp_path.iterdir() if file.is_file()]


def test_matplotlib_is_imported_with_the_first_picture_and_pyplot_never(tmp_path) -> None:
    program = (
        "import sys; from edgeorbit.graph.toys import prism; from edgeorbit.report import draw_page, save_figure\n"
        "assert not {'matplotlib', 'networkx', 'scipy.spatial'} & set(sys.modules)\n"
        f"save_figure(draw_page(prism(), 'sizes').figure, {str(tmp_path / 'a.svg')!r})\n"
        "assert 'matplotlib' in sys.modules and 'matplotlib.pyplot' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
