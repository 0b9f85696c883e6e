/**
 * Plots a replay: cost and quality by windows of requests, with and without the gateway.
 *
 * @module
 */

import { type Comparison, type Point, WINDOW } from "./comparison.ts";

const [WIDTH, HEIGHT, LEFT, TOP, BOTTOM] = [860, 420, 60, 50, 60] as const;
const COLOURS = { quality: "#1b7837", share: "#762a83" } as const;
/** Values of the horizontal lines. */
const LEVELS = [0, 0.2, 0.4, 0.6, 0.8, 1] as const;

/** Returns the plot as SVG. */
export function plotOf(title: string, comparison: Comparison): string {
  const { gateway, offline, best } = comparison;
  const y = (value: number) => TOP + (HEIGHT - TOP - BOTTOM) * (1 - value);
  const x = (window: number) =>
    LEFT + (WIDTH - LEFT - 20) * window / Math.max(1, gateway.length - 1);
  const line = (points: readonly Point[], figure: keyof Point, dashes: string) => {
    const path = points.map((point, at) => `${x(at).toFixed(1)},${y(point[figure]).toFixed(1)}`);
    return `<polyline fill="none" stroke="${COLOURS[figure]}" stroke-width="2" ` +
      `stroke-dasharray="${dashes}" points="${path.join(" ")}"/>`;
  };
  const level = (value: number, text: string, colour = "#ccc") =>
    `<line x1="${LEFT}" x2="${WIDTH - 20}" y1="${y(value)}" y2="${y(value)}" stroke="${colour}"/>` +
    `<text x="${LEFT - 8}" y="${y(value) + 4}" text-anchor="end">${text}</text>`;
  const labels = gateway.map((_, at) =>
    at % 5 === 4
      ? `<text x="${x(at)}" y="${HEIGHT - 38}" text-anchor="middle">${(at + 1) * WINDOW}</text>`
      : ""
  );
  const legend = "solid: through the gateway; dashed: without it; green: quality; " +
    "violet: cost beside always-best; grey: quality of always-best";
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" ` +
    'font-family="sans-serif" font-size="12">',
    `<rect width="${WIDTH}" height="${HEIGHT}" fill="#fff"/>`,
    `<text x="${LEFT}" y="24" font-size="16">${escaped(title)}, by ${WINDOW} requests</text>`,
    ...LEVELS.map((value) => level(value, `${value * 100} %`)),
    level(best.quality, "", "#777"),
    line(offline, "share", "6 4"),
    line(offline, "quality", "6 4"),
    line(gateway, "share", "none"),
    line(gateway, "quality", "none"),
    ...labels,
    `<text x="${LEFT}" y="${HEIGHT - 12}">${legend}</text>`,
    "</svg>",
    "",
  ].join("\n");
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}
