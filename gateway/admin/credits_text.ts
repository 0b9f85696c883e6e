import { z } from "zod";
import { parseCredits } from "../domain/money.ts";

/** An amount of credits: a decimal string with at most six places, or a number that writes as one. */
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
  );
