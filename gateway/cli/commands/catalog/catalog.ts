import { DEFAULT_UPSTREAMS, defaultCatalog } from "../../../config/default_catalog.ts";
import { DEFAULT_LIMITS } from "../../../domain/limits/service_limits.ts";
import { canAsk, requireAgreement } from "../../input/agreement.ts";
import { changesText } from "./catalog_changes.ts";
import { checkInForce, requireNoAsking } from "./catalog_check.ts";
import type { Call, Command, Output, Page } from "../../command.ts";
import { CliFailure } from "../../failures.ts";
import { readJson } from "../../input/json_file.ts";
import { type Row, rowOf, rowsOf, textOf, timeOf } from "../../output/json_fields.ts";
import { amount, column, facts, table, time } from "../../output/table.ts";

const TIERS_LOST = "Also where wallets lose their tier";

/** `svc apply` and `svc catalog …`. */
export const catalogCommands: readonly Command[] = [
  {
    words: "apply",
    required: ["file"],
    options: ["dry-run", "yes", "force", "note"],
    summary: "Show what a configuration changes, then apply it",
    meanings: { force: TIERS_LOST },
    run: apply,
  },
  {
    words: "catalog show",
    summary: "Show upstreams, models and tiers in force",
    run: async ({ client }) => {
      const json = await client.get("/catalog");
      return { json, text: (page) => catalogText(json, page) };
    },
  },
  {
    words: "catalog default",
    options: ["only"],
    summary: "Print the catalog that comes with the gateway, to begin a configuration with",
    run: (call) => Promise.resolve(printDefault(call)),
  },
  {
    words: "catalog check",
    options: ["file", "timeout", "tolerance"],
    summary: "Say which models in force are priced, reachable, stale; or check a configuration",
    run: async (call) => {
      if (!call.has("file")) return await checkInForce(call);
      requireNoAsking(call);
      const json = await rehearse(call, await contentOf(call));
      warn(call, json);
      return { json, text: (page) => `The configuration is valid\n${changesText(json, page)}` };
    },
  },
  {
    words: "catalog history",
    options: ["limit"],
    summary: "List the versions, newest first",
    run: async ({ client, option }) => {
      const json = await client.get("/catalog/versions", { limit: option("limit") });
      const columns = [
        amount("VERSION", "version"),
        time("TIME", "updatedAt"),
        column("NOTE", "note"),
      ];
      const empty = "There are no versions";
      return {
        json,
        text: ({ width }) => table(columns, rowsOf(json, "versions"), { width, empty }),
      };
    },
  },
  {
    words: "catalog rollback",
    operands: ["VERSION"],
    options: ["dry-run", "yes", "force"],
    summary: "Show what a return to an old version changes, then make a new one that equals it",
    meanings: { force: TIERS_LOST },
    run: async (call) => {
      const body = { version: versionNumber(call.operands[0] ?? ""), force: call.has("force") };
      return await rehearsed(call, {
        send: (more) => call.client.post("/catalog/rollback", { ...body, ...more }),
        agree: () => requireAgreement(call, `Go back to version ${body.version}?`),
      });
    },
  },
];

/** Prints the default catalog, or the part of the named upstreams. */
function printDefault(call: Call): Output {
  const names = DEFAULT_UPSTREAMS.map(({ id }) => id);
  const only = call.option("only")?.split(",").map((name) => name.trim());
  const unknown = only?.find((name) => !names.includes(name));
  if (unknown !== undefined) {
    throw new CliFailure(
      `There is no upstream "${unknown}" in the default catalog: it has ${names.join(", ")}`,
    );
  }
  const json = defaultCatalog(({ id }) => only?.includes(id) ?? true);
  return { json, text: () => `${JSON.stringify(json, null, 2)}\n` };
}

