import { requireAgreement } from "../../input/agreement.ts";
import type { Command, Output } from "../../command.ts";
import { UsageError } from "../../failures.ts";
import { type Row, rowsOf, textOf } from "../../output/json_fields.ts";
import { keyOutput, newKeyOutput, pathOf, policyOf } from "./key_output.ts";
import { previewCommand } from "./preview.ts";
import { rotationCommands } from "./rotation.ts";
import { amount, column, id, optional, printable, table, time } from "../../output/table.ts";

/** `svc keys …`. */
export const keyCommands: readonly Command[] = [
  {
    words: "keys create",
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
    summary: "List the keys, newest first",
    run: async ({ client }) => listOutput(await client.get("/keys")),
  },
  {
    words: "keys show",
    operands: ["ID"],
    summary: "Show a key's policy and what it has spent",
    run: async ({ client, operands: [key] }) => keyOutput(await client.get(pathOf(key))),
  },
  {
    words: "keys narrow",
    operands: ["ID"],
    required: ["policy"],
    summary: "Replace a key's policy by the same or a stricter one",
    run: async (call) => {
      const body = { policy: await policyOf(call) };
      return keyOutput(await call.client.post(pathOf(call.operands[0], "narrow"), body));
    },
  },
  change("disable", "Stop a key from serving, until it is enabled"),
  change("enable", "Let a disabled key serve again"),
  {
    words: "keys revoke",
    operands: ["ID"],
    options: ["yes"],
    summary: "Stop a key for good",
    run: async (call) => {
      const path = pathOf(call.operands[0]);
      const key = await call.client.get(path);
      const name = `"${textOf(key, "name")}" (${textOf(key, "id")})`;
      const question = `Revoke key ${name} for good? Whoever uses it is cut off.`;
      // Revoking a revoked key interrupts no caller.
      if (key.status !== "revoked") await requireAgreement(call, printable(question));
      return keyOutput(await call.client.post(`${path}/revoke`));
    },
  },
  {
    words: "keys content-log",
    operands: ["ID", "on|off"],
    summary: "Keep what is said with a key's requests, secrets taken out, or keep it no more",
    run: async ({ client, operands: [key, state = ""] }) => {
      if (state !== "on" && state !== "off") {
        throw new UsageError(`Say "on" or "off", not "${state}"`);
      }
      return keyOutput(await client.post(pathOf(key, "content-log"), { on: state === "on" }));
    },
  },
  previewCommand,
  ...rotationCommands,
];

const COLUMNS = [
  id("KEY", "id"),
  column("NAME", "name"),
  column("WALLET", "wallet"),
  id("STATUS", "status"),
  optional(time("CREATED", "createdAt")),
  time("LAST USED", "lastUsedAt"),
];
const PEPPER = amount("PEPPER", "pepper");

function listOutput(json: Row): Output {
  const empty = "There are no keys";
  const { underPreviousPepper: pendingKeys } = json;
  const columns = typeof pendingKeys === "number" ? [...COLUMNS, PEPPER] : COLUMNS;
  const note = typeof pendingKeys === "number"
    ? `\n${pendingKeys} of these still need the previous pepper: see "svc pepper show"\n`
    : "";
  return {
    json,
    text: ({ width }) => table(columns, rowsOf(json, "keys"), { width, empty }) + note,
  };
}

function change(verb: "disable" | "enable", summary: string): Command {
  return {
    words: `keys ${verb}`,
    operands: ["ID"],
    summary,
    run: async ({ client, operands: [key] }) => keyOutput(await client.post(pathOf(key, verb))),
  };
}
