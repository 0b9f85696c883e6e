/**
 * A policy as the fields of a form, and back. The fields themselves are what a form has been filled in
 * with, so that one that is refused is shown again as it was sent.
 *
 * @module
 */

import { ROOM_PARTS } from "../../../domain/policy/file_quota.ts";
import type { Policy } from "./answers.ts";

/** Fields that are lists to choose from. */
export const LIST_FIELDS = [
  "endpoints",
  "models",
  "providers",
  "tiers",
  "featureTags",
  "industryPacks",
  "hostedTools",
] as const;

/** One of them. */
export type ListField = (typeof LIST_FIELDS)[number];

const COUNTS = ["requestsPerMinute", "tokensPerMinute", "concurrentRequests"] as const;
/** Fields of `auto` that are numbers, or names of positions of the dial. */
const AUTO_NUMBERS = ["dial", "maxDial", "qualityFloor"] as const;
const WINDOWS = ["day", "month", "total"] as const;

/** The field that says whether a list limits at all: `some` or `all`. */
export function limitOf(field: ListField): `limit_${ListField}` {
  return `limit_${field}`;
}

/** The fields of a policy. */
export function fieldsOf(policy: Policy): URLSearchParams {
  const fields = new URLSearchParams();
  for (const field of LIST_FIELDS) {
    const list = policy[field];
    fields.set(limitOf(field), list === undefined ? "all" : "some");
    for (const name of list ?? []) fields.append(field, name);
  }
  const texts: readonly (readonly [string, string | number | undefined])[] = [
    ["maxChargePerRequest", policy.maxChargePerRequest],
    ...WINDOWS.map((window) => [`budget_${window}`, policy.budget?.[window]] as const),
    ["budgets", policy.budgets?.map(lineOf).join("\n")],
    ["requiredTags", policy.requiredTags?.join(" ")],
    ["requiredUser", policy.requiredUser === true ? "on" : "off"],
    ...COUNTS.map((count) => [count, policy[count]] as const),
    ["ipRanges", policy.ipRanges?.join("\n")],
    ["expiresAt", minuteOf(policy.expiresAt)],
    ["mode", policy.orchestration?.mode ?? "auto"],
    ["stream", policy.orchestration?.stream ?? "all"],
    ["dialect", policy.dialect ?? "auto"],
    ...AUTO_NUMBERS.map((name) => [`auto_${name}`, policy.auto?.[name]] as const),
    ["auto_verify", policy.auto?.verify ?? "request"],
    ["auto_audits", policy.auto?.audits === true ? "on" : "off"],
    ["wallet_sight", policy.wallet ?? "shown"],
    ...ROOM_PARTS.map((part) => [`files_${part}`, policy.files?.[part]] as const),
    ["embeddings_model", policy.embeddings?.model],
    ["embeddings_dimensions", policy.embeddings?.dimensions],
  ];
  for (const [name, value] of texts) fields.set(name, String(value ?? ""));
  return fields;
}

