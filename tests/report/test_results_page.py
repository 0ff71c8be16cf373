"""The page of results in a real browser: it draws, filters, sorts, fits a phone and the night, and loads nothing."""

import csv
import io
import re
import shutil
import time
from dataclasses import replace
from html import unescape

import pytest

from edgeorbit.experiments.schema import TunedEntry
from edgeorbit.experiments.tables import make_tables, read_results, to_csv
from edgeorbit.experiments.tables.special import SEARCHED, times_table
from edgeorbit.report.results import in_reading_order, results_page
from edgeorbit.report.results.section import headline
from made_results import HOSTILE, write_results

CHROMIUM, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    return read_results(write_results(tmp_path_factory.mktemp("made"), seeds=2, ears=(0.5, 1.0)))


@pytest.fixture(scope="module")
def page(results) -> str:
    return results_page([results], gallery=True)


def test_the_page_is_small_and_names_no_address_that_it_could_load(page) -> None:
    assert len(page.encode()) < 3_000_000
    own = re.sub(r"<script>.*?</script>", "", page, flags=re.S)
    assert "$schema" in own and not re.search(r'(src|href)="(?!data:|#)', own)
    assert "default-src 'none'" in own and own.count("<script") == 1


def test_text_from_data_is_text(page) -> None:
    assert "<b>Remarks:</b> gin saw &lt;i&gt;few&lt;/i&gt; links</p>" in page
    assert HOSTILE not in page and "&lt;script&gt;alert(&#34;1&#34;)" in page
    assert "<b>bold</b>" not in page.replace("in <b>bold</b> (all that have it)", "") and "<i>another</i>" not in page
    assert page.count("<script") == 3


def test_every_table_and_every_number_of_it_is_on_the_page(page, results) -> None:
    tables = make_tables(results)
    assert page.count('<div class="table" ') == len(tables) == 12
    for table in tables:
        for cell in table.cells.values():
            assert f'data-value="{cell.mean!r}"' in page


def test_an_experiment_about_time_has_a_table_of_seconds(page, results) -> None:
    assert "Seconds of training" not in page
    timed = replace(results, kind="time")
    text = results_page([timed], gallery=False)
    head, lines = times_table(timed)
    assert "Seconds of training" in text and "/ gcn" in head
    own = text.partition("Seconds of training")[2].partition("</table>")[0]
    for line in lines:
        assert all(f">{value}</td>" in own for value in line[1:])
    found = [line for line in csv.DictReader(io.StringIO(to_csv([timed]))) if line["metric"] == "median seconds"]
    assert len(found) == sum(bool(value) for line in lines for value in line[1::2])
    assert f"{float(found[0]['mean']):.1f}" in own


def test_the_page_tells_how_settings_were_chosen(results) -> None:
    entry = TunedEntry(data="Cora", features="original", model="gcn", trials=6, epochs=9, metric="auc")
    searched = {row["key"]: entry for row in results.rows if row["base"] == "gcn"}
    text = results_page([replace(results, tuned=searched)], gallery=False)
    own = text.partition("<summary>How settings were chosen</summary>")[2].partition("</details>")[0]
    assert SEARCHED in unescape(own) and "<td>6</td><td>9</td><td>auc</td>" in own
    assert "How settings were chosen" not in results_page([replace(results, tuned=None)], gallery=False)


def test_tables_come_before_curves_and_those_of_many_graphs_first(results) -> None:
    one = [row for row in results.rows if row["data"] == "Citeseer"]
    given = [replace(results, kind=kind) for kind in ("ablation", "curve", "time", "statistics")]
    small = replace(results, rows=one)
    ordered = in_reading_order([*given, small, results])
    assert [one.kind for one in ordered] == ["table", "table", "statistics", "curve", "ablation", "time"]
    assert ordered[0] is results and ordered[1] is small


def test_variants_are_counted_apart_and_graphs_only_where_their_names_are_one(results) -> None:
    assert headline([results]).startswith("7 models and 2 variants · 4 graphs · 2 seeds · ")
    both = headline([results, results])
    assert both.startswith("2 experiments · 7 models and 2 variants · ") and "graph" not in both


class Browser:
    """A headless Chromium without a network, and how a user handles the page."""

    def __init__(self, address: str) -> None:
        webdriver = pytest.importorskip("selenium.webdriver")
        if CHROMIUM is None or DRIVER is None:
            pytest.skip("no chromium and chromedriver on this machine")
        options = webdriver.ChromeOptions()
        options.binary_location = CHROMIUM
        for argument in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--window-size=1200,900"):
            options.add_argument(argument)
        options.add_argument("--host-resolver-rules=MAP * 0.0.0.0")
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        self.driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(DRIVER))
        self.driver.get(address)

    def run(self, script: str, *arguments: object) -> object:
        return self.driver.execute_script(f"return {script}", *arguments)

    def wait(self, script: str, *arguments: object) -> None:
        """Wait until a script says something true."""
        until = time.monotonic() + 60
        while not self.run(script, *arguments):
            assert time.monotonic() < until, f"still not so: {script}"
            time.sleep(0.05)

    def choose(self, name: str, value: str) -> None:
        from selenium.webdriver.support.ui import Select

        Select(self.driver.find_element("css selector", f"[data-filter={name}]")).select_by_value(value)

    def shown(self, selector: str) -> int:
        return self.run("[...document.querySelectorAll(arguments[0])].filter((e) => e.offsetParent).length", selector)


