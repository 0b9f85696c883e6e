/**
 * Cursors of lists whose order is that of the keys of rows: the place where the next page begins.
 *
 * @module
 */

import { Buffer } from "node:buffer";

/** A part of a key. */
export type PlacePart = string | number;

const CURSOR = /^k\.([A-Za-z0-9_-]{1,2000})$/;

/** Returns the cursor of a place in the order of keys. */
export function cursorAt(place: readonly PlacePart[]): string {
  return `k.${Buffer.from(JSON.stringify(place)).toString("base64url")}`;
}

/** Returns the place of a cursor; `undefined` for any other text. */
export function placeOf(cursor: string): readonly PlacePart[] | undefined {
  const text = CURSOR.exec(cursor)?.[1];
  if (text === undefined) return undefined;
  try {
    const place: unknown = JSON.parse(Buffer.from(text, "base64url").toString());
    return Array.isArray(place) && place.length > 0 && place.every(isPart) ? place : undefined;
  } catch {
    // The text of a cursor of another list, or of none.
    return undefined;
  }
}

/** Returns the number of a cursor whose place is a number; `undefined` for any other text. */
export function numberOf(cursor: string): number | undefined {
  const [number, ...rest] = placeOf(cursor) ?? [];
  return typeof number === "number" && rest.length === 0 && Number.isSafeInteger(number)
    ? number
    : undefined;
}

function isPart(part: unknown): part is PlacePart {
  return typeof part === "string" || typeof part === "number";
}
