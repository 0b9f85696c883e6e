import { isJsonObject } from "@svc/sdk/protocol";
import type { LanguageModelV4CallOptions } from "@ai-sdk/provider";
import { parseObject } from "../openai_compatible/body.ts";
import { thinkingWithin } from "./output_limit.ts";

/** Sends a request through a `fetch`, as the package would write it. */
export type Rehearse = (rehearsal: typeof fetch) => PromiseLike<unknown>;

/**
 * Keeps thoughts and answer together within the output limit where the request is signed: then its
 * body cannot be changed any more once the package has written it. So it is written twice: what the
 * package makes of the effort is read out of the first, which is never sent.
 */
export async function withinSignedLimit(
  options: LanguageModelV4CallOptions,
  limitTokens: number,
  rehearse: Rehearse,
): Promise<LanguageModelV4CallOptions> {
  let written = "";
  try {
    await rehearse((_input, init) => {
      written = String(init?.body);
      return Promise.reject(new Error("Only a rehearsal"));
    });
  } catch {
    // That is how every rehearsal ends; what the package itself refuses, it refuses again.
  }
  const fields = parseObject(written)?.["additionalModelRequestFields"];
  const thinking = isJsonObject(fields) ? fields["thinking"] : undefined;
  const asked = isJsonObject(thinking) ? thinking["budget_tokens"] : undefined;
  if (typeof asked !== "number") return options;
  const budgetTokens = thinkingWithin(asked, limitTokens);
  if (budgetTokens === undefined) {
    const { reasoning: _none, ...rest } = options;
    return rest;
  }
  const own = options.providerOptions?.["bedrock"];
  return {
    ...options,
    // The package adds the two.
    maxOutputTokens: limitTokens - budgetTokens,
    providerOptions: {
      ...options.providerOptions,
      bedrock: { ...own, reasoningConfig: { type: "enabled", budgetTokens } },
    },
  };
}