@pytest.fixture(scope="module")
def opened(page, tmp_path_factory):
    file = tmp_path_factory.mktemp("page") / "report.html"
    file.write_text(page, encoding="utf-8")
    browser = Browser(file.as_uri())
    yield browser
    browser.driver.quit()


@pytest.fixture
def browser(opened: Browser) -> Browser:
    """The browser with the filters as they are at the beginning."""
    opened.run("document.querySelector('.filters').reset()")
    opened.run("document.querySelector('.filters').dispatchEvent(new Event('input'))")
    return opened


def test_what_is_drawn_has_a_legend_and_no_graph_is_hidden_where_features_do_not_repeat(results, tmp_path) -> None:
    fewer = [row for row in results.rows if (row["model"], row["features"]) != ("gin", "original")]
    apart = [row for row in fewer if (row["data"], row["features"]) != ("Citeseer", "constant")]
    apart = [row for row in apart if "Cora |" not in row["data"] and not row["data"].endswith("1.0")]
    file = tmp_path / "two.html"
    timed = replace(results, kind="time", rows=apart)
    real = [row for row in fewer if "syn" not in row["data"]]
    file.write_text(results_page([replace(results, rows=real), timed], gallery=False), encoding="utf-8")
    browser = Browser(file.as_uri())
    try:
        gin = '#e1 .legend button[data-model="gin"]'
        assert browser.shown(gin) == 0 and browser.shown("#e1 .legend button") == 8
        browser.choose("features", "constant")
        assert browser.shown(gin) == 1
        assert browser.run("document.querySelector('#features2').value") == ""
        assert browser.shown("#e2 .chart") == 4  # two graphs, two kinds of negatives
        assert browser.shown("#e2 .table[data-metric]") == 4 and browser.shown("#e2 .times thead th") == 5
    finally:
        browser.driver.quit()


def draw_all(browser: Browser) -> None:
    for number in range(browser.run("document.querySelectorAll('.chart').length")):
        chart = f"document.querySelectorAll('.chart')[{number}]"
        browser.run(f"{chart}.scrollIntoView({{behavior: 'instant', block: 'center'}})")
        browser.wait(f"{chart}.dataset.drawn !== undefined")


def test_all_charts_are_drawn_with_descriptions_and_without_a_word_on_the_console(browser) -> None:
    draw_all(browser)
    assert browser.run("document.querySelectorAll('.chart svg.marks').length") == 6
    assert browser.run("[...document.querySelectorAll('.chart svg.marks')].every((e) => e.clientWidth > 200)")
    assert browser.run("[...document.querySelectorAll('.chart')].every((e) => e.ariaLabel)")
    assert browser.driver.get_log("browser") == []
    assert (
        browser.run("performance.getEntriesByType('resource').filter((e) => !e.name.startsWith('data:')).length") == 0
    )


def test_the_legend_names_the_bounds_that_are_drawn(browser) -> None:
    bounds = ".legend [data-bound]"
    names = "[...document.querySelectorAll('.legend [data-bound]')].map((e) => e.textContent.trim())"
    assert browser.run(names) == ["bound: walks", "bound: components"] and browser.shown(bounds) == 2
    draw_all(browser)
    dashes = "[...document.querySelectorAll('.chart:not([hidden]) svg.marks [stroke-dasharray]')].map((e) => e.getAttribute('stroke-dasharray'))"
    own = "[...document.querySelectorAll('.legend [data-bound] path')].map((e) => e.getAttribute('stroke-dasharray'))"
    drawn = {dash.replace(",", " ") for dash in browser.run(dashes)}
    assert set(browser.run(own)) <= drawn and len(set(browser.run(own))) == 2
    browser.choose("metric", "mrr")
    assert browser.shown(bounds) == 0


