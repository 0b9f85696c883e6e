import { isJsonObject } from "@svc/sdk/protocol";
import type { NativeKind, UpstreamConfig } from "../../domain/catalog/catalog.ts";
import { ModelListError } from "../../ports/upstream.ts";
import { modelListRefusal } from "../model_list_error.ts";
import { MAX_JSON_BYTES, parseObject, readText } from "../openai_compatible/body.ts";
import type { Exchange } from "../openai_compatible/exchange.ts";
import { type Access, secretOf } from "./access.ts";

/** Whose models are asked for. */
export interface ModelListOptions {
  /** What the request proves itself with. */
  readonly access: Access;
  /** The provider's address. */
  readonly baseUrl: string;
  /** Its configuration. */
  readonly config: UpstreamConfig;
  /** How its list is asked for. */
  readonly kind: NativeKind;
}

/** How a provider lists its models. */
interface List {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Member that holds the list. */
  readonly member: string;
  /** Member of an entry that holds the name. */
  readonly name: string;
}

/** Names of the models that a provider offers. Packages have no call for it. */
export async function listModels(
  exchange: Exchange,
  options: ModelListOptions,
): Promise<readonly string[]> {
  const list = LISTS[options.kind](options);
  if (typeof list === "string") throw new ModelListError("unlisted", list);
  const headers = { ...list.headers, accept: "application/json" };
  const response = await exchange.open(list.url, { headers, redirect: "manual" });
  if (response.status !== 200) throw modelListRefusal(response.status);
  const text = await readText(response, exchange, { maxBytes: MAX_JSON_BYTES });
  const entries = parseObject(text ?? "")?.[list.member];
  if (!Array.isArray(entries)) throw new Error("The answer is no list of models");
  return entries.flatMap((entry) => {
    const name = isJsonObject(entry) ? entry[list.name] : undefined;
    return typeof name === "string" ? [name.replace(/^(?:publishers\/google\/)?models\//, "")] : [];
  });
}

/** The list of each kind, or why there is none to be had. */
const LISTS: Readonly<Record<NativeKind, (options: ModelListOptions) => List | string>> = {
  anthropic: ({ access, baseUrl }) => ({
    url: `${baseUrl}/models?limit=1000`,
    headers: { "x-api-key": secretOf(access), "anthropic-version": "2023-06-01" },
    member: "data",
    name: "id",
  }),
  google: ({ access, baseUrl }) => ({
    url: `${baseUrl}/models?pageSize=1000`,
    headers: { "x-goog-api-key": secretOf(access) },
    member: "models",
    name: "name",
  }),
  "google-vertex": ({ access, baseUrl, config: { project } }) => {
    if (access.kind !== "token") return "Vertex lists models for service accounts only";
    return {
      // Publishers' models are listed outside of any project, which pays for the question.
      url: `${new URL(baseUrl).origin}/v1beta1/publishers/google/models?pageSize=100`,
      headers: { ...bearer(access), ...(project === undefined ? {} : quotaOf(project)) },
      member: "publisherModels",
      name: "name",
    };
  },
  "amazon-bedrock": ({ access, config: { baseUrl, region } }) => {
    if (access.kind === "aws") {
      return "Bedrock's list is read with a bearer key, not with signatures";
    }
    if (baseUrl !== undefined || region === undefined) {
      return "Bedrock's list is at another address than its models, which baseUrl does not name";
    }
    return {
      url: `https://bedrock.${region}.amazonaws.com/foundation-models`,
      headers: bearer(access),
      member: "modelSummaries",
      name: "modelId",
    };
  },
  azure: () => "Azure lists what could be deployed, not the deployments that can be called",
  mistral: ({ access, baseUrl }) => ({
    url: `${baseUrl}/models`,
    headers: bearer(access),
    member: "data",
    name: "id",
  }),
  cohere: ({ access, baseUrl }) => ({
    // The list belongs to the first version of the interface still.
    url: `${baseUrl.replace(/\/v2$/, "/v1")}/models?endpoint=chat&page_size=1000`,
    headers: bearer(access),
    member: "models",
    name: "name",
  }),
};

function bearer(access: Access): { authorization: string } {
  return { authorization: `Bearer ${secretOf(access)}` };
}

function quotaOf(project: string): { "x-goog-user-project": string } {
  return { "x-goog-user-project": project };
}
