import type { AnswerOf } from "../../admin_api/operations.ts";
import type { Call, Command, Output } from "../command.ts";
import { CliFailure, UsageError } from "../failures.ts";
import { readJson } from "../input/json_file.ts";
import { amount, type Column, column, facts, id, optional, table, time } from "../output/table.ts";
import { nextPage } from "./wallets.ts";

type Target = AnswerOf<"GET /notify/targets">["targets"][number];
type Incident = AnswerOf<"GET /notify/incidents">["incidents"][number];
type Delivery = AnswerOf<"GET /notify/deliveries">["deliveries"][number];

/** `svc notify …`. */
export const notifyCommands: readonly Command[] = [
  {
    words: "notify targets",
    summary: "List the targets of notifications",
    run: async ({ client }) => {
      const json = await client.call("GET /notify/targets");
      const empty = "There are no targets: no operator is notified";
      return { json, text: ({ width }) => table(TARGETS, json.targets, { width, empty }) };
    },
  },
  {
    words: "notify add",
    operands: ["KIND", "URL|FILE"],
    required: ["name"],
    options: ["only"],
    summary: "Add a target: webhook or slack and its URL, or email and a JSON file",
    meanings: {
      name: "Name of the target",
      only: "Only these kinds of incidents, with commas between them",
    },
    run: add,
  },
  {
    words: "notify remove",
    operands: ["ID"],
    summary: "Remove a target and what is on its way to it",
    run: async ({ client, operands: [id = ""] }) => {
      const json = await client.call("DELETE /notify/targets/{id}", { id });
      return { json, text: () => `Removed ${json.id}\n` };
    },
  },
  {
    words: "notify test",
    operands: ["[ID]"],
    summary: "Send a test to a target, or to all",
    run: test,
  },
  {
    words: "notify incidents",
    options: ["limit", "cursor"],
    summary: "List the incidents, newest first",
    run: async ({ client, option }) => {
      const query = { limit: option("limit"), cursor: option("cursor") };
      const json = await client.call("GET /notify/incidents", { query });
      const empty = "There were no incidents";
      return {
        json,
        text: ({ width }) => table(INCIDENTS, json.incidents, { width, empty }) + nextPage(json),
      };
    },
  },
  {
    words: "notify deliveries",
    options: ["status", "limit", "cursor"],
    summary: "List the messages to targets, newest first",
    meanings: { status: "Only those that are pending, delivered or dead" },
    run: async ({ client, option }) => {
      const query = { state: option("status"), limit: option("limit"), cursor: option("cursor") };
      const json = await client.call("GET /notify/deliveries", { query });
      const empty = "There are no deliveries here";
      return {
        json,
        text: ({ width }) => table(DELIVERIES, json.deliveries, { width, empty }) + nextPage(json),
      };
    },
  },
  {
    words: "notify retry",
    operands: ["ID"],
    summary: "Send a message that was given up again",
    run: async ({ client, operands: [id = ""] }) => {
      const json = await client.call("POST /notify/deliveries/{id}/retry", { id });
      return { json, text: () => `Sends ${json.id} again\n` };
    },
  },
];

const TARGETS: readonly Column<Target>[] = [
  id("TARGET", "id"),
  column("NAME", "name"),
  column("KIND", "kind"),
  column("PLACE", "place"),
  {
    title: "INCIDENTS",
    cell: ({ incidents }) => incidents?.join(", ") ?? "everything",
    kind: "text",
  },
  optional(time("ADDED", "createdAt")),
];
const INCIDENTS: readonly Column<Incident>[] = [
  time("BEGAN", "beganAt"),
  time("ENDED", "endedAt"),
  column("KIND", "kind"),
  column("INCIDENT", "text"),
  optional(id("ID", "id")),
];
const DELIVERIES: readonly Column<Delivery>[] = [
  id("DELIVERY", "id"),
  time("AT", "at"),
  column("STATE", "state"),
  amount("ATTEMPTS", "attempts"),
  column("TYPE", "type"),
  optional(time("NEXT", "nextAt")),
  { title: "PROBLEM", cell: ({ problem }) => problem ?? "", kind: "text", optional: true },
];

async function add(call: Call): Promise<Output> {
  const name = call.option("name");
  const body = { name, ...await placeOf(call), ...kindsOf(call.option("only")) };
  const json = await call.client.call("POST /notify/targets", { body });
  const { secret } = json;
  const text = facts([
    ["target", json.id],
    ["place", json.place],
    ...secret === null ? [] : [["secret", secret] as const],
  ]);
  const note = secret === null ? "" : "Verify signatures with the secret; it is not shown again.\n";
  return { json, text: () => text + note };
}

/** Returns the place of a target; the gateway checks it. */
async function placeOf(
  { io, operands: [kind = "", place = ""] }: Call,
): Promise<{ readonly kind: string; readonly url?: string; readonly mail?: unknown }> {
  if (kind === "email") return { kind, mail: await readJson(io, place) };
  if (kind === "webhook" || kind === "slack") return { kind, url: place };
  throw new UsageError(`A target is a webhook, slack or email, not "${kind}"`);
}

function kindsOf(only: string | undefined): { readonly incidents?: readonly string[] } {
  return only === undefined ? {} : { incidents: only.split(",").map((kind) => kind.trim()) };
}

async function test({ client, operands: [id] }: Call): Promise<Output> {
  const all = (await client.call("GET /notify/targets")).targets;
  const targets = id === undefined ? all : all.filter((target) => target.id === id);
  if (targets.length === 0) {
    throw new CliFailure(
      id === undefined
        ? "There are no targets: add one with svc notify add"
        : `There is no target "${id}"`,
    );
  }
  const results = await Promise.all(targets.map(async ({ id, name }) => {
    const { ok, problem } = await client.call("POST /notify/targets/{id}/test", { id });
    return { target: id, name, ok, problem };
  }));
  const failed = results.filter(({ ok }) => !ok).length;
  const lines = results.map(({ target, name, problem }) =>
    `${name} (${target}): ${problem ?? "accepted"}\n`
  );
  const failure = failed === 0 ? {} : { failure: `${failed} of ${results.length} tests failed` };
  return { json: { results }, text: () => lines.join(""), ...failure };
}
