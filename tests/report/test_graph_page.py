"""The report of one graph as a page: whole for every graph, safe for every name, fine in a browser."""

import re
import shutil
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from edgeorbit.errors import InvalidParameterError
from edgeorbit.graph.families import cycle
from edgeorbit.graph.graph import Graph
from edgeorbit.graph.toys import karate
from edgeorbit.report.graph_page import graph_page

EVIL = '<script>alert("x")</script>&amp;<img src=x onerror=alert(1)>'
VOID = {"meta", "link", "br", "img", "hr", "input"}


class Reader(HTMLParser):
    """Reads a page: its text, its tags, and whether every tag is closed."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.text, self.tags, self.ids = "", set[str](), list[str]()
        self.sources: list[str] = []
        self._open: list[str] = []
        self.feed(page)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        for name, value in attrs:
            assert not name.startswith("on"), f"{tag} has a handler {name}"
            if name == "id":
                self.ids.append(value or "")
            if name in {"src", "href", "xlink:href"}:
                self.sources.append(value or "")
        if tag not in VOID:
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self._open.pop()

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "style" not in self._open:
            self.text += data


def random_graph(num_nodes: int, num_edges: int, **attributes: Any) -> Graph:
    ends = np.random.default_rng(0).integers(0, num_nodes, (num_edges, 2))
    return Graph.from_edges(ends, num_nodes, **attributes)


@pytest.fixture(scope="module")
def page() -> str:
    return graph_page(karate())


@pytest.mark.parametrize(
    ("graph", "says"),
    [
        (Graph.empty(0), "There are no nodes"),
        (Graph.empty(1), "There are no links"),
        (Graph.from_edges([[0, 1]]), "1 link: too few to train"),
        (Graph.from_edges([[0, 1]], 100_000), "99,998"),
        (Graph.from_edges([[i, j] for i in range(12) for j in range(i)]), "Every link has a look-alike"),
        (karate(), "34 nodes, 78 links"),
        (random_graph(40, 30), "Which model to try"),
    ],
)
def test_every_graph_has_a_page(graph: Graph, says: str) -> None:
    read = Reader(graph_page(graph))
    assert says in " ".join(read.text.split())
    assert len(read.ids) == len(set(read.ids))


@pytest.mark.parametrize("rounds", [0, 1])
def test_a_page_can_be_about_fewer_rounds(rounds: int) -> None:
    text = Reader(graph_page(karate(), rounds=rounds)).text
    assert f"EAR@{rounds}" in text and f"The hardest links for {rounds} layer" in text


def test_a_graph_without_symmetry_has_no_hard_links() -> None:
    # Stable colours of this tree are all different, and many rounds are as good as stable ones.
    spider = Graph.from_edges([[0, 1], [0, 2], [2, 3], [0, 4], [4, 5], [5, 6]])
    text = Reader(graph_page(spider, rounds=10)).text
    assert "No two of the 6 links look alike" in text
    assert "No link shares its two roles with a non-link." in text


def test_the_page_needs_nothing_but_itself(page: str) -> None:
    read = Reader(page)
    assert "script" not in read.tags
    assert all(source.startswith(("#", "data:")) for source in read.sources)
    assert "@import" not in page and "url(http" not in page


def test_names_from_data_are_text_and_nothing_else() -> None:
    names = np.array([f"{EVIL}{node}" for node in range(60)])
    page = graph_page(cycle(60).with_attributes(node_names=names, name=EVIL), source=EVIL)
    read = Reader(page)
    assert "script" not in read.tags and "img" not in read.tags
    assert "<script>alert" in read.text


def test_names_that_are_long_or_odd_are_shortened() -> None:
    names = np.array(["x" * 5000, "\x00\u202e\n", *(str(node) for node in range(58))], dtype=object)
    page = graph_page(cycle(60).with_attributes(node_names=names))
    assert "x" * 100 not in page
    assert "\x00" not in page


def test_what_was_merged_or_dropped_is_said() -> None:
    text = Reader(graph_page(Graph.from_edges([[0, 1], [1, 0], [1, 2], [2, 2]]))).text
    assert "1 input edge repeated another one" in text and "1 self-loop dropped" in text


def test_the_same_graph_gives_the_same_page_with_any_number_of_threads() -> None:
    graph = random_graph(300, 600, x=np.random.default_rng(1).random((300, 3)))
    assert graph_page(graph, threads=1) == graph_page(graph, threads=2)


def test_pictures_take_their_inks_from_the_page(page: str) -> None:
    drawn = "".join(re.findall(r"<svg.*?</svg>", page, flags=re.DOTALL))
    assert page.count("<svg") == 3
    for fixed in ("#2b2f36", "#6b7280", "#e7e9ec", "#ffffff"):
        assert fixed not in drawn
    used, known = set(re.findall(r"var\((--[a-z-]+)\)", page)), set(re.findall(r"(--[a-z-]+):", page))
    assert used <= known


def test_stages_are_told_before_they_begin() -> None:
    told: list[str] = []
    graph_page(karate(), progress=told.append)
    assert told[0] == "colouring" and told[-1] == "drawing" and len(told) == len(set(told)) > 4


def test_a_negative_number_of_rounds_is_refused() -> None:
    with pytest.raises(InvalidParameterError, match="rounds"):
        graph_page(karate(), rounds=-1)


def test_a_graph_of_many_links_is_sampled_and_says_so() -> None:
    text = Reader(graph_page(random_graph(100_000, 300_000))).text
    assert "Drawn: 400 of 100,000 nodes" in text
    assert "Each of up to 2,000 hidden links" in text


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    webdriver = pytest.importorskip("selenium.webdriver", reason="needs selenium")
    driver = shutil.which("chromedriver")
    program = shutil.which("chromium") or shutil.which("google-chrome")
    if driver is None or program is None:
        pytest.skip("needs Chromium and chromedriver")
    options = webdriver.ChromeOptions()
    options.binary_location = program
    for argument in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    opened = webdriver.Chrome(options=options, service=webdriver.ChromeService(executable_path=driver))
    yield opened
    opened.quit()


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A page full of words that do not fit a line."""
    names = np.array(["a-name-without-any-space-" * 8 + str(node) for node in range(200)])
    graph = random_graph(200, 150, node_names=names, name="n" * 300)
    written = tmp_path_factory.mktemp("page") / "report.html"
    written.write_text(graph_page(graph, source="/a/rather/long/path/" * 6 + "links.csv"), encoding="utf-8")
    return written


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1200])
def test_a_browser_shows_the_page_without_scrolling_sideways(browser: Any, path: Path, width: int, scheme: str) -> None:
    features = [{"name": "prefers-color-scheme", "value": scheme}]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
    size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    browser.get(path.as_uri())
    assert browser.execute_script("return document.documentElement.scrollWidth") <= width
    assert browser.get_log("browser") == []
    heights = browser.execute_script("return [...document.querySelectorAll('svg')].map(s => s.clientHeight)")
    assert len(heights) == 3 and min(heights) > 100
    ink, ground = browser.execute_script(
        "const s = getComputedStyle(document.body); return [s.color, s.backgroundColor]"
    )
    assert (_brightness(ink) > _brightness(ground)) == (scheme == "dark")
    text = browser.execute_script("return getComputedStyle(document.querySelector('svg text')).fill")
    assert abs(_brightness(text) - _brightness(ground)) > 120
    browser.execute_script("document.querySelectorAll('details').forEach(d => d.open = true)")
    assert browser.execute_script("return document.documentElement.scrollWidth") <= width


def _brightness(colour: str) -> float:
    return float(np.mean([int(part) for part in re.findall(r"\d+", colour)[:3]]))
