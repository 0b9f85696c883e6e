/**
 * The rows of a key besides its own: the link by which its digest finds it, and its places in lists.
 *
 * @module
 */

import type { KeyRecord } from "../../../domain/policy/key.ts";
import type { StoredKey } from "../../../ports/key_store.ts";
import { eachRow } from "../each_row.ts";
import { jsonRow, keyPart, type Row, textOf } from "../rows.ts";

/**
 * Prefixes of links. Only an active key has the first kind, so that a lookup finds no other; every
 * other key has the second.
 */
export const LINKS = { active: "digest", closed: "closed_digest" } as const;

/** The texts that a search for keys compares before it reads a key: none of them ever changes. */
export type PlaceText = readonly [id: string, name: string, hint: string];

/** Prefix of the places of all keys, oldest first. */
export const ALL_PLACES: Deno.KvKey = ["key_place"];

/** Returns the prefix of the places of a wallet's keys. */
export function walletPlaces(walletId: string): Deno.KvKey {
  return ["wallet_key_place", keyPart(walletId)];
}

/** Returns the prefix of the places of the keys that replace a key. */
export function copyPlaces(id: string): Deno.KvKey {
  return ["key_copy_place", keyPart(id)];
}

/** Returns the key of a link. */
export function linkKey(prefix: string, digest: string): Deno.KvKey {
  return [prefix, keyPart(digest)];
}

/** Returns the rows that set the link of a key, of the kind that its status has. */
export function linkRows({ record, digest }: StoredKey): Row[] {
  const [kind, other] = record.status === "active"
    ? [LINKS.active, LINKS.closed]
    : [LINKS.closed, LINKS.active];
  return [jsonRow(linkKey(kind, digest), record.id), { key: linkKey(other, digest), bytes: 0 }];
}

/** Returns the rows that remove the links of a key. */
export function unlinkRows({ digest }: Pick<StoredKey, "digest">): Row[] {
  return Object.values(LINKS).map((prefix) => ({ key: linkKey(prefix, digest), bytes: 0 }));
}

/** Returns the places of a key in lists. */
export function placeRows(
  { id, name, hint, walletId, createdAtMs, rotatedFrom }: KeyRecord,
): Row[] {
  const text: PlaceText = [id, name, hint];
  const prefixes = [ALL_PLACES, walletPlaces(walletId)];
  if (rotatedFrom !== undefined) prefixes.push(copyPlaces(rotatedFrom));
  return prefixes.map((prefix) => jsonRow([...prefix, createdAtMs, keyPart(id)], text));
}

/** Returns the rows that move the places of a key where a change needs it. */
export function movedPlaces(before: KeyRecord, after: KeyRecord): Row[] {
  const fields = ["name", "hint", "walletId", "createdAtMs", "rotatedFrom"] as const;
  if (fields.every((field) => before[field] === after[field])) return [];
  return [...placeRows(before).map(({ key }) => ({ key, bytes: 0 })), ...placeRows(after)];
}

/** Yields the ids of the keys below a prefix of places, newest first. */
export async function* idsUnder(kv: Deno.Kv, prefix: Deno.KvKey): AsyncGenerator<string> {
  for await (const { value } of eachRow<Uint8Array>(kv, { prefix }, { reverse: true })) {
    yield decodePlace(value)[0];
  }
}

/** Yields the ids of the keys whose digests have a version of the pepper. */
export async function* idsOfPepper(kv: Deno.Kv, version: number): AsyncGenerator<string> {
  for (const prefix of Object.values(LINKS)) {
    // Digests begin with the version and a dot, which a slash follows in the order of keys.
    const range = { start: [prefix, `${version}.`], end: [prefix, `${version}/`] };
    for await (const { value } of eachRow<Uint8Array>(kv, range)) {
      yield JSON.parse(textOf(value)) as string;
    }
  }
}

/** Decodes the row of a key. */
export function decodeKey(value: Uint8Array): StoredKey {
  return JSON.parse(textOf(value)) as StoredKey;
}

/** Decodes the row of a place. */
export function decodePlace(value: Uint8Array): PlaceText {
  return JSON.parse(textOf(value)) as PlaceText;
}
