import type { Call, Command, Output } from "./command.ts";
import { readJson } from "./json_file.ts";
import { type Row, rowOf, rowsOf, textOf, timeOf } from "./json_fields.ts";
import { column, facts, id, optional, table, time } from "./table.ts";

/** `svc keys …`. */
export const keyCommands: readonly Command[] = [
  {
    words: "keys create",
    operands: [],
    required: ["name", "wallet"],
    options: ["policy"],
    summary: "Create a key and show it once",
    run: async (call) => {
      const body = {
        name: call.option("name"),
        wallet: call.option("wallet"),
        policy: await policyOf(call),
      };
      return newKeyOutput(await call.client.post("/keys", body));
    },
  },
  {
    words: "keys list",
    operands: [],
    required: [],
    options: [],
    summary: "List the keys, newest first",
    run: async ({ client }) => {
      const json = await client.get("/keys");
      const empty = "There are no keys";
      return { json, text: ({ width }) => table(COLUMNS, rowsOf(json, "keys"), { width, empty }) };
    },
  },
  {
    words: "keys show",
    operands: ["ID"],
    required: [],
    options: [],
    summary: "Show a key's policy and what it has spent",
    run: async ({ client, operands: [key] }) => keyOutput(await client.get(pathOf(key))),
  },
  {
    words: "keys narrow",
    operands: ["ID"],
    required: ["policy"],
    options: [],
    summary: "Replace a key's policy by the same or a stricter one",
    run: async (call) => {
      const body = { policy: await policyOf(call) };
      return keyOutput(await call.client.post(pathOf(call.operands[0], "narrow"), body));
    },
  },
  change("disable", "Stop a key from serving, until it is enabled"),
  change("enable", "Let a disabled key serve again"),
  change("revoke", "Stop a key for good"),
  {
    words: "keys rotate",
    operands: ["ID"],
    required: [],
    options: ["policy", "name"],
    summary: "Create a copy; the old key serves until revoked",
    run: async (call) => {
      const body = { policy: await policyOf(call), name: call.option("name") };
      return newKeyOutput(await call.client.post(pathOf(call.operands[0], "rotate"), body));
    },
  },
];

const COLUMNS = [
  id("KEY", "id"),
  column("NAME", "name"),
  column("WALLET", "wallet"),
  id("STATUS", "status"),
  optional(time("CREATED", "createdAt")),
  time("LAST USED", "lastUsedAt"),
];

function change(verb: "disable" | "enable" | "revoke", summary: string): Command {
  return {
    words: `keys ${verb}`,
    operands: ["ID"],
    required: [],
    options: [],
    summary,
    run: async ({ client, operands: [key] }) => keyOutput(await client.post(pathOf(key, verb))),
  };
}

function pathOf(key = "", verb?: string): string {
  const path = `/keys/${encodeURIComponent(key)}`;
  return verb === undefined ? path : `${path}/${verb}`;
}

async function policyOf(call: Call): Promise<unknown> {
  const path = call.option("policy");
  return path === undefined ? undefined : await readJson(call.io, path);
}

function newKeyOutput(json: Row): Output {
  const key = textOf(json, "key");
  const once = "This is the only time the key is shown: put it into your secret store now.";
  return { json, text: () => `${key}\n\n${once}\n\n${keyText(json)}` };
}

function keyOutput(json: Row): Output {
  return { json, text: () => keyText(json) };
}

function keyText(key: Row): string {
  const spend = rowOf(key, "spend");
  const optional: readonly (readonly [string, string])[] = [
    ["last used", timeOf(key, "lastUsedAt")],
    ["rotated from", textOf(key, "rotatedFrom")],
    ["held", textOf(spend, "held")],
    ["spent today", textOf(spend, "day")],
    ["this month", textOf(spend, "month")],
    ["in total", textOf(spend, "total")],
  ];
  const policy = Object.entries(rowOf(key, "policy"));
  return facts([
    ["key", textOf(key, "id")],
    ["name", textOf(key, "name")],
    ["wallet", textOf(key, "wallet")],
    ["status", textOf(key, "status")],
    ["begins", textOf(key, "hint")],
    ["created", timeOf(key, "createdAt")],
    ...optional.filter(([, value]) => value !== ""),
    ...policy.length === 0 ? [["policy", "no restrictions"] as const] : [],
    ...policy.map(([field]) => [field, textOf(rowOf(key, "policy"), field)] as const),
  ]);
}
