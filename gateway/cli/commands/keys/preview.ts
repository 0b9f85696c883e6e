import type { Call, Command, Output } from "../../command.ts";
import { UsageError } from "../../failures.ts";
import { type Row, rowsOf, textOf } from "../../output/json_fields.ts";
import { policyOf } from "./key_output.ts";
import { amount, column, facts, id, table } from "../../output/table.ts";

/** `svc keys preview`: the reach of a policy, before any key has it. */
export const previewCommand: Command = {
  words: "keys preview",
  options: ["policy", "wallet", "narrows"],
  summary: "Show what a policy would leave; fails where it would not narrow the key",
  run: preview,
};

const ENDPOINTS = [id("ENDPOINT", "endpoint"), amount("MODELS", "count"), column("WHY", "reason")];
const MODELS = [
  id("MODEL", "id"),
  column("PROVIDER", "provider"),
  column("ENDPOINTS", "endpoints"),
  column("WHY", "reason"),
];
const EMPTY = "The catalog has no models";

async function preview(call: Call): Promise<Output> {
  const [wallet, narrows] = [call.option("wallet"), call.option("narrows")];
  if ((wallet === undefined) === (narrows === undefined)) {
    throw new UsageError("Give --wallet for a new key, or --narrows for one there is");
  }
  const body = { policy: await policyOf(call), wallet, narrows };
  const json = await call.client.post("/keys/preview", body);
  const wider = textOf(json, "wider");
  return {
    json,
    text: ({ width }) => previewText(json, width),
    failure: wider === "" ? undefined : `This allows more than key "${narrows}": ${wider}`,
  };
}

function previewText(json: Row, width: number): string {
  const [endpoints, models] = [rowsOf(json, "endpoints"), rowsOf(json, "models")];
  const counted = endpoints.map((row) => ({ ...row, count: namesOf(row, "models").length }));
  const reachable = {
    endpoints: counted.filter(({ count }) => count > 0).length,
    models: models.filter((row) => namesOf(row, "endpoints").length > 0).length,
  };
  const tools = rowsOf(json, "hostedTools").filter(({ allowed }) => allowed === true);
  const head = facts([
    ["tier", textOf(json, "tier") || "none applies"],
    ["models", `${reachable.models} of ${models.length}`],
    ["endpoints", `${reachable.endpoints} of ${endpoints.length}`],
    ["hosted tools", tools.map((tool) => textOf(tool, "type")).join(", ") || "none"],
    ...json.expired === true ? [["expired", "already: the key would never serve"] as const] : [],
  ]);
  return [
    head,
    table(ENDPOINTS, counted, { width, empty: EMPTY }),
    table(MODELS, models, { width, empty: EMPTY }),
  ].join("\n");
}

function namesOf(row: Row, field: string): readonly unknown[] {
  const names = row[field];
  return Array.isArray(names) ? names : [];
}