async function apply(call: Call): Promise<Output> {
  // Read once: the displayed content is the applied one, even if the file is a pipe or is edited
  // meanwhile.
  const body = { content: await contentOf(call), force: call.has("force") };
  const note = call.option("note");
  return await rehearsed(call, {
    send: (more) => call.client.post("/catalog/apply", { ...body, note, ...more }),
    agree: async ({ cuts }) => {
      const isHarmless = !Array.isArray(cuts) || cuts.length === 0;
      // A program has decided already, unless a key would lose something.
      if (isHarmless && !canAsk(call)) return;
      const question = isHarmless ? "Apply these changes?" : "Apply these changes all the same?";
      await requireAgreement(call, question);
    },
  });
}

/** Shows the effects of a catalog change, and applies it after agreement. */
async function rehearsed(call: Call, change: {
  send(more: Row): Promise<Row>;
  agree(rehearsal: Row): Promise<void>;
}): Promise<Output> {
  const rehearsal = await change.send({ dryRun: true });
  const { io } = call;
  call.print(changesText(rehearsal, { width: io.isTerminal ? io.columns : Infinity }));
  warn(call, rehearsal);
  if (call.has("dry-run") || rowsOf(rehearsal, "changes").length === 0) {
    return { json: rehearsal, text: () => "" };
  }
  await change.agree(rehearsal);
  const json = await change.send({ expectedVersion: rehearsal.version });
  return { json, text: () => resultText(json) };
}

function contentOf({ io, option }: Call): Promise<unknown> {
  return readJson(io, option("file") ?? "");
}

async function rehearse(call: Call, content: unknown): Promise<Row> {
  const force = call.has("force");
  return await call.client.post("/catalog/apply", { content, force, dryRun: true });
}

function warn(call: Call, json: Row): void {
  const { warnings } = json;
  if (Array.isArray(warnings)) warnings.map(String).forEach(call.warn);
}

function versionNumber(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new CliFailure(`Cannot roll back to "${text}": give the number of a version`);
}

function resultText(json: Row): string {
  return json.applied === true ? `Applied as version ${textOf(json, "version")}\n` : "";
}

function catalogText(json: Row, { width }: Page): string {
  const content = rowOf(json, "content");
  const section = (title: string, columns: Parameters<typeof table>[0]) =>
    `\n${table(columns, rowsOf(content, title), { width, empty: `No ${title}` })}`;
  const search = rowOf(content, "search");
  const asks = ["kind", "baseUrl"].map((field) => textOf(search, field)).filter(Boolean);
  const price = textOf(search, "pricePerSearch");
  const pairs: [string, string][] = [
    ["version", textOf(json, "version")],
    ["since", timeOf(json, "updatedAt")],
  ];
  if (asks.length > 0) pairs.push(["web search", `${asks.join(" ")}, $${price} a search`]);
  const embeddings = rowOf(rowOf(content, "vectorStores"), "embeddings");
  const model = textOf(embeddings, "model");
  if (model !== "") pairs.push(["embeddings", `${model} of ${textOf(embeddings, "upstream")}`]);
  const limits = { limits: { ...DEFAULT_LIMITS, ...rowOf(content, "limits") } };
  pairs.push(["limits", textOf(limits, "limits")]);
  return facts(pairs) +
    section("upstreams", [
      column("UPSTREAM", "id"),
      column("KIND", "kind"),
      column("PROVIDER", "provider"),
      column("ADDRESS", "baseUrl"),
      amount("MOST IN FLIGHT", "maxInFlight"),
    ]) +
    section("models", [
      column("MODEL", "id"),
      column("UPSTREAM", "upstream"),
      column("ENDPOINTS", "endpoints"),
      column("TAGS", "featureTags"),
      amount("QUALITY", "quality"),
      amount("CONTEXT", "contextTokens"),
    ]) +
    section("tiers", [
      column("TIER", "id"),
      amount("CREDITS PER $", "creditsPerUsd"),
      column("MODELS", "models"),
      column("ORCHESTRATION", "orchestration"),
    ]);
}
