/**
 * What may be asked of the catalog.
 *
 * @module
 */

import { z } from "zod";
import { strict } from "../fields.ts";
import type { QueryFields } from "../query_fields.ts";

const version = z.int().positive();
const note = z.string().max(500, "Write at most 500 characters");
const force = z.boolean().default(false).meta({
  description: "Go on where wallets lose their tier",
});

/** `POST /catalog/apply`. `content` is checked as the configuration file is. */
export const change = strict({
  content: z.record(z.string(), z.unknown()),
  dryRun: z.boolean().default(false).meta({ description: "Only say what would change" }),
  force,
  expectedVersion: version.optional().meta({ description: "Refused where another is in force" }),
  note: note.default(""),
});

/** `POST /catalog/rollback`. */
export const rollback = strict({
  version,
  note: note.optional(),
  force,
  dryRun: z.boolean().default(false).meta({ description: "Only say what would change" }),
  expectedVersion: version.optional().meta({ description: "Refused where another is in force" }),
});

/** `GET /catalog/versions`. */
export const versionsQuery = ({ limit }: QueryFields) => ({ limit });

/** `GET /catalog/versions/{version}/changes`. */
export const changesQuery = () => ({
  since: z.string().regex(/^[1-9]\d{0,8}$/, "Give the number of a version").optional()
    .meta({ description: "Version to compare with; the one before it where left out" }),
});

/** `GET /catalog/check`. */
export const checkQuery = () => ({
  timeout: wholeNumber(1, 60).default("10").transform(Number).meta({
    description: "Seconds that an upstream may take",
    override: { type: "integer", minimum: 1, maximum: 60, default: 10 },
  }),
  tolerance: wholeNumber(0, 1_000).default("5").transform(Number).meta({
    description: "Difference from the list price that is accepted, in percent",
    override: { type: "integer", minimum: 0, maximum: 1_000, default: 5 },
  }),
});

function wholeNumber(least: number, most: number): z.ZodString {
  return z.string().refine(
    (text) => /^\d{1,4}$/.test(text) && Number(text) >= least && Number(text) <= most,
    `Give a whole number from ${least} to ${most}`,
  );
}
