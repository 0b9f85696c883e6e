import { PAGE_LIMIT } from "../../admin_api/query_fields.ts";
import type { AdminClient } from "../admin_client.ts";
import type { Command, OptionName } from "../command.ts";

/** Maximum number of requests offered: the newest. */
const REQUESTS_MAX = "50";

/** Names of other kinds that are offered, at most. */
const OFFERED = { query: { limit: String(PAGE_LIMIT) } };

type Lookup = (client: AdminClient) => Promise<readonly (string | number)[]>;

/** Kinds of names that a shell offers, and the calls that list them. */
const SOURCES = {
  keys: async (client) => (await client.call("GET /keys", OFFERED)).keys.map(({ id }) => id),
  wallets: async (client) =>
    (await client.call("GET /wallets", OFFERED)).wallets.map(({ id }) => id),
  requests: async (client) => {
    const query = { limit: REQUESTS_MAX };
    return (await client.call("GET /requests", { query })).requests.map(({ id }) => id);
  },
  tasks: async (client) => (await client.call("GET /routing/tasks")).tasks.map(({ task }) => task),
  snapshots: async (client) =>
    (await client.call("GET /routing/snapshots")).snapshots.map(({ number }) => number),
  stores: async (client) =>
    (await client.call("GET /vector-stores", OFFERED)).vectorStores.map(({ id }) => id),
  versions: async (client) =>
    (await client.call("GET /catalog/versions")).versions.map(({ version }) => version),
  models: async (client) => (await contentOf(client)).models.map(({ id }) => id),
  providers: async (client) => (await contentOf(client)).upstreams.map(({ provider }) => provider),
  tiers: async (client) => (await contentOf(client)).tiers.map(({ id }) => id),
} as const satisfies Record<string, Lookup>;

async function contentOf(client: AdminClient) {
  return (await client.call("GET /catalog")).content;
}

/** A kind of names that a running service has. */
export type NameSource = keyof typeof SOURCES;

/** True for the name of a kind. */
export function isNameSource(word: string): word is NameSource {
  return Object.hasOwn(SOURCES, word);
}

/** Returns the distinct names of a kind. */
export async function namesOf(source: NameSource, client: AdminClient): Promise<string[]> {
  const names = await SOURCES[source](client);
  return [...new Set(names.map(String))];
}

/** Kinds of names by option. */
export const OPTION_SOURCES: Readonly<Partial<Record<OptionName, NameSource>>> = {
  ...{ key: "keys", narrows: "keys", wallet: "wallets", tier: "tiers" },
  ...{ model: "models", provider: "providers", task: "tasks", snapshot: "snapshots" },
};

const OPERAND_SOURCES: Readonly<Record<string, NameSource>> = {
  "keys ID": "keys",
  "wallets NAME": "wallets",
  "requests ID": "requests",
  "routing REQUEST": "requests",
  "routing [TASK]": "tasks",
  "routing [N]": "snapshots",
  "vector-stores ID": "stores",
  "catalog VERSION": "versions",
};

/** Returns the kind of names of an operand; `undefined` for new names and for other operands. */
export function operandSource({ words }: Command, operand: string): NameSource | undefined {
  const [head = "", verb] = words.split(" ");
  return verb === "create" ? undefined : OPERAND_SOURCES[`${head} ${operand}`];
}
