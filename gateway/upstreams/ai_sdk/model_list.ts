import type { NativeKind } from "../../domain/catalog.ts";
import { isRecord, MAX_JSON_BYTES, parseObject, readText } from "../openai_compatible/body.ts";
import type { Exchange } from "../openai_compatible/exchange.ts";

/** Whose models are asked for. */
export interface ModelListOptions {
  /** The provider's address. */
  readonly baseUrl: string;
  /** Connections of the upstream. */
  readonly client: Deno.HttpClient;
  /** The provider's key. */
  readonly key: string;
  /** How its list is asked for. */
  readonly kind: NativeKind;
}

/** How a provider lists its models. */
interface List {
  /** Follows the base URL. */
  readonly path: string;
  headers(key: string): Record<string, string>;
  /** Member that holds the list. */
  readonly member: string;
  /** Member of an entry that holds the name. */
  readonly name: string;
}

const bearer = (key: string) => ({ authorization: `Bearer ${key}` });

const LISTS: Readonly<Partial<Record<NativeKind, List>>> = {
  anthropic: {
    path: "/models?limit=1000",
    headers: (key) => ({ "x-api-key": key, "anthropic-version": "2023-06-01" }),
    member: "data",
    name: "id",
  },
  google: {
    path: "/models?pageSize=1000",
    headers: (key) => ({ "x-goog-api-key": key }),
    member: "models",
    name: "name",
  },
  mistral: { path: "/models", headers: bearer, member: "data", name: "id" },
};

/** Names of the models that a provider offers. Packages have no call for it. */
export async function listModels(
  exchange: Exchange,
  { baseUrl, client, key, kind }: ModelListOptions,
): Promise<readonly string[]> {
  const list = LISTS[kind];
  if (list === undefined) throw new Error(`Providers of kind "${kind}" are not asked for a list`);
  const headers = { ...list.headers(key), accept: "application/json" };
  const init = { client, headers, redirect: "manual" } as const;
  const response = await exchange.open(baseUrl + list.path, init);
  if (response.status !== 200) throw new Error(`The answer has status ${response.status}`);
  const text = await readText(response, exchange, { maxBytes: MAX_JSON_BYTES });
  const entries = parseObject(text ?? "")?.[list.member];
  if (!Array.isArray(entries)) throw new Error("The answer is no list of models");
  return entries.flatMap((entry) => {
    const name = isRecord(entry) ? entry[list.name] : undefined;
    return typeof name === "string" ? [name.replace(/^models\//, "")] : [];
  });
}
