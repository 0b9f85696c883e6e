import type { AdminClient } from "../admin_client.ts";
import type { Command, OptionName } from "../command.ts";
import { type Row, rowOf, rowsOf, textOf } from "../output/json_fields.ts";

/** Maximum number of requests offered: the newest. */
const REQUESTS_MAX = "50";

type Ask = (client: AdminClient) => Promise<readonly string[]>;

/** Kinds of names that a shell offers, and the requests that list them. */
const SOURCES = {
  keys: fieldsAt("/keys", "keys", "id"),
  wallets: fieldsAt("/wallets", "wallets", "id"),
  requests: fieldsAt("/requests", "requests", "id", { limit: REQUESTS_MAX }),
  stores: fieldsAt("/vector-stores", "vectorStores", "id"),
  versions: fieldsAt("/catalog/versions", "versions", "version"),
  models: inCatalog("models", "id"),
  providers: inCatalog("upstreams", "provider"),
  tiers: inCatalog("tiers", "id"),
} as const satisfies Record<string, Ask>;

/** A kind of names that a running service has. */
export type NameSource = keyof typeof SOURCES;

/** True for the name of a kind. */
export function isNameSource(word: string): word is NameSource {
  return Object.hasOwn(SOURCES, word);
}

/** Returns the distinct names of a kind. */
export async function namesOf(source: NameSource, client: AdminClient): Promise<string[]> {
  return [...new Set(await SOURCES[source](client))];
}

/** Kinds of names by option. */
export const OPTION_SOURCES: Readonly<Partial<Record<OptionName, NameSource>>> = {
  ...{ key: "keys", narrows: "keys", wallet: "wallets", tier: "tiers" },
  ...{ model: "models", provider: "providers" },
};

const OPERAND_SOURCES: Readonly<Record<string, NameSource>> = {
  "keys ID": "keys",
  "wallets NAME": "wallets",
  "requests ID": "requests",
  "vector-stores ID": "stores",
  "catalog VERSION": "versions",
};

/** Returns the kind of names of an operand; `undefined` for new names and for other operands. */
export function operandSource({ words }: Command, operand: string): NameSource | undefined {
  const [head = "", verb] = words.split(" ");
  return verb === "create" ? undefined : OPERAND_SOURCES[`${head} ${operand}`];
}

function fieldsAt(path: string, list: string, field: string, query?: Record<string, string>): Ask {
  return async (client) => fieldsOf(await client.get(path, query), list, field);
}

function inCatalog(list: string, field: string): Ask {
  return async (client) => fieldsOf(rowOf(await client.get("/catalog"), "content"), list, field);
}

function fieldsOf(json: Row, list: string, field: string): string[] {
  return rowsOf(json, list).map((row) => textOf(row, field));
}
