/**
 * Plots of the tables beside them, from the numbers in those tables. The tables remain for readers who
 * cannot see a plot, and where scripts do not run.
 */

import { make } from "./console.js";
import { onFresh } from "./fresh.js";

// Served beside this file, but of a package: in a checkout there is none of that name here.
const { default: uPlot } = await import(import.meta.resolve("./uplot.js"));

const language = document.documentElement.lang;
const HEIGHT = 208;
const DAY_SECONDS = 86_400;
/** Steps up to which each point of a line is marked; of more, those that stand alone. */
const MARKED_MAX = 40;
/** Pixels from which on a drag is meant. */
const DRAG_MIN = 8;

const short = { notation: "compact", maximumFractionDigits: 2 };
const compact = new Intl.NumberFormat("en", short);
const exact = new Intl.NumberFormat("en-US", { maximumFractionDigits: 6 });
const time = (options) => new Intl.DateTimeFormat(language, { hour12: false, ...options });
const clock = time({ hour: "2-digit", minute: "2-digit" });
const day = time({ month: "short", day: "numeric" });
const moment = time({ month: "short", day: "numeric", hour: "2-digit", minute: "2-digit" });

/** Of small amounts two digits behind the point would leave nothing, or the same for two marks. */
const amount = new Intl.NumberFormat("en", {
  ...short,
  maximumSignificantDigits: 3,
  roundingPriority: "morePrecision",
});

/** Forms of values on an axis. */
const WRITTEN = {
  count: (value) => compact.format(value),
  credits: (value) => amount.format(value),
  duration: (ms) => ms < 1_000 ? `${Math.round(ms)} ms` : `${exact.format(ms / 1_000)} s`,
};
/** Steps between the marks of an axis that counts: there is no half request. */
const WHOLE = [1, 2, 5].flatMap((digit) => [...Array(13)].map((_, at) => digit * 10 ** at))
  .sort((a, b) => a - b);

/** The steps of the time, each at its middle, in seconds. */
function readSteps() {
  const box = document.querySelector("[data-fresh=series]");
  const stepMs = Number(box.dataset.step);
  const [sinceMs, untilMs] = [Date.parse(box.dataset.since), Date.parse(box.dataset.until)];
  const starts = [];
  for (let at = sinceMs; at < untilMs; at += stepMs) starts.push(at);
  return { stepMs, starts, middles: starts.map((at) => (at + stepMs / 2) / 1_000) };
}

/** The columns of a plot's table, with a value for each step, also for those that it leaves out. */
function readColumns(place, { starts }) {
  const known = new Map();
  const table = document.querySelector(`[data-name=series-${place.dataset.plot}]`);
  for (const row of table.tBodies[0].rows) {
    const values = [...row.cells].slice(1).map((cell) => cell.querySelector("data").value);
    known.set(Date.parse(row.querySelector("time").dateTime), values);
  }
  // A step without requests has none, and no latency.
  const none = isStacked(place) ? 0 : null;
  const valuesOf = (column) =>
    starts.map((at) => {
      const value = known.get(at)?.[column] ?? "";
      return value === "" ? none : Number(value);
    });
  const legend = [...place.closest("figure").querySelectorAll(".legend li")];
  const columns = legend.map(({ dataset }, column) => ({
    ...dataset,
    color: ink(place, dataset.ink),
    values: valuesOf(column),
  }));
  return { columns, whole: isStacked(place) ? valuesOf(legend.length) : undefined };
}

const isStacked = (place) => place.dataset.stacked !== undefined;

