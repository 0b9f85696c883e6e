/**
 * Plots of the table beside them: what is drawn is what stands there. The table remains for whoever
 * cannot see a plot, and where this does not run.
 */

// Served beside this file, but of a package: in a checkout there is none of that name here.
const { default: uPlot } = await import(import.meta.resolve("./uplot.js"));

const language = document.documentElement.lang;
const HEIGHT = 168;
const DAY_SECONDS = 86_400;

const compact = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 2 });
const exact = new Intl.NumberFormat("en-US", { maximumFractionDigits: 6 });
const clock = new Intl.DateTimeFormat(language, {
  hour: "2-digit",
  minute: "2-digit",
  hour12: false,
});
const day = new Intl.DateTimeFormat(language, { month: "short", day: "numeric" });
const moment = new Intl.DateTimeFormat(language, {
  month: "short",
  day: "numeric",
  hour: "2-digit",
  minute: "2-digit",
  hour12: false,
});

/** How the values of a plot are written. */
const WRITTEN = {
  count: (value) => compact.format(value),
  credits: (value) => compact.format(value),
  duration: (ms) => ms < 1_000 ? `${Math.round(ms)} ms` : `${exact.format(ms / 1_000)} s`,
};

/** The rows of the table, with a row of nothing for each step that it leaves out. */
function readSeries(box) {
  const table = document.querySelector("table[data-name=series]");
  const titles = [...table.tHead.rows[0].cells].map((cell) => cell.textContent);
  const known = new Map();
  for (const row of table.tBodies[0].rows) {
    const at = Date.parse(row.cells[0].querySelector("time").dateTime);
    known.set(
      at,
      [...row.cells].slice(1).map((cell) => {
        const { value } = cell.querySelector("data");
        return value === "" ? null : Number(value);
      }),
    );
  }
  const stepMs = Number(box.dataset.step);
  const [since, until] = [Date.parse(box.dataset.since), Date.parse(box.dataset.until)];
  const times = [];
  for (let at = since; at < until; at += stepMs) times.push(at);
  return { titles, times, at: (time) => known.get(time) };
}

/** A colour of the style sheet, as this page shows it. */
function ink(place, name) {
  const probe = document.createElement("i");
  probe.className = `ink ink-${name}`;
  place.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

function seriesOf(place, { columns, kind, titles }) {
  const isLine = kind === "duration";
  const bars = uPlot.paths.bars({ size: [0.8, 28], align: 1 });
  return columns.map((column, at) => {
    const color = ink(place, titles[column].isBad ? "bad" : String(at + 1));
    return {
      label: titles[column].text,
      stroke: color,
      width: isLine ? 1.5 : 0,
      fill: isLine ? undefined : color,
      paths: isLine ? undefined : bars,
      points: { show: isLine ? undefined : false, size: 4 },
      value: (_plot, value) => value === null ? "–" : WRITTEN[kind](value),
    };
  });
}

function axesOf(place, kind) {
  const [muted, line] = [ink(place, "muted"), ink(place, "line")];
  const shared = {
    stroke: muted,
    font: "12px system-ui, sans-serif",
    grid: { stroke: line, width: 1 },
    ticks: { show: false },
  };
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
      size: kind === "duration" ? 64 : 52,
      space: 36,
      values: (_plot, splits) => splits.map((value) => value === null ? "" : WRITTEN[kind](value)),
    },
  ];
}

function draw(place, series, sync) {
  const columns = place.dataset.columns.split(" ").map(Number);
  const { kind } = place.dataset;
  // A step without requests has none, and no latency.
  const none = kind === "duration" ? null : 0;
  const data = [
    series.times.map((at) => at / 1_000),
    ...columns.map((column) => series.times.map((at) => series.at(at)?.[column - 1] ?? none)),
  ];
  const titles = series.titles.map((text, at) => ({ text, isBad: at === 2 }));
  place.replaceChildren();
  return new uPlot(
    {
      width: place.clientWidth,
      height: HEIGHT,
      cursor: { sync: { key: sync }, y: false, drag: { x: false, y: false } },
      legend: { live: true },
      scales: { y: { range: (_plot, _least, most) => [0, most > 0 ? most * 1.1 : 1] } },
      series: [
        {
          label: series.titles[0],
          value: (_plot, at) => at === null ? "–" : moment.format(new Date(at * 1_000)),
        },
        ...seriesOf(place, { columns, kind, titles }),
      ],
      axes: axesOf(place, kind),
    },
    data,
    place,
  );
}

const box = document.querySelector(".plots");
if (box !== null) {
  box.hidden = false;
  const series = readSeries(box);
  const places = [...box.querySelectorAll("[data-columns]")];
  let plots = [];
  const drawAll = () => {
    for (const plot of plots) plot.destroy();
    plots = places.map((place) => draw(place, series, "overview"));
  };
  drawAll();
  // The machine's colours may change while the page is open.
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawAll);
  new ResizeObserver(() => {
    for (const [at, place] of places.entries()) {
      const width = place.clientWidth;
      if (width > 0 && width !== plots[at].width) plots[at].setSize({ width, height: HEIGHT });
    }
  }).observe(box);
}
