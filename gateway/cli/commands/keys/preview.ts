import type { AnswerOf } from "../../../admin_api/operations.ts";
import type { Call, Command, Output } from "../../command.ts";
import { UsageError } from "../../failures.ts";
import { policyOf } from "./key_output.ts";
import { amount, type Column, column, facts, id, table } from "../../output/table.ts";

/** `svc keys preview`: the reach of a policy, before any key has it. */
export const previewCommand: Command = {
  words: "keys preview",
  options: ["policy", "wallet", "narrows"],
  summary: "Show the models that a policy leaves; fails if it does not narrow the key",
  run: preview,
};

type Preview = AnswerOf<"POST /keys/preview">;
type CountedEndpoint = Preview["endpoints"][number] & { readonly count: number };

const ENDPOINTS: readonly Column<CountedEndpoint>[] = [
  id("ENDPOINT", "endpoint"),
  amount("MODELS", "count"),
  column("WHY", "reason"),
];
const MODELS: readonly Column<Preview["models"][number]>[] = [
  id("MODEL", "id"),
  column("PROVIDER", "provider"),
  column("ENDPOINTS", "endpoints"),
  column("WHY", "reason"),
];
const EMPTY = "The catalog has no models";

async function preview(call: Call): Promise<Output> {
  const [wallet, narrows] = [call.option("wallet"), call.option("narrows")];
  if ((wallet === undefined) === (narrows === undefined)) {
    throw new UsageError("Give --wallet for a new key, or --narrows for an existing one");
  }
  const body = { policy: await policyOf(call), wallet, narrows };
  const json = await call.client.call("POST /keys/preview", { body });
  const wider = json.wider.join(", ");
  return {
    json,
    text: ({ width }) => previewText(json, width),
    failure: wider === "" ? undefined : `This allows more than key "${narrows}": ${wider}`,
  };
}

function previewText(
  { tier, endpoints, models, hostedTools, expired }: Preview,
  width: number,
): string {
  const counted = endpoints.map((row) => ({ ...row, count: row.models.length }));
  const reachable = {
    endpoints: counted.filter(({ count }) => count > 0).length,
    models: models.filter((model) => model.endpoints.length > 0).length,
  };
  const tools = hostedTools.filter(({ allowed }) => allowed).map(({ type }) => type);
  const head = facts([
    ["tier", tier ?? "none applies"],
    ["models", `${reachable.models} of ${models.length}`],
    ["endpoints", `${reachable.endpoints} of ${endpoints.length}`],
    ["hosted tools", tools.join(", ") || "none"],
    ...expired ? [["expired", "already: the key would never serve"] as const] : [],
  ]);
  return [
    head,
    table(ENDPOINTS, counted, { width, empty: EMPTY }),
    table(MODELS, models, { width, empty: EMPTY }),
  ].join("\n");
}