/** A colour of the style sheet, as this page shows it. */
function ink(place, name) {
  const probe = make("i", { className: `ink ink-${name}` });
  place.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

/** Each column on top of those before it. */
function stacked(columns) {
  const sums = columns[0].values.map(() => 0);
  return columns.map(({ values }) => values.map((value, at) => sums[at] += value));
}

/** Points that are marked: all of a few, and those that no line would show. */
function marked(values) {
  const isAlone = (at) => (values[at - 1] ?? null) === null && (values[at + 1] ?? null) === null;
  return values.flatMap((value, at) =>
    value !== null && (values.length <= MARKED_MAX || isAlone(at)) ? [at] : []
  );
}

function seriesOf(place, column) {
  if (isStacked(place)) {
    const paths = uPlot.paths.bars({ size: [0.82, 36], align: 0, radius: 0 });
    return { fill: column.color, width: 0, paths, points: { show: false } };
  }
  const filter = () => marked(column.values);
  return {
    stroke: column.color,
    width: 1.75,
    points: { show: true, size: 5, fill: column.color, filter },
  };
}

function axesOf(place) {
  const { kind } = place.dataset;
  const [muted, line] = [ink(place, "muted"), ink(place, "line")];
  const shared = { stroke: muted, font: "12px system-ui, sans-serif", ticks: { show: false } };
  return [
    {
      ...shared,
      grid: { show: false },
      size: 28,
      space: 64,
      values: (_plot, splits, _axis, _space, step) =>
        splits.map((at) => (step >= DAY_SECONDS ? day : clock).format(new Date(at * 1_000))),
    },
    {
      ...shared,
      grid: { stroke: line, width: 1 },
      size: kind === "duration" ? 60 : 48,
      space: 36,
      ...(kind === "count" ? { incrs: WHOLE } : {}),
      values: (_plot, splits) => splits.map((value) => value === null ? "" : WRITTEN[kind](value)),
    },
  ];
}

/** The values under the cursor, in words. */
function tipOf(place, { columns, whole }, { starts, stepMs }) {
  const tip = make("div", { className: "plot-tip", ariaHidden: "true", hidden: true });
  const line = (name, value, color) => {
    const mark = make("i", { className: "ink" });
    if (color !== undefined) mark.style.color = color;
    const textContent = value === null ? "–" : WRITTEN[place.dataset.kind](value);
    const cells = [make("span", { textContent: name }), make("b", { textContent })];
    return make("p", {}, ...(color === undefined ? [] : [mark]), ...cells);
  };
  return {
    element: tip,
    show(at, x, width) {
      const textContent = `${moment.format(starts[at])} – ${clock.format(starts[at] + stepMs)}`;
      const used = columns.filter(({ values }) => !isStacked(place) || values[at] > 0);
      const rows = used.map(({ title, values, color }) => line(title, values[at], color));
      if (isStacked(place)) {
        rows.reverse();
        rows.push(line(place.dataset.total, whole[at]));
      }
      tip.replaceChildren(make("p", { textContent }), ...rows);
      tip.hidden = false;
      const isRight = x > width / 2;
      tip.style.left = isRight ? "" : `${x + 14}px`;
      tip.style.right = isRight ? `${width - x + 14}px` : "";
    },
  };
}

/** The requests list, of a time and maybe of a column. */
function goTo(path, fromMs, toMs, filter = "") {
  const minute = (ms) => new Date(ms).toISOString().slice(0, 16);
  const query = new URLSearchParams(filter);
  for (const name of ["range", "since", "until", "zone"]) query.delete(name);
  const own = { range: "own", since: minute(fromMs), until: minute(toMs) };
  for (const [name, value] of Object.entries(own)) query.set(name, value);
  location.assign(`${path}?${query}`);
}

/** A click leads to the requests that it is on; a drag shows its time larger. */
function listen(plot, { box, columns, sums, steps }) {
  const { starts, stepMs } = steps;
  let tapped;
  let down = 0;
  plot.over.addEventListener("mousedown", (event) => down = event.clientX);
  plot.over.addEventListener("click", (event) => {
    const { idx, top } = plot.cursor;
    if (idx === null || idx === undefined || Math.abs(event.clientX - down) >= DRAG_MIN) return;
    // A first tap shows what is there, as a mouse does on its way.
    if (event.pointerType === "touch" && tapped !== idx) return void (tapped = idx);
    const value = plot.posToVal(top, "y");
    const column = columns[sums?.findIndex((sum) => sum[idx] >= value) ?? -1];
    goTo(box.dataset.requests, starts[idx], starts[idx] + stepMs, column?.filter);
  });
}

/** True while the cursor is on a plot, which is then not redrawn. */
let isPointedAt = false;

function draw(box, place, steps) {
  const numbers = readColumns(place, steps);
  const { columns } = numbers;
  const sums = isStacked(place) ? stacked(columns) : undefined;
  // The first column is drawn last: the highest bars are behind it, and the highest lines.
  const drawn = (sums ?? columns.map(({ values }) => values)).toReversed();
  const tip = tipOf(place, numbers, steps);
  const from = steps.starts[0] / 1_000;
  const to = from + steps.starts.length * steps.stepMs / 1_000;
  place.hidden = false;
  place.replaceChildren();
  const plot = new uPlot(
    {
      width: place.clientWidth,
      height: HEIGHT,
      cursor: {
        sync: { key: "overview", setSeries: false },
        y: false,
        points: { show: sums === undefined },
        drag: { x: true, y: false, setScale: false },
      },
      legend: { show: false },
      scales: {
        x: { range: () => [from, to] },
        y: { range: (_plot, _least, most) => [0, most > 0 ? most * 1.08 : 1] },
      },
      series: [{}, ...columns.toReversed().map((column) => seriesOf(place, column))],
      axes: axesOf(place),
      hooks: {
        setCursor: [(self) => {
          const { idx, left: x } = self.cursor;
          const isHere = self.over.matches(":hover") && x >= 0;
          if (!isHere || idx === null || idx === undefined) tip.element.hidden = true;
          else tip.show(idx, x + self.over.offsetLeft, place.clientWidth);
        }],
        setSelect: [(self) => {
          const { left: x, width } = self.select;
          if (width < DRAG_MIN) return;
          const at = (x) => self.posToVal(x, "x") * 1_000;
          goTo(box.dataset.overview, at(x), at(x + width) + 60_000, location.search);
        }],
      },
    },
    [steps.middles, ...drawn],
    place,
  );
  plot.over.addEventListener("mouseenter", () => isPointedAt = true);
  plot.over.addEventListener("mouseleave", () => isPointedAt = false);
  listen(plot, { box, columns, sums, steps });
  place.append(tip.element);
  return plot;
}

const box = document.querySelector(".plots");
if (box !== null) {
  const places = [...box.querySelectorAll("[data-plot]")];
  let plots = [];
  const drawAll = () => {
    for (const plot of plots) plot.destroy();
    const steps = readSteps();
    plots = places.map((place) => draw(box, place, steps));
  };
  drawAll();
  onFresh(drawAll, { isBusy: () => isPointedAt });
  // The machine's colours may change while the page is open.
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawAll);
  new ResizeObserver(() => {
    for (const [at, place] of places.entries()) {
      const width = place.clientWidth;
      if (width > 0 && width !== plots[at].width) plots[at].setSize({ width, height: HEIGHT });
    }
  }).observe(box);
}
