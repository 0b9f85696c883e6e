import { nextPage } from "../wallets.ts";
import type { AnswerOf } from "../../../admin_api/operations.ts";
import { DEFAULT_UPSTREAMS, defaultCatalog } from "../../../config/default_catalog.ts";
import { DEFAULT_LIMITS } from "../../../domain/limits/service_limits.ts";
import { canAsk, requireAgreement } from "../../input/agreement.ts";
import { changesText } from "./catalog_changes.ts";
import { checkInForce, requireNoAsking } from "./catalog_check.ts";
import type { Call, Command, Output, Page } from "../../command.ts";
import { CliFailure } from "../../failures.ts";
import { readJson } from "../../input/json_file.ts";
import { textOf, timeText } from "../../output/field_text.ts";
import { amount, type Column, column, facts, table, time } from "../../output/table.ts";

type Catalog = AnswerOf<"GET /catalog">;
type Content = Catalog["content"];
type Version = AnswerOf<"GET /catalog/versions">["versions"][number];
type Change = AnswerOf<"POST /catalog/apply">;

const TIERS_LOST = "Also if wallets lose their tier";

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
      const json = await client.call("GET /catalog");
      return { json, text: (page) => catalogText(json, page) };
    },
  },
  {
    words: "catalog default",
    options: ["only"],
    summary: "Print the built-in catalog, as the start of a configuration",
    run: (call) => Promise.resolve(printDefault(call)),
  },
  {
    words: "catalog check",
    options: ["file", "timeout", "tolerance"],
    summary: "Check the prices and upstreams of the models in force, or a configuration",
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
    options: ["limit", "cursor"],
    summary: "List the versions, newest first",
    run: async ({ client, option }) => {
      const query = { limit: option("limit"), cursor: option("cursor") };
      const json = await client.call("GET /catalog/versions", { query });
      const columns: readonly Column<Version>[] = [
        amount("VERSION", "version"),
        time("TIME", "updatedAt"),
        column("NOTE", "note"),
      ];
      const empty = "There are no versions";
      return {
        json,
        text: ({ width }) => table(columns, json.versions, { width, empty }) + nextPage(json),
      };
    },
  },
  {
    words: "catalog rollback",
    operands: ["VERSION"],
    options: ["dry-run", "yes", "force"],
    summary: "Show the changes of a rollback, then apply the old version as a new one",
    meanings: { force: TIERS_LOST },
    run: async (call) => {
      const body = { version: versionNumber(call.operands[0] ?? ""), force: call.has("force") };
      return await rehearsed(call, {
        send: (more) => call.client.call("POST /catalog/rollback", { body: { ...body, ...more } }),
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
    send: (more) => call.client.call("POST /catalog/apply", { body: { ...body, note, ...more } }),
    agree: async ({ cuts }) => {
      const isHarmless = cuts.length === 0;
      // A program has decided already, unless a key would lose something.
      if (isHarmless && !canAsk(call)) return;
      const question = isHarmless ? "Apply these changes?" : "Apply these changes anyway?";
      await requireAgreement(call, question);
    },
  });
}

/** Shows the effects of a catalog change, and applies it after agreement. */
async function rehearsed(call: Call, change: {
  send(more: object): Promise<Change>;
  agree(rehearsal: Change): Promise<void>;
}): Promise<Output> {
  const rehearsal = await change.send({ dryRun: true });
  const { io } = call;
  call.print(changesText(rehearsal, { width: io.isTerminal ? io.columns : Infinity }));
  warn(call, rehearsal);
  if (call.has("dry-run") || rehearsal.changes.length === 0) {
    return { json: rehearsal, text: () => "" };
  }
  await change.agree(rehearsal);
  const json = await change.send({ expectedVersion: rehearsal.version });
  return { json, text: () => resultText(json) };
}

function contentOf({ io, option }: Call): Promise<unknown> {
  return readJson(io, option("file") ?? "");
}

async function rehearse(call: Call, content: unknown): Promise<Change> {
  const body = { content, force: call.has("force"), dryRun: true };
  return await call.client.call("POST /catalog/apply", { body });
}

function warn(call: Call, { warnings }: Change): void {
  warnings.forEach(call.warn);
}

function versionNumber(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new CliFailure(`Cannot roll back to "${text}": give the number of a version`);
}

function resultText({ applied, version }: Change): string {
  return applied ? `Applied as version ${version}\n` : "";
}

const UPSTREAMS: readonly Column<Content["upstreams"][number]>[] = [
  column("UPSTREAM", "id"),
  column("KIND", "kind"),
  column("PROVIDER", "provider"),
  column("ADDRESS", "baseUrl"),
  amount("MOST IN FLIGHT", "maxInFlight"),
];
const MODELS: readonly Column<Content["models"][number]>[] = [
  column("MODEL", "id"),
  column("UPSTREAM", "upstream"),
  column("ENDPOINTS", "endpoints"),
  column("TAGS", "featureTags"),
  amount("QUALITY", "quality"),
  amount("CONTEXT", "contextTokens"),
];
const TIERS: readonly Column<Content["tiers"][number]>[] = [
  column("TIER", "id"),
  amount("CREDITS PER $", "creditsPerUsd"),
  column("MODELS", "models"),
  column("ORCHESTRATION", "orchestration"),
];

function catalogText({ version, updatedAt, content }: Catalog, { width }: Page): string {
  const { upstreams, models, tiers, search, vectorStores, limits } = content;
  const pairs: [string, string][] = [["version", String(version)], ["since", timeText(updatedAt)]];
  if (search !== undefined) {
    const address = "baseUrl" in search ? ` ${search.baseUrl}` : "";
    pairs.push(["web search", `${search.kind}${address}, $${search.pricePerSearch} a search`]);
  }
  const embeddings = vectorStores?.embeddings;
  if (embeddings !== undefined) {
    pairs.push(["embeddings", `${embeddings.model} of ${embeddings.upstream}`]);
  }
  pairs.push(["limits", textOf({ ...DEFAULT_LIMITS, ...limits })]);
  return [
    facts(pairs),
    table(UPSTREAMS, upstreams, { width, empty: "No upstreams" }),
    table(MODELS, models, { width, empty: "No models" }),
    table(TIERS, tiers, { width, empty: "No tiers" }),
  ].join("\n");
}
