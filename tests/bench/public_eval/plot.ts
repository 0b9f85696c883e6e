/**
 * Plots of quality over cost: as an SVG file, and as text for a terminal.
 *
 * @module
 */

/** A named line or set of points. */
export interface Series {
  readonly name: string;
  /** Cost beside always-best, and quality from 0 to 1. */
  readonly points: readonly { readonly share: number; readonly quality: number }[];
  /** True for points that no line joins. */
  readonly isScatter?: boolean | undefined;
}

/** One plot. */
export interface Plot {
  readonly title: string;
  readonly series: readonly Series[];
}

const WIDTH = 720;
const HEIGHT = 420;
const MARGIN = 60;
const COLOURS = ["#1b6ac9", "#d1495b", "#2e8b57", "#8e5ea2", "#e08e0b", "#444444", "#999999"];
/** Share of the cost up to which a plot reaches: dearer models than the best one are left out. */
const SHARE_MAX = 1.1;

/** Returns plots as one SVG document, one below the other. */
export function svgOf(plots: readonly Plot[]): string {
  const height = HEIGHT * plots.length;
  const body = plots.map((plot, at) =>
    `<g transform="translate(0 ${at * HEIGHT})">\n${plotBody(plot)}\n</g>`
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" ` +
    `font-family="sans-serif" font-size="12">\n<rect width="100%" height="100%" fill="white"/>\n` +
    `${body.join("\n")}\n</svg>\n`;
}

function plotBody({ title, series }: Plot): string {
  const { low, high } = rangeOf(series);
  const x = (share: number) => MARGIN + (WIDTH - 4 * MARGIN) * share / SHARE_MAX;
  const y = (quality: number) =>
    HEIGHT - MARGIN - (HEIGHT - 2 * MARGIN) * (quality - low) / (high - low);
  const at = (point: Series["points"][number]) =>
    `${x(point.share).toFixed(1)},${y(point.quality).toFixed(1)}`;
  const lines = series.map(({ name, points, isScatter }, index) => {
    const colour = COLOURS[index % COLOURS.length] ?? "black";
    const visible = points.filter(({ share }) => share <= SHARE_MAX);
    const marks = visible.map((point) => {
      const [cx, cy] = at(point).split(",");
      return `<circle cx="${cx}" cy="${cy}" r="${isScatter === true ? 4 : 2}" fill="${colour}"/>`;
    });
    const line = isScatter === true
      ? ""
      : `<polyline fill="none" stroke="${colour}" points="${visible.map(at).join(" ")}"/>`;
    const legend = `<text x="${WIDTH - 3 * MARGIN + 8}" y="${MARGIN + 18 * index}" ` +
      `fill="${colour}">${escaped(name)}</text>`;
    return [line, ...marks, legend].join("");
  });
  const ticks = [0, 0.2, 0.4, 0.6, 0.8, 1].map((share) =>
    `<text x="${x(share)}" y="${HEIGHT - MARGIN + 18}" text-anchor="middle">` +
    `${Math.round(100 * share)} %</text>`
  );
  const levels = [0, 0.25, 0.5, 0.75, 1].map((part) => low + part * (high - low)).map((quality) =>
    `<text x="${MARGIN - 6}" y="${y(quality).toFixed(1)}" text-anchor="end">` +
    `${(100 * quality).toFixed(1)}</text>`
  );
  const frame = `<path d="M${MARGIN} ${MARGIN}V${HEIGHT - MARGIN}H${WIDTH - 3 * MARGIN}" ` +
    `fill="none" stroke="black"/>`;
  const heading = `<text x="${MARGIN}" y="${MARGIN / 2}" font-weight="bold">${
    escaped(title)
  }: quality over cost beside always-best</text>`;
  return [heading, frame, ...ticks, ...levels, ...lines].join("\n");
}

function rangeOf(series: readonly Series[]): { low: number; high: number } {
  const all = series.flatMap(({ points }) =>
    points.filter(({ share }) => share <= SHARE_MAX).map(({ quality }) => quality)
  );
  const [low, high] = [Math.min(...all), Math.max(...all)];
  return high > low ? { low, high } : { low: low - 0.01, high: high + 0.01 };
}

function escaped(text: string): string {
  return text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
}

const COLUMNS = 66;
const ROWS = 18;

/** Returns a plot as lines of text, in which each series has its letter. */
export function textPlotOf({ title, series }: Plot): string {
  const { low, high } = rangeOf(series);
  const grid = Array.from({ length: ROWS }, () => Array.from({ length: COLUMNS }, () => " "));
  for (const [index, { points }] of series.entries()) {
    for (const { share, quality } of points) {
      if (share > SHARE_MAX) continue;
      const column = Math.round((COLUMNS - 1) * share / SHARE_MAX);
      const row = Math.round((ROWS - 1) * (high - quality) / (high - low));
      const line = grid[row];
      if (line !== undefined) line[column] = letterOf(index);
    }
  }
  const lines = grid.map((cells, row) => {
    const quality = high - row / (ROWS - 1) * (high - low);
    const label = row % 4 === 0 ? (100 * quality).toFixed(1) : "";
    return `${label.padStart(6)} |${cells.join("").trimEnd()}`;
  });
  const ticks = [0, 20, 40, 60, 80, 100].map((share) => `${share} %`.padEnd(12)).join("");
  const legend = series.map(({ name }, index) => `${letterOf(index)} ${name}`).join("; ");
  return [
    `${title}: quality (%) over cost beside always-best`,
    ...lines,
    `${" ".repeat(6)} +${"-".repeat(COLUMNS)}`,
    `${" ".repeat(8)}${ticks}`,
    legend,
  ].join("\n");
}

function letterOf(index: number): string {
  return String.fromCharCode(97 + index);
}
