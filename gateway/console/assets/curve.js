/** The plot of quality over cost, from the table beside it, which stays for readers without it. */

import { make } from "./console.js";

// Served beside this file, but of a package: in a checkout there is none of that name here.
const { default: uPlot } = await import(import.meta.resolve("./uplot.js"));

const HEIGHT = 240;
const place = document.querySelector("[data-curve]");
const percent = (value) => value === null ? "" : `${Math.round(value * 100)} %`;

/** Rows of the table: cost and quality, by cost. */
function readRows() {
  const table = document.querySelector("[data-name=curve]");
  const rows = [...table.tBodies[0].rows].map((row) =>
    [...row.querySelectorAll("data")].map(({ value }) => value === "" ? null : Number(value))
  );
  return [rows.map(([cost]) => cost), rows.map(([, quality]) => quality)];
}

/** A colour of the style sheet, as this page shows it. */
function ink(name) {
  const probe = make("i", { className: `ink ink-${name}` });
  place.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

let plot;

function draw() {
  plot?.destroy();
  place.hidden = false;
  place.replaceChildren();
  const [line, stroke] = [ink("line"), ink("muted")];
  const axis = { stroke, font: "12px system-ui, sans-serif", ticks: { show: false } };
  const values = (_plot, splits) => splits.map(percent);
  plot = new uPlot(
    {
      width: place.clientWidth,
      height: HEIGHT,
      legend: { show: false },
      cursor: { drag: { x: false, y: false } },
      scales: { x: { time: false } },
      series: [{}, {
        stroke: ink("1"),
        width: 1.75,
        points: { show: true, size: 6, fill: ink("1") },
      }],
      axes: [
        { ...axis, grid: { show: false }, size: 28, values },
        { ...axis, grid: { stroke: line, width: 1 }, size: 52, values },
      ],
    },
    readRows(),
    place,
  );
}

if (place !== null) {
  draw();
  // The machine's colours may change while the page is open.
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
  new ResizeObserver(() => {
    const width = place.clientWidth;
    if (width > 0 && width !== plot.width) plot.setSize({ width, height: HEIGHT });
  }).observe(place);
}
