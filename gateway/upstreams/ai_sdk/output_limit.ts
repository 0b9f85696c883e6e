import { isJsonObject } from "@svc/sdk/protocol";
import { OUTPUT_LIMIT_FIELDS, type OutputLimitField } from "../../domain/catalog/catalog.ts";
import { parseObject } from "../openai_compatible/body.ts";

// Minimum that the provider accepts.
const MIN_THINKING_TOKENS = 1024;

/**
 * Limits the output tokens of a request that Claude's packages have written. The packages add the
 * tokens for thinking to the output limit, but the hold pays for both together: reduces the sum to
 * the limit, and thinking to the rest. Calls `onNoRoom` if too few tokens remain for thinking.
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
 * Moves the output limit of a request into the field that the model takes. Azure's models have the
 * operator's names, from which the package cannot tell the field.
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
 * Returns the tokens for thinking where thoughts and answer share a limit; `undefined` where there
 * is no room for thoughts.
 */
export function thinkingWithin(budgetTokens: number, limitTokens: number): number | undefined {
  if (budgetTokens < limitTokens) return budgetTokens;
  const less = Math.floor(limitTokens / 2);
  return less < MIN_THINKING_TOKENS ? undefined : less;
}
