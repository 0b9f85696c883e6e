/**
 * Tables of other stores in a modelled PostgreSQL, which a batch with corrections reads and writes in
 * its transaction: keys, corrections that waited, the audit log, and the numbers of changes.
 *
 * @module
 */

import { LOCK_CORRECTIONS, READ_KEYS } from "../../../gateway/stores/postgres/sql/ledger_batch.ts";
import type { StoredTrailEntry } from "../../../gateway/domain/operators/trail.ts";

/** Rows of an answer, and the number of rows that were changed. */
type Answer = readonly object[];

const TRAIL_END = "select place, hash from audit_trail_head for update";
const ADD_ENTRY = "insert into audit_trail (place, line, hash) values ($1, $2, $3)";
const MOVE_TRAIL_END = "update audit_trail_head set place = $1, hash = $2";
const LOCK_KEY = "select data from api_key where id = $1 for no key update";
const END_CORRECTION = "update correction set version = $1, at_ms = $2, data = $3 " +
  "where id = $4 and version = $5";

/**
 * The rows as one transaction sees them. All of its callers hold the lock of the ledger's head, so a
 * transaction works on a copy, which takes the place of the committed rows.
 */
export class SideTables {
  /** Stored keys as JSON, by id. */
  readonly keys: Map<string, string>;
  /** Corrections that waited, by id. */
  readonly corrections: Map<string, { readonly version: number; readonly data: string }>;
  trail: readonly StoredTrailEntry[];
  trailEnd: { readonly place: number; readonly hash: string };
  /** Number of the last change that instances tell each other. */
  changes: number;

  constructor(before?: SideTables) {
    this.keys = new Map(before?.keys);
    this.corrections = new Map(before?.corrections);
    this.trail = before?.trail ?? [];
    this.trailEnd = before?.trailEnd ?? { place: 0, hash: "" };
    this.changes = before?.changes ?? 0;
  }

  /** True for a statement of these tables. */
  static knows(text: string): boolean {
    return KNOWN.has(text) || isKeyWrite(text) || isAnnouncement(text);
  }

  /** True for a statement that reads what a batch decides by. */
  static reads(text: string): boolean {
    return text === READ_KEYS || text === LOCK_CORRECTIONS;
  }

  /** Answers a statement. */
  execute(text: string, values: readonly unknown[]): Answer {
    if (isKeyWrite(text)) return this.#writeKey(text, values);
    if (isAnnouncement(text)) {
      this.changes += Number(values[0]);
      return [{ last: BigInt(this.changes) }];
    }
    switch (text) {
      case READ_KEYS:
        return (values[0] as readonly string[]).flatMap((id) => this.#keyRow(id))
          .map((row) => ({ kind: "key", ...row }));
      case LOCK_CORRECTIONS:
        return (values[0] as readonly string[]).flatMap((id) => this.corrections.get(id) ?? [])
          .map(({ data }) => ({ kind: "correction", data }));
      case LOCK_KEY:
        return this.#keyRow(String(values[0]));
      case TRAIL_END:
        return [{ place: BigInt(this.trailEnd.place), hash: this.trailEnd.hash }];
      case ADD_ENTRY:
        this.trail = [...this.trail, { line: String(values[1]), hash: String(values[2]) }];
        return counted(1);
      case MOVE_TRAIL_END:
        this.trailEnd = { place: Number(values[0]), hash: String(values[1]) };
        return counted(1);
      default:
        return this.#endCorrection(values);
    }
  }

  #keyRow(id: string): { readonly data: string }[] {
    const data = this.keys.get(id);
    return data === undefined ? [] : [{ data }];
  }

  #writeKey(text: string, values: readonly unknown[]): Answer {
    const column = /\bdata = \$(\d+)/.exec(text)?.[1];
    const id = String(values.at(-1));
    if (!this.keys.has(id)) return counted(0);
    this.keys.set(id, String(values[Number(column) - 1]));
    return counted(1);
  }

  #endCorrection([version, , data, id, before]: readonly unknown[]): Answer {
    if (this.corrections.get(String(id))?.version !== before) return counted(0);
    this.corrections.set(String(id), { version: Number(version), data: String(data) });
    return counted(1);
  }
}

const KNOWN = new Set([
  ...[READ_KEYS, LOCK_CORRECTIONS, LOCK_KEY, TRAIL_END, ADD_ENTRY, MOVE_TRAIL_END],
  END_CORRECTION,
]);

function isKeyWrite(text: string): boolean {
  return text.startsWith("update api_key set ");
}

function isAnnouncement(text: string): boolean {
  return text.startsWith("with head as (update change_head set last = last + $1::int");
}

function counted(count: number): Answer {
  return Object.assign([], { count });
}
