import type { AnswerOf } from "../../admin_api/operations.ts";
import type { Command, Output } from "../command.ts";
import { facts } from "../output/table.ts";

type Pepper = AnswerOf<"GET /pepper">;

/** `svc pepper …`. */
export const pepperCommands: readonly Command[] = [
  {
    words: "pepper show",
    summary: "Show the pepper in force, and the keys that still need the previous one",
    run: async ({ client }) => pepperOutput(await client.call("GET /pepper")),
  },
  {
    words: "pepper rotate",
    summary: "Put a new pepper in force; each key moves to it at its next use",
    run: async ({ client }) => pepperOutput(await client.call("POST /pepper/rotate")),
  },
  {
    words: "pepper drop",
    summary: "Forget the previous pepper, once no key uses it",
    run: async ({ client }) => pepperOutput(await client.call("POST /pepper/drop")),
  },
];

function pepperOutput(json: Pepper): Output {
  return { json, text: () => pepperText(json) };
}

function pepperText({ current, previous }: Pepper): string {
  if (previous === null) return facts([["current", lineOf(current)]]);
  const isUnused = previous.keys === 0 && !previous.adminToken && previous.operatorTokens === 0;
  const rows = facts([
    ["current", lineOf(current)],
    ["previous", lineOf(previous)],
    ...previous.keys === 0 ? [] : [["still needed by", previous.keyIds.join(", ")] as const],
  ]);
  if (!isUnused) return rows;
  const how = previous.kept
    ? "`svc pepper drop` forgets it"
    : "start the service without SERVICE_KEY_PEPPER_PREVIOUS";
  return `${rows}\nThe previous pepper is no longer needed: ${how}. Links to files that were signed with it end.\n`;
}

function lineOf(
  { version, kept: isStored, adminToken, operatorTokens, keys }: Pepper["current"],
): string {
  const source = isStored ? "stored in the store" : "set in the environment";
  const token = (adminToken ? " and the admin token" : "") +
    (operatorTokens === 0 ? "" : ` and operators' tokens (${operatorTokens})`);
  return `version ${version}, ${source}: ${keys} ${keys === 1 ? "key" : "keys"}${token}`;
}
