import type { Command, Output } from "../command.ts";
import { type Row, rowOf, textOf } from "../output/json_fields.ts";
import { facts } from "../output/table.ts";

/** `svc pepper …`. */
export const pepperCommands: readonly Command[] = [
  {
    words: "pepper show",
    summary: "Show what keys are digested under, and which still need the previous one",
    run: async ({ client }) => pepperOutput(await client.get("/pepper")),
  },
  {
    words: "pepper rotate",
    summary: "Put a new pepper in force; keys move to it as they are used",
    run: async ({ client }) => pepperOutput(await client.post("/pepper/rotate")),
  },
  {
    words: "pepper drop",
    summary: "Forget the previous pepper, once nothing stands under it",
    run: async ({ client }) => pepperOutput(await client.post("/pepper/drop")),
  },
];

function pepperOutput(json: Row): Output {
  return { json, text: () => pepperText(json) };
}

function pepperText(json: Row): string {
  const { previous } = json;
  if (previous === null) return facts([["current", lineOf(rowOf(json, "current"))]]);
  const before = rowOf(json, "previous");
  const isUnused = before.keys === 0 && before.adminToken === false;
  const rows = facts([
    ["current", lineOf(rowOf(json, "current"))],
    ["previous", lineOf(before)],
    ...before.keys === 0 ? [] : [["still needed by", textOf(before, "keyIds")] as const],
  ]);
  if (!isUnused) return rows;
  const how = before.kept === true
    ? "`svc pepper drop` forgets it"
    : "start the service without SERVICE_KEY_PEPPER_PREVIOUS";
  return `${rows}\nThe previous pepper is needed no more: ${how}. Links to files made under it end.\n`;
}

function lineOf(pepper: Row): string {
  const source = pepper.kept === true ? "kept in the store" : "given by the environment";
  const token = pepper.adminToken === true ? " and the admin token" : "";
  const keys = `${textOf(pepper, "keys")} ${pepper.keys === 1 ? "key" : "keys"}`;
  return `version ${textOf(pepper, "version")}, ${source}: ${keys}${token}`;
}
