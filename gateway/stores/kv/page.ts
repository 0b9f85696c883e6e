import { MAX_PAGE_SEGMENTS } from "./limits.ts";
import { type Chain, readSegments } from "./chain.ts";

/** Source of a page of a chain, from the newest line back. */
export interface PageQuery<T> {
  readonly chain: Chain;
  readonly limit: number;
  readonly cursor?: string | undefined;
  readonly sinceMs?: number | undefined;
  /** Texts that a line must contain to be decoded. */
  readonly needles: readonly string[];
  /** Decodes a line; `undefined` omits it. */
  readonly decode: (line: string) => T | undefined;
}

/** A page, newest first, with the cursor of the next page, if any. */
export interface Page<T> {
  readonly items: readonly T[];
  readonly cursor?: string | undefined;
}

/**
 * Reads a page backwards. The work is bounded: a page may have few items, or none, and still have a
 * next one. A malformed cursor reads as the end.
 */
export async function readPage<T>(kv: Deno.Kv, query: PageQuery<T>): Promise<Page<T>> {
  const { chain, limit, sinceMs = -Infinity, needles, decode } = query;
  const start = query.cursor === undefined ? undefined : parseCursor(query.cursor);
  const items: T[] = [];
  let segments = 0;
  const range = { from: 1, to: start?.segment ?? chain.last, reverse: true };
  for await (const { header, lines } of readSegments(kv, chain, range)) {
    const { segment } = header;
    if (header.atMs < sinceMs) return { items };
    if (++segments > MAX_PAGE_SEGMENTS) return { items, cursor: `${segment}.${lines.length}` };
    const resumed = start?.segment === segment ? start.line : lines.length;
    for (let line = Math.min(resumed, lines.length) - 1; line >= 0; line--) {
      const text = lines[line] ?? "";
      if (!needles.every((needle) => text.includes(needle))) continue;
      const item = decode(text);
      if (item === undefined) continue;
      if (items.length === limit) return { items, cursor: `${segment}.${line + 1}` };
      items.push(item);
    }
  }
  return { items };
}

function parseCursor(cursor: string): { segment: number; line: number } {
  const match = /^(\d{1,15})\.(\d{1,9})$/.exec(cursor);
  return { segment: Number(match?.[1] ?? 0), line: Number(match?.[2] ?? 0) };
}
