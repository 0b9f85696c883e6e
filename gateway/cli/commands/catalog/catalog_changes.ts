import { isJsonObject } from "@svc/sdk/protocol";
import type { AnswerOf } from "../../../admin_api/operations.ts";
import { textOf } from "../../output/field_text.ts";
import type { Page } from "../../command.ts";
import { printable } from "../../output/table.ts";
import { wrapped } from "../../output/wrapped.ts";

type Changes = Pick<AnswerOf<"POST /catalog/apply">, "changes" | "version">;

const SIGNS = { added: "+", removed: "-", changed: "~" } as const;
const INDENT = "    ";

/**
 * Formats the differences of two catalogs for people: removals by name, additions field by field,
 * and changes with both values. `--json` has all of it.
 */
export function changesText({ changes, version }: Changes, page: Page): string {
  if (changes.length === 0) return `No changes to version ${version}\n`;
  return changes.map((change) => changeText(change, page)).join("");
}

function changeText(
  { kind, path, before, after }: Changes["changes"][number],
  { width }: Page,
): string {
  const start = `${SIGNS[kind] ?? "?"} ${path}`;
  if (after === undefined && isJsonObject(before)) return `${printable(start)}\n`;
  if (before === undefined && isJsonObject(after)) {
    const fields = Object.entries(after).filter(([name]) => name !== "id")
      .map(([name, value]) => `${name} ${textOf(value)}`.trimEnd());
    const lines = wrapped(fields.join("; "), width - INDENT.length).trimEnd().split("\n");
    return `${printable(start)}\n${lines.map((line) => `${INDENT}${line.trimStart()}\n`).join("")}`;
  }
  const values = [before, after].filter((value) => value !== undefined);
  return `${printable(`${start}: ${values.map((value) => JSON.stringify(value)).join(" -> ")}`)}\n`;
}
