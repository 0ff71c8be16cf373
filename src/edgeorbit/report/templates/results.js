// The page's own script: draws charts when they come into view, filters, sorts, and lets models stand out.
"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  const rows = (columns) => {
    const names = Object.keys(columns);
    return columns[names[0]].map((_, place) => Object.fromEntries(names.map((name) => [name, columns[name][place]])));
  };
  for (const { datasets } of data.specs) {
    for (const [name, columns] of Object.entries(datasets)) datasets[name] = rows(columns);
  }
  const drawn = new Map(); // figure -> view of Vega, or the promise of one

  // What a chart shows: the filter's choice of metric and features if the chart has it, else the first that it has (its
  // title says which); of graphs the one that is chosen, and nothing if it has not that one.
  function resolve(spec, wanted) {
    const has = new Set(spec.params.map((param) => param.name));
    let left = spec.datasets.records;
    const chosen = {};
    for (const name of ["graph", "features", "metric"]) {
      if (!has.has(name) || !left.length) continue;
      const there = left.some((record) => record[name] === wanted[name]);
      const value = wanted[name] && (there || name === "graph") ? wanted[name] : left[0][name];
      left = left.filter((record) => record[name] === value);
      chosen[name] = value;
    }
    return left.length ? chosen : null;
  }

  function wantedBy(section) {
    const wanted = {};
    for (const box of section.querySelectorAll("[data-filter]")) wanted[box.dataset.filter] = box.value;
    return wanted;
  }

  function pickedIn(section) {
    return [...section.querySelectorAll('.legend button[aria-pressed="true"]')].map((button) => button.dataset.model);
  }

  async function draw(figure) {
    const section = figure.closest("section");
    const spec = data.specs[figure.dataset.chart];
    const options = {
      config: dark.matches ? data.night : data.day,
      renderer: "svg",
      logLevel: 1, // errors alone: a metric without bounds is no reason for a warning
      actions: { export: true, source: false, compiled: false, editor: false },
      tooltip: { theme: dark.matches ? "dark" : "light" },
    };
    const old = drawn.get(figure);
    if (old) (await old).finalize();
    const promise = vegaEmbed(figure.querySelector(".drawing"), spec, options);
    drawn.set(figure, promise);
    await promise;
    figure.dataset.drawn = dark.matches ? "night" : "day";
    await update(figure, wantedBy(section), pickedIn(section));
  }

  async function update(figure, wanted, picked) {
    const chosen = resolve(data.specs[figure.dataset.chart], wanted);
    figure.querySelector(".nothing").hidden = Boolean(chosen);
    figure.querySelector(".drawing").hidden = !chosen;
    if (!chosen || !drawn.has(figure)) return;
    const { view } = await drawn.get(figure);
    for (const [name, value] of Object.entries(chosen)) view.signal(name, value);
    await view.signal("picked", picked).resize().runAsync();
  }

  // The legend has the models and bounds that are drawn with this choice, and no others.
  function showLegend(section, wanted) {
    const models = new Set();
    const bounds = new Set();
    for (const figure of section.querySelectorAll(".chart:not([hidden])")) {
      const spec = data.specs[figure.dataset.chart];
      const chosen = resolve(spec, wanted);
      if (!chosen) continue;
      const shown = (record) => Object.entries(chosen).every(([name, value]) => record[name] === value);
      for (const record of spec.datasets.records.filter(shown)) models.add(record.model);
      for (const record of (spec.datasets.bounds || []).filter(shown)) bounds.add(record.bound);
    }
    for (const button of section.querySelectorAll(".legend button")) button.hidden = !models.has(button.dataset.model);
    for (const bound of section.querySelectorAll(".legend [data-bound]")) bound.hidden = !bounds.has(bound.dataset.bound);
  }

  function filter(section) {
    const wanted = wantedBy(section);
    const part = (wanted.model || "").trim().toLowerCase();
    const fits = (element, names) => names.every((name) => !wanted[name] || element.dataset[name] === wanted[name]);
    let tables = 0;
    let rows = 0;
    for (const table of section.querySelectorAll(".table[data-metric]")) {
      table.hidden = !fits(table, ["metric", "negatives", "features"]);
      for (const cell of table.querySelectorAll("[data-graph]")) cell.hidden = !fits(cell, ["graph"]);
      if (!table.hidden && wanted.graph) table.hidden = !table.querySelector("thead [data-graph]:not([hidden])");
      for (const row of table.querySelectorAll("tbody tr")) {
        const empty = ![...row.querySelectorAll("td:not([hidden])")].some((cell) => cell.textContent);
        row.hidden = !row.dataset.model.toLowerCase().includes(part) || empty;
        rows += !table.hidden && !row.hidden;
      }
      tables += !table.hidden;
    }
    for (const one of section.querySelectorAll(".facts tr[data-graph], .times [data-graph]")) one.hidden = !fits(one, ["graph"]);
    for (const row of section.querySelectorAll(".times tbody tr")) row.hidden = !row.dataset.model.toLowerCase().includes(part);
    for (const figure of section.querySelectorAll(".chart")) {
      figure.hidden = !fits(figure, figure.dataset.graph ? ["negatives", "graph"] : ["negatives"]);
      update(figure, wanted, pickedIn(section));
    }
    showLegend(section, wanted);
    const nothing = section.querySelector(":scope > .nothing");
    if (nothing) nothing.hidden = tables > 0;
    const plural = (number, noun) => `${number} ${noun}${number === 1 ? "" : "s"}`;
    section.querySelector("output").textContent = `${plural(tables, "table")}, ${plural(rows, "row")}`;
    window.dispatchEvent(new Event("resize")); // charts that were hidden had no width
  }

  function sort(heading) {
    const table = heading.closest("table");
    const place = [...heading.parentElement.children].indexOf(heading);
    const words = place === 0;
    // Numbers begin with the highest, names and ranks with the first.
    const rank = heading.textContent.startsWith("rank");
    const before = heading.getAttribute("aria-sort");
    const first = words || rank ? "ascending" : "descending";
    const second = first === "ascending" ? "descending" : "ascending";
    const now = before === first ? second : first;
    for (const other of heading.parentElement.children) other.setAttribute("aria-sort", "none");
    heading.setAttribute("aria-sort", now);
    const sign = now === "ascending" ? 1 : -1;
    const key = (row) => (words ? row.children[0].textContent : Number.parseFloat(row.children[place].dataset.value));
    const body = table.tBodies[0];
    const rows = [...body.rows].map((row) => [key(row), row]);
    rows.sort(([one], [other]) => {
      if (words) return sign * one.localeCompare(other);
      if (Number.isNaN(one) || Number.isNaN(other)) return Number.isNaN(one) - Number.isNaN(other); // empty: last
      return sign * (one - other);
    });
    body.append(...rows.map(([, row]) => row));
  }

  for (const button of document.querySelectorAll("th button")) {
    button.addEventListener("click", () => sort(button.parentElement));
  }
  for (const section of document.querySelectorAll(".experiment")) {
    const form = section.querySelector(".filters");
    form.addEventListener("submit", (event) => event.preventDefault());
    // Lists that are set by other means than a hand may tell of the change alone.
    for (const event of ["input", "change"]) form.addEventListener(event, () => filter(section));
    for (const button of section.querySelectorAll(".legend button")) {
      button.addEventListener("click", () => {
        button.setAttribute("aria-pressed", button.getAttribute("aria-pressed") === "true" ? "false" : "true");
        for (const figure of drawn.keys()) {
          if (section.contains(figure)) update(figure, wantedBy(section), pickedIn(section));
        }
      });
    }
    filter(section);
  }

  const charts = [...document.querySelectorAll(".chart")];
  const watcher = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) {
        if (!isIntersecting) continue;
        watcher.unobserve(target);
        draw(target);
      }
    },
    { rootMargin: "800px" },
  );
  for (const figure of charts) watcher.observe(figure);
  dark.addEventListener("change", () => [...drawn.keys()].forEach(draw));
  window.addEventListener("beforeprint", () => charts.filter((figure) => !drawn.has(figure)).forEach(draw));
})();