def test_filters_change_tables_rows_columns_and_charts(browser) -> None:
    browser.run("window.scrollTo({top: 0, behavior: 'instant'})")
    assert browser.shown(".table:not(.facts)") == 2  # AUC and original features, both kinds of negatives
    browser.choose("negatives", "orbit")
    assert browser.shown(".table:not(.facts)") == 1 and browser.shown(".chart") == 3
    rows = browser.shown(".table:not(.facts) tbody tr")
    box = browser.driver.find_element("css selector", "[data-filter=model]")
    box.send_keys("EO-")
    assert 0 < browser.shown(".table:not(.facts) tbody tr") == 2 < rows
    box.clear()
    box.send_keys(" ")
    browser.choose("graph", "Citeseer")
    assert browser.shown(".table:not(.facts) thead th") == 3 and browser.shown(".facts tbody tr") == 1
    browser.choose("metric", "")
    assert browser.shown(".table:not(.facts)") == 3
    browser.choose("metric", "mrr")
    title = "[...document.querySelectorAll('.chart')].filter((e) => e.offsetParent).at(-1).textContent"
    browser.wait(f"{title}.includes('MRR, orbit negatives') && {title}.includes('Citeseer')")
    browser.choose("graph", "syn-cora, EAR 1.0")
    assert browser.shown(".experiment > .nothing") == 1  # which has no original features


def test_rows_are_whole_pixels_high(browser) -> None:
    heights = "[...document.querySelectorAll('.table:not([hidden]) tr')].map((e) => e.getBoundingClientRect().height)"
    found = [height for height in browser.run(heights) if height]
    assert found and all(height == round(height) for height in found)  # else rules of the first column are 1 px off


def test_a_click_on_a_head_sorts_and_another_one_turns_the_order(browser) -> None:
    column = "[...document.querySelectorAll('.table:not([hidden]) tbody tr')].slice(0, 9).map((r) => r.cells[1].dataset.value)"
    button = browser.driver.find_elements("css selector", ".table:not([hidden]) thead th button")[1]
    for order, sign in (("descending", -1), ("ascending", 1)):
        browser.driver.execute_script("arguments[0].focus()", button)
        button.send_keys("\n")  # by keyboard, as a reader of screens would
        found = [float(value) for value in browser.run(column)]
        assert found == sorted(found, key=lambda value: sign * value) and len(set(found)) == 9
        assert browser.run("arguments[0].parentElement.ariaSort", button) == order
    names = browser.driver.find_element("css selector", ".table:not([hidden]) thead th button")
    browser.run("arguments[0].click()", names)
    first = browser.run(
        "[...document.querySelector('.table:not([hidden]) tbody').rows].map((r) => r.cells[0].textContent)"
    )
    assert first == browser.run("arguments[0].toSorted((a, b) => a.localeCompare(b))", first)


def test_a_click_in_the_legend_lets_a_model_stand_out(browser) -> None:
    points = "document.querySelector('.chart').querySelectorAll('.mark-symbol path').length"
    draw_all(browser)
    before = browser.run(points)
    button = browser.driver.find_element("css selector", '.legend button[data-model="cn"]')
    browser.run("arguments[0].click()", button)
    browser.wait(f"{points} === {before} + 2")  # one at each of two graphs
    assert button.get_attribute("aria-pressed") == "true"
    browser.run("arguments[0].click()", button)
    browser.wait(f"{points} === {before}")


def test_the_page_fits_a_phone(browser) -> None:
    metrics = {"width": 390, "height": 800, "deviceScaleFactor": 1, "mobile": True}
    browser.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    browser.wait("innerWidth === 390")
    browser.wait("document.documentElement.scrollWidth <= 390")
    browser.wait("[...document.querySelectorAll('.chart svg.marks')].every((e) => e.clientWidth <= 390)")
    shrunk = "[...document.querySelectorAll('.picture img')].map((e) => e.clientWidth / e.naturalWidth)"
    assert min(browser.run(shrunk)) > 0.7  # else their text is too small to read
    browser.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_the_night_changes_the_ground_and_the_charts(browser) -> None:
    ground = "getComputedStyle(document.body).backgroundColor"
    text = "document.querySelector('.chart svg.marks text').getAttribute('fill')"
    draw_all(browser)
    found = {}
    for scheme, drawn in (("light", "day"), ("dark", "night")):
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        browser.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
        browser.wait(f"[...document.querySelectorAll('.chart')].every((e) => e.dataset.drawn === '{drawn}')")
        found[scheme] = browser.run(ground), browser.run(text)
        card = browser.run("getComputedStyle(document.querySelector('.picture')).backgroundColor")
        assert card == browser.run("getComputedStyle(document.querySelector('.chart')).backgroundColor")
    assert found["light"][0] == "rgb(251, 251, 250)" and found["dark"][0] == "rgb(20, 23, 27)"
    assert found["light"][1] != found["dark"][1]


def test_nothing_was_complained_about_nor_asked_of_the_network_in_the_end(browser) -> None:
    assert browser.driver.get_log("browser") == []
    assert (
        browser.run("performance.getEntriesByType('resource').filter((e) => !e.name.startsWith('data:')).length") == 0
    )
