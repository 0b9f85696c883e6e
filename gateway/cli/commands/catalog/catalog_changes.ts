import { isJsonObject } from "@svc/sdk/protocol";
import { type Row, rowsOf, textOf } from "../../output/json_fields.ts";
import type { Page } from "../../command.ts";
import { printable } from "../../output/table.ts";
import { wrapped } from "../../output/wrapped.ts";

const SIGNS: Readonly<Record<string, string>> = { added: "+", removed: "-", changed: "~" };
const INDENT = "    ";

/**
 * Formats the differences of two catalogs for people: removals by name, additions field by field,
 * and changes with both values. `--json` has all of it.
 */
export function changesText(json: Row, page: Page): string {
  const changes = rowsOf(json, "changes");
  if (changes.length === 0) return `No changes to version ${textOf(json, "version")}\n`;
  return changes.map((change) => changeText(change, page)).join("");
}

function changeText(change: Row, { width }: Page): string {
  const start = `${SIGNS[textOf(change, "kind")] ?? "?"} ${textOf(change, "path")}`;
  const { before, after } = change;
  if (after === undefined && isJsonObject(before)) return `${printable(start)}\n`;
  if (before === undefined && isJsonObject(after)) {
    const fields = Object.keys(after).filter((name) => name !== "id")
      .map((name) => `${name} ${textOf(after, name)}`.trimEnd());
    const lines = wrapped(fields.join("; "), width - INDENT.length).trimEnd().split("\n");
    return `${printable(start)}\n${lines.map((line) => `${INDENT}${line.trimStart()}\n`).join("")}`;
  }
  const values = [before, after].filter((value) => value !== undefined);
  return `${printable(`${start}: ${values.map((value) => JSON.stringify(value)).join(" -> ")}`)}\n`;
}
