/**
 * Styles and scripts, as text in the program: they are imported, so that they are part of a checkout's
 * module graph and of the binary alike, and no permission to read a file is needed to serve them.
 *
 * @module
 */

import { createHash } from "node:crypto";
import uplotStyle from "uplot/dist/uPlot.min.css" with { type: "text" };
import uplotScript from "uplot/dist/uPlot.esm.js" with { type: "text" };
import consoleScript from "./assets/console.js" with { type: "text" };
import catalogStyle from "./assets/catalog.css" with { type: "text" };
import componentStyle from "./assets/components.css" with { type: "text" };
import consoleStyle from "./assets/console.css" with { type: "text" };
import curveScript from "./assets/curve.js" with { type: "text" };
import linkScript from "./assets/link.js" with { type: "text" };
import freshScript from "./assets/fresh.js" with { type: "text" };
import overviewStyle from "./assets/overview.css" with { type: "text" };
import plotScript from "./assets/plots.js" with { type: "text" };
import rangeScript from "./assets/range.js" with { type: "text" };
import routingStyle from "./assets/routing.css" with { type: "text" };
import requestStyle from "./assets/requests.css" with { type: "text" };
import policyFormScript from "./assets/policy_form.js" with { type: "text" };
import policyFormStyle from "./assets/policy_form.css" with { type: "text" };
import playgroundScript from "./assets/playground.js" with { type: "text" };
import playgroundStyle from "./assets/playground.css" with { type: "text" };
import patternStyle from "./assets/patterns.css" with { type: "text" };
import tailScript from "./assets/tail.js" with { type: "text" };

/** One file: a page has every style. */
const STYLES = [
  consoleStyle,
  patternStyle,
  componentStyle,
  policyFormStyle,
  overviewStyle,
  requestStyle,
  catalogStyle,
  playgroundStyle,
  routingStyle,
];

const STYLE = "text/css; charset=utf-8";
const SCRIPT = "text/javascript; charset=utf-8";

/**
 * Every file by its name in an address. A script of a page is added here, imports others as
 * `./name.js`, and is named in what the page shows: `scripts: ["chart.js"]`.
 */
const FILES = {
  "console.css": { type: STYLE, text: STYLES.join("\n") },
  "uplot.css": { type: STYLE, text: uplotStyle },
  "console.js": { type: SCRIPT, text: consoleScript },
  "policy_form.js": { type: SCRIPT, text: policyFormScript },
  "playground.js": { type: SCRIPT, text: playgroundScript },
  "uplot.js": { type: SCRIPT, text: uplotScript },
  "curve.js": { type: SCRIPT, text: curveScript },
  "fresh.js": { type: SCRIPT, text: freshScript },
  "link.js": { type: SCRIPT, text: linkScript },
  "plots.js": { type: SCRIPT, text: plotScript },
  "range.js": { type: SCRIPT, text: rangeScript },
  "tail.js": { type: SCRIPT, text: tailScript },
} as const;

/** A file that pages can ask for. */
export type AssetName = keyof typeof FILES;
/** A script that a page can ask for. */
export type ScriptName = Extract<AssetName, `${string}.js`>;

/** One digest over all of them, so that scripts can import each other by their plain names. */
const VERSION = createHash("sha256").update(JSON.stringify(FILES)).digest("hex").slice(0, 16);

/** The address of a file, below that of the pages; it changes with any of their contents. */
export function assetPath(name: AssetName, { base }: { readonly base: string }): string {
  return `${base}/assets/${VERSION}/${name}`;
}

/** The file at an address; 404 where it is of another version, or unknown. */
export function serveAsset(version: string, name: string): Response {
  const file = Object.entries(FILES).find(([known]) => known === name)?.[1];
  if (file === undefined || version !== VERSION) {
    return new Response("There is no such file\n", { status: 404 });
  }
  return new Response(file.text, {
    headers: { "content-type": file.type, "cache-control": "public, max-age=31536000, immutable" },
  });
}
