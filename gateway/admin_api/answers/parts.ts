/**
 * Schemas that several answers of the operator's API use.
 *
 * @module
 */

import { z } from "zod";

/** An amount of credits. */
export const creditsAnswer = z.string().regex(/^\d+\.\d{6}$/)
  .meta({ description: "Credits, a decimal string with six places", example: "12.500000" });

/** A time. */
export const timeAnswer = z.iso.datetime()
  .meta({ description: "ISO 8601, UTC", example: "2026-11-21T12:00:00.000Z" });

/** Cursor of the next page. */
export const cursorAnswer = z.string().nullable()
  .meta({ description: "Pass it back for the next page; null on the last", example: null });

/** A count of things, tokens or milliseconds. */
export const countAnswer = z.int().min(0);
