import type { AnswerOf } from "../../../admin_api/operations.ts";
import { requireAgreement } from "../../input/agreement.ts";
import type { Call, Command, Output } from "../../command.ts";
import { UsageError } from "../../failures.ts";
import { timeText } from "../../output/field_text.ts";
import { keyOutput, newKeyOutput, pinOutput, policyOf } from "./key_output.ts";
import { nextPage } from "../wallets.ts";
import { previewCommand } from "./preview.ts";
import { rotationCommands } from "./rotation.ts";
import {
  amount,
  type Column,
  column,
  id,
  optional,
  printable,
  table,
  time,
} from "../../output/table.ts";

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
      return newKeyOutput(await call.client.call("POST /keys", { body }));
    },
  },
  {
    words: "keys list",
    options: ["match", "wallet", "limit", "cursor"],
    summary: "List the keys, newest first",
    meanings: {
      match: "Only keys with this text in their name, hint or id",
      wallet: "Only keys of this wallet",
    },
    run: async ({ client, option }) => {
      const query = {
        q: option("match"),
        wallet: option("wallet"),
        limit: option("limit"),
        cursor: option("cursor"),
      };
      return listOutput(await client.call("GET /keys", { query }));
    },
  },
  {
    words: "keys show",
    operands: ["ID"],
    summary: "Show a key's policy and its spending",
    run: async ({ client, operands: [id = ""] }) =>
      keyOutput(await client.call("GET /keys/{id}", { id })),
  },
  {
    words: "keys narrow",
    operands: ["ID"],
    required: ["policy"],
    summary: "Replace a key's policy by the same or a stricter one",
    run: async (call) => {
      const [id = ""] = call.operands;
      const body = { policy: await policyOf(call) };
      return keyOutput(await call.client.call("POST /keys/{id}/narrow", { id, body }));
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
      const [id = ""] = call.operands;
      const key = await call.client.call("GET /keys/{id}", { id });
      const name = `"${key.name}" (${key.id})`;
      const question = `Revoke key ${name} for good? Its callers are refused from then on.`;
      // Revoking a revoked key interrupts no caller.
      if (key.status !== "revoked") await requireAgreement(call, printable(question));
      return keyOutput(await call.client.call("POST /keys/{id}/revoke", { id }));
    },
  },
  {
    words: "keys content-log",
    operands: ["ID", "on|off"],
    summary: "Log the content of a key's requests without secrets, or stop logging it",
    run: async ({ client, operands: [id = "", state = ""] }) => {
      if (state !== "on" && state !== "off") {
        throw new UsageError(`Say "on" or "off", not "${state}"`);
      }
      const body = { on: state === "on" };
      return keyOutput(await client.call("POST /keys/{id}/content-log", { id, body }));
    },
  },
  {
    words: "keys link",
    operands: ["ID"],
    summary: "Make a link that signs the holder of a key in to its own pages, once",
    run: async ({ client, operands: [id = ""] }) =>
      linkOutput(await client.call("POST /keys/{id}/sign-in-link", { id })),
  },
  {
    words: "keys pin-embeddings",
    operands: ["ID", "MODEL"],
    options: ["dimensions", "yes"],
    summary: "Pin another embedding model for a key and all keys of its rotation line",
    run: async (call) => {
      const [id = "", model = ""] = call.operands;
      const key = await call.client.call("GET /keys/{id}", { id });
      await agreeToNewVectors(call, key);
      const given = call.option("dimensions");
      const dimensions = given === undefined ? undefined : Number(given);
      if (dimensions !== undefined && !Number.isInteger(dimensions)) {
        throw new UsageError(`Give the dimensions as a whole number, not "${given}"`);
      }
      const body = { model, dimensions };
      return pinOutput(await call.client.call("POST /keys/{id}/embedding-model", { id, body }));
    },
  },
  {
    words: "keys unpin-embeddings",
    operands: ["ID"],
    options: ["yes"],
    summary: "Forget the embedding model of a key: its next call pins one",
    run: async (call) => {
      const [id = ""] = call.operands;
      await agreeToNewVectors(call, await call.client.call("GET /keys/{id}", { id }));
      return pinOutput(await call.client.call("DELETE /keys/{id}/embedding-model", { id }));
    },
  },
  previewCommand,
  ...rotationCommands,
];

/** Asks before stored vectors stop to compare with new ones. */
async function agreeToNewVectors(
  call: Call,
  { embeddings, name }: AnswerOf<"GET /keys/{id}">,
): Promise<void> {
  if (embeddings === null) return;
  const question =
    `Change the embedding model of key "${name}"? Vectors of "${embeddings.model}" ` +
    "that its callers have stored do not compare with those of another model.";
  await requireAgreement(call, printable(question));
}

type ListedKey = AnswerOf<"GET /keys">["keys"][number];

const COLUMNS: readonly Column<ListedKey>[] = [
  id("KEY", "id"),
  column("NAME", "name"),
  column("WALLET", "wallet"),
  id("STATUS", "status"),
  optional(time("CREATED", "createdAt")),
  time("LAST USED", "lastUsedAt"),
];
const PEPPER = amount<ListedKey>("PEPPER", "pepper");

function listOutput(json: AnswerOf<"GET /keys">): Output {
  const { keys, total, underPreviousPepper: pendingKeys } = json;
  const empty = total === 0 ? "There are no keys" : "No key matches here";
  const columns = pendingKeys === null ? COLUMNS : [...COLUMNS, PEPPER];
  const note = pendingKeys === null
    ? ""
    : `\n${pendingKeys} of ${total} keys still need the previous pepper: see "svc pepper show"\n`;
  return {
    json,
    text: ({ width }) => table(columns, keys, { width, empty }) + nextPage(json) + note,
  };
}

function linkOutput(json: AnswerOf<"POST /keys/{id}/sign-in-link">): Output {
  const { url, expiresAt } = json;
  const once = `It signs in once, until ${timeText(expiresAt)}: give it to the key's holder.`;
  return { json, text: () => `${url}\n\n${once}\n` };
}

function change(verb: "disable" | "enable", summary: string): Command {
  return {
    words: `keys ${verb}`,
    operands: ["ID"],
    summary,
    run: async ({ client, operands: [id = ""] }) =>
      keyOutput(await client.call(`POST /keys/{id}/${verb}`, { id })),
  };
}
