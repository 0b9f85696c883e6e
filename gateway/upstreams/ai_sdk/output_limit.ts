import { isJsonObject } from "@svc/sdk/protocol";
import { OUTPUT_LIMIT_FIELDS, type OutputLimitField } from "../../domain/catalog/catalog.ts";
import { parseObject } from "../openai_compatible/body.ts";

// Less is refused by the provider.
const MIN_THINKING_TOKENS = 1024;

/**
 * Claude's packages add the tokens for thinking to the output limit that they are given, but the
 * hold pays for both together: takes the sum back to the limit, and thinking to what is left. Where
 * that is too little to think, `onNoRoom` is called.
 */
export function withinLimit(
  body: string,
  limitTokens: number,
  { onNoRoom }: { readonly onNoRoom?: () => void } = {},
): string {
  const value = parseObject(body);
  if (value === undefined) return body;
  const thinkLess = (fields: Fields) => thinkingTaken(fields, { limitTokens, onNoRoom });
  const converse = value["inferenceConfig"];
  const fields = value["additionalModelRequestFields"];
  if (isJsonObject(converse)) {
    const inferenceConfig = limited(converse, "maxTokens", limitTokens);
    const additionalModelRequestFields = isJsonObject(fields) ? thinkLess(fields) : fields;
    return JSON.stringify({ ...value, inferenceConfig, additionalModelRequestFields });
  }
  return JSON.stringify(thinkLess(limited(value, "max_tokens", limitTokens)));
}

/**
 * The body with its output limit in the field that the model takes. Azure's models are called by names
 * of the operator's own, from which the package cannot tell which one that is.
 */
export function withLimitField(body: string, field: OutputLimitField): string {
  const value = parseObject(body);
  const [limit] = OUTPUT_LIMIT_FIELDS.flatMap((name) => value?.[name] ?? []);
  if (limit === undefined) return body;
  const { max_tokens: _older, max_completion_tokens: _newer, ...rest } = value ?? {};
  return JSON.stringify({ ...rest, [field]: limit });
}

type Fields = Readonly<Record<string, unknown>>;

function limited(value: Fields, name: string, limitTokens: number): Fields {
  const tokens = value[name];
  return typeof tokens === "number" && tokens > limitTokens
    ? { ...value, [name]: limitTokens }
    : value;
}

function thinkingTaken(
  value: Fields,
  { limitTokens, onNoRoom }: { limitTokens: number; onNoRoom: (() => void) | undefined },
): Fields {
  const { thinking, ...rest } = value;
  const budget = isJsonObject(thinking) ? thinking["budget_tokens"] : undefined;
  if (!isJsonObject(thinking) || typeof budget !== "number" || budget < limitTokens) return value;
  const less = thinkingWithin(budget, limitTokens);
  if (less !== undefined) return { ...value, thinking: { ...thinking, budget_tokens: less } };
  onNoRoom?.();
  return rest;
}

/**
 * Tokens for thinking, where thoughts and answer share a limit; `undefined` where there is no room
 * for thoughts and the answer comes without them.
 */
export function thinkingWithin(budgetTokens: number, limitTokens: number): number | undefined {
  if (budgetTokens < limitTokens) return budgetTokens;
  const less = Math.floor(limitTokens / 2);
  return less < MIN_THINKING_TOKENS ? undefined : less;
}
