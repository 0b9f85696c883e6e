/**
 * What answers of the operator's API have in common.
 *
 * @module
 */

import { z } from "zod";

/** An amount of credits. */
export const creditsAnswer = z.string().regex(/^\d+\.\d{6}$/)
  .meta({ description: "Credits, a decimal string with six places", example: "12.500000" });

/** A moment. */
export const timeAnswer = z.iso.datetime()
  .meta({ description: "ISO 8601, UTC", example: "2026-11-21T12:00:00.000Z" });

/** Where the next page begins. */
export const cursorAnswer = z.string().nullable()
  .meta({ description: "Pass it back for the next page; null on the last", example: null });

/** A number of things, tokens or milliseconds. */
export const countAnswer = z.int().min(0);
