import { isJsonObject } from "@svc/sdk/protocol";
import type { LanguageModelV4CallOptions } from "@ai-sdk/provider";
import { parseObject } from "../openai_compatible/body.ts";
import { thinkingWithin } from "./output_limit.ts";

/** Sends a request through a `fetch`, as the package writes it. */
export type Rehearse = (rehearsal: typeof fetch) => PromiseLike<unknown>;

/**
 * Keeps thoughts and answer together within the output limit of a signed request, whose body cannot
 * change after the package has written it. The package therefore writes it twice: the first body,
 * which is never sent, shows the tokens for thinking.
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
    // Every rehearsal ends with this error; the package repeats its own errors later.
  }
  const fields = parseObject(written)?.["additionalModelRequestFields"];
  const thinking = isJsonObject(fields) ? fields["thinking"] : undefined;
  const budget = isJsonObject(thinking) ? thinking["budget_tokens"] : undefined;
  if (typeof budget !== "number") return options;
  const budgetTokens = thinkingWithin(budget, limitTokens);
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
