import { isJsonObject } from "@svc/sdk/protocol";
import { ModelListError } from "../../ports/upstream.ts";
import { modelListRefusal } from "../model_list_error.ts";
import { MAX_JSON_BYTES, parseObject, readText } from "../openai_compatible/body.ts";
import type { Exchange } from "../openai_compatible/exchange.ts";
import type { ModelList } from "../providers/descriptor.ts";

/** Returns the names of the models that a provider offers. The packages have no function for it. */
export async function listModels(
  exchange: Exchange,
  list: ModelList | string,
): Promise<readonly string[]> {
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
