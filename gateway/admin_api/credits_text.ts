import { z } from "zod";
import { decimalPattern, parseCredits } from "../domain/ledger/money.ts";

/** JSON Schema pattern of an amount as text. */
export const CREDITS_PATTERN: string = decimalPattern(6);

/** Returns the JSON Schema of an amount, as text or as a number. */
export function creditsSchema(options: { isPositive?: boolean } = {}) {
  const { isPositive = false } = options;
  const text = { type: "string" as const, pattern: CREDITS_PATTERN };
  return {
    anyOf: [
      isPositive ? { allOf: [text, { pattern: "[1-9]" }] } : text,
      {
        type: "number" as const,
        [isPositive ? "exclusiveMinimum" : "minimum"]: 0,
        maximum: 999_999_999_999_999,
      },
    ],
  };
}

/** An amount of credits: a decimal string with at most six places, or a number with such a text. */
export const creditsText: z.ZodType<string, string | number> = z
  .union([z.string(), z.number()], { error: "Give an amount of credits, as 12.5" })
  .transform(String)
  .pipe(
    z.string().refine((text) => parseCredits(text) !== undefined, {
      error: ({ input }) =>
        /^\s*-/.test(String(input))
          ? `Credits must be positive, not ${String(input).slice(0, 40)}`
          : "Give an amount of credits of at most 15 digits and six decimal places, as 12.5",
    }),
  ).meta({ override: creditsSchema() });
