/**
 * The audit log of the admin side: its entries, without secrets.
 *
 * @module
 */

import { isJsonObject } from "@svc/sdk/protocol";
import { SECRET_FORMS } from "../redaction/secret_forms.ts";
import { secretSpans, withoutSpans } from "../redaction/secret_spans.ts";
import type { ActorKind } from "./operator.ts";

/** Longest JSON of a state before or after a change, in characters. */
export const STATE_CHARS_MAX = 8_192;
/** Mark in place of a secret. */
const REMOVED = "[removed]";

/**
 * Stage of an entry. A change that is stored in one commit with its entry has `done` alone, and a
 * refused one `refused`. Any other change has two: `begun` is durable before it is tried, and `done`
 * or `refused` before it is answered. `noted` is a fact: a refused sign-in, a read, an export.
 */
export const TRAIL_STAGES = ["begun", "done", "refused", "noted"] as const;

/** Stage of an entry. */
export type TrailStage = typeof TRAIL_STAGES[number];

/** Somebody who acted, and from where. */
export interface TrailAuthor {
  readonly kind: ActorKind | "nobody";
  readonly id: string;
  readonly name: string;
  /** Address of the peer; `null` where it is unknown. */
  readonly address: string | null;
  readonly requestId: string;
}

/** An entry before the store has given it a place. */
export interface TrailDraft {
  readonly atMs: number;
  readonly author: TrailAuthor;
  /** Id of the operation of the API, or the name of an event, such as `signIn`. */
  readonly action: string;
  readonly stage: TrailStage;
  /** The thing that was acted on, such as `/keys/key_1`; empty without one. */
  readonly subject: string;
  /** Place of the entry with the stage `begun`. */
  readonly of?: number | undefined;
  /** Values that a change was asked with. */
  readonly values?: unknown;
  /** Fields that differ, as they were. */
  readonly before?: unknown;
  /** Fields that differ, as they are. */
  readonly after?: unknown;
  /** Code and message of a refusal, or another remark. */
  readonly remark?: string | undefined;
}

/** A thing as it was and as it becomes; absent where there is none. */
export interface States<T> {
  readonly before?: T | undefined;
  readonly after?: T | undefined;
}

/** Makes the entry of a change. Called where the change is decided, again if that is repeated. */
export type EntryOf<T> = (states: States<T>) => TrailDraft;

/** Options of a change that the audit log notes. */
export interface Noted<T> {
  /** Entry that is stored in the commit of the change; none is where nothing changes. */
  readonly entry?: EntryOf<T> | undefined;
}

/** Makes the entries of one action; `show` returns a thing as the log shows it. */
export type EntryMaker = <T>(show: (thing: T) => unknown) => EntryOf<T>;

/** An entry with its place in the chain. */
export interface TrailEntry extends TrailDraft {
  /** From 1, without gaps. */
  readonly place: number;
}

/** An entry as it is stored: its JSON, and the SHA-256 of the hash before it and this JSON. */
export interface StoredTrailEntry {
  readonly line: string;
  readonly hash: string;
}

/** End of the chain. */
export interface TrailHead {
  readonly place: number;
  readonly hash: string;
}

/** A chain without entries. */
export const EMPTY_TRAIL: TrailHead = { place: 0, hash: "" };

/** Criteria of a search. */
export interface TrailFilter {
  /** Id or a part of the name of the actor. */
  readonly who?: string | undefined;
  readonly action?: string | undefined;
  /** A part of the subject. */
  readonly subject?: string | undefined;
  readonly sinceMs?: number | undefined;
  readonly untilMs?: number | undefined;
}

/** True when an entry meets the criteria. */
export function meets(entry: TrailEntry, filter: TrailFilter): boolean {
  const { who, action, subject, sinceMs = -Infinity, untilMs = Infinity } = filter;
  const { author, atMs } = entry;
  return atMs >= sinceMs && atMs < untilMs &&
    (who === undefined || author.id === who ||
      author.name.toLowerCase().includes(who.toLowerCase())) &&
    (action === undefined || entry.action === action) &&
    (subject === undefined || entry.subject.includes(subject));
}

/** Names of fields with secrets, wherever they occur. */
const SECRET_FIELD =
  /^(?:api_?key|key|token|secret|client_?secret|password|passphrase|digest|authorization|cookie)$/i;

/** Returns a value for the log: without secrets, and cut where it is long. */
export function loggable(value: unknown): unknown {
  const clean = withoutSecrets(value);
  const text = JSON.stringify(clean) ?? "null";
  if (text.length <= STATE_CHARS_MAX) return clean;
  return { cut: `${text.slice(0, STATE_CHARS_MAX / 2)} …`.toWellFormed(), chars: text.length };
}

/**
 * Returns an entry whose subject and remark have no secret: a key may stand in a path in place of its
 * id, and in the sentence that refuses it.
 */
export function withoutSecretTexts(draft: TrailDraft): TrailDraft {
  const { subject, remark } = draft;
  const cleaned = { ...draft, subject: cleanText(subject) };
  return remark === undefined ? cleaned : { ...cleaned, remark: cleanText(remark) };
}

function cleanText(text: string): string {
  return withoutSpans(text, secretSpans(text, { forms: SECRET_FORMS }), REMOVED);
}

function withoutSecrets(value: unknown): unknown {
  if (typeof value === "string") return cleanText(value);
  if (Array.isArray(value)) return value.map(withoutSecrets);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      SECRET_FIELD.test(name) && typeof member === "string" ? REMOVED : withoutSecrets(member),
    ]),
  );
}

/** Returns the fields of two states that differ, on both sides. */
export function differences(
  before: unknown,
  after: unknown,
): { readonly before: unknown; readonly after: unknown } {
  if (!isJsonObject(before) || !isJsonObject(after)) {
    return { before: before ?? null, after: after ?? null };
  }
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));
  const of = (state: Readonly<Record<string, unknown>>) =>
    Object.fromEntries(names.filter((name) => name in state).map((name) => [name, state[name]]));
  return { before: of(before), after: of(after) };
}