/** The policy that fields ask for, for the API to check: what cannot be read is passed on as it is. */
export function policyOf(fields: URLSearchParams): Record<string, unknown> {
  const text = (name: string) => fields.get(name)?.trim() || undefined;
  const lists = LIST_FIELDS.filter((field) => fields.get(limitOf(field)) === "some")
    .map((field) => [field, fields.getAll(field)] as const);
  const budgets = text("budgets")?.split(/\r?\n/).flatMap(entryOf);
  const requiredTags = text("requiredTags")?.split(/[\s,]+/);
  const ranges = text("ipRanges")?.split(/[\s,]+/).filter((range) => range !== "");
  const expiry = text("expiresAt");
  const dialect = text("dialect") ?? "auto";
  const sight = text("wallet_sight") ?? "shown";
  const verify = text("auto_verify") ?? "request";
  const groups = {
    budget: WINDOWS.map((window) => [window, text(`budget_${window}`)] as const),
    auto: [
      ...AUTO_NUMBERS.map((name) => [name, shareOf(text(`auto_${name}`))] as const),
      ["verify", verify === "request" ? undefined : verify] as const,
      ["audits", text("auto_audits") === "on" ? true : undefined] as const,
    ],
    files: ROOM_PARTS.map((part) => [part, countOf(text(`files_${part}`))] as const),
    embeddings: [
      ["model", text("embeddings_model")] as const,
      ["dimensions", countOf(text("embeddings_dimensions"))] as const,
    ],
  };
  return {
    ...Object.fromEntries(lists),
    ...definedOf([
      ["maxChargePerRequest", text("maxChargePerRequest")],
      ["budgets", budgets],
      ["requiredTags", requiredTags],
      ["requiredUser", text("requiredUser") === "on" ? true : undefined],
      ...COUNTS.map((count) => [count, countOf(text(count))] as const),
      ["ipRanges", ranges],
      ["expiresAt", expiry === undefined ? undefined : timeOf(expiry)],
      ["dialect", dialect === "auto" ? undefined : dialect],
      ...Object.entries(groups).map(([name, parts]) => [name, groupOf(parts)] as const),
      ["wallet", sight === "shown" ? undefined : sight],
    ]),
    orchestration: { mode: text("mode") ?? "auto", stream: text("stream") ?? "all" },
  };
}

/** Fields of a policy that are several fields of the form. */
const GROUPS: readonly string[] = ["budget", "auto", "files", "embeddings"];

/** The field of the form that a path of the API is about, as `policy.models.1`. */
export function fieldOf(path: string): string {
  // The form has another field of this name: the wallet itself.
  if (path === "policy.wallet") return "wallet_sight";
  const [field = "", part = ""] = path.replace(/^policy\./, "").split(".");
  if (part !== "" && GROUPS.includes(field)) return `${field}_${part}`;
  return field === "orchestration" ? part : field;
}

/** A budget of a user or a tag as one line, as `day 5 month 100 user ann`. */
export function lineOf(budget: NonNullable<Policy["budgets"]>[number]): string {
  const amounts = WINDOWS.flatMap((window) =>
    budget[window] === undefined ? [] : [`${window} ${budget[window]}`]
  );
  const { user, tag } = budget;
  return [...amounts, user === undefined ? `tag ${tag}` : `user ${user}`].join(" ");
}

/** The budget of a line; another text is for the API to refuse. */
function entryOf(line: string): readonly unknown[] {
  if (line.trim() === "") return [];
  const [, amounts = "", kind = "", name = ""] =
    /^\s*((?:(?:day|month|total)\s+\S+\s+)+)(user|tag)\s+(.*?)\s*$/.exec(line) ?? [];
  if (kind === "") return [line];
  const words = amounts.trim().split(/\s+/);
  const windows = WINDOWS.flatMap((window) => {
    const at = words.indexOf(window);
    return at < 0 ? [] : [[window, words[at + 1]] as const];
  });
  return [{ [kind]: name, ...Object.fromEntries(windows) }];
}

function countOf(text: string | undefined): number | string | undefined {
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : text;
}

/** A number from 0 to 1; other text is for the API to read. */
function shareOf(text: string | undefined): number | string | undefined {
  return text !== undefined && /^(?:[01]|[01]?\.\d{1,6})$/.test(text) ? Number(text) : text;
}

/** A minute in UTC, as a field for times has it. What is cut off makes the policy stricter. */
function minuteOf(time: string | undefined): string | undefined {
  const ms = Date.parse(time ?? "");
  return Number.isNaN(ms) ? time : new Date(ms).toISOString().slice(0, 16);
}

function timeOf(text: string): string {
  const [, day, clock] = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d)?)$/.exec(text) ?? [];
  if (day === undefined || clock === undefined) return text;
  return `${day}T${clock.length === 5 ? `${clock}:00` : clock}Z`;
}

/** Returns the parts that are filled in; `undefined` where none is. */
function groupOf(parts: readonly (readonly [string, unknown])[]) {
  const group = definedOf(parts);
  return Object.keys(group).length === 0 ? undefined : group;
}

function definedOf(entries: readonly (readonly [string, unknown])[]): Record<string, unknown> {
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}
