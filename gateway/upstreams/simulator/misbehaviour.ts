import { isJsonObject } from "@svc/sdk/protocol";
import { z } from "zod";
import { type Refusal, refuse } from "./refusal.ts";

/** Token counts to report instead of the true ones. */
export interface SimulatedUsage {
  /** Input, cached tokens included. */
  readonly prompt_tokens?: number | undefined;
  /** Output of all choices. */
  readonly completion_tokens?: number | undefined;
  /** Both together. @default {their sum} */
  readonly total_tokens?: number | undefined;
  /** Input read from a cache. @default {0} */
  readonly cached_tokens?: number | undefined;
}

/**
 * Requested misbehaviour: the field `simulate` of the request, or the same object as a directive in
 * the last user message, `[[sim {"error": 503}]]`, for clients that cannot send fields. The field
 * overrides the directive.
 *
 * A stream's chunks are counted from its first, which has the role. A JSON answer that is to be
 * cut, malformed or stalled fails before it arrives, and so does a stream after 0 chunks.
 */
export interface Simulate {
  /** Name of a counter for `failures`. */
  readonly id?: string | undefined;
  /** Misbehave only as this model: its catalog id or its upstream name. */
  readonly model?: string | undefined;
  /** Misbehave only in this task of a split request: `plan`, `final`, or the task's own id. */
  readonly task?: string | undefined;
  /** Misbehave this many times under the same `id`, then behave. */
  readonly failures?: number | undefined;
  /** Fail with this HTTP status, 400 to 599. */
  readonly error?: number | undefined;
  /** Ask for no calls during this time; only with `error`. */
  readonly retryAfterMs?: number | undefined;
  /** Wait before the answer; longer than the upstream's first-byte timeout, it times out. */
  readonly delayMs?: number | undefined;
  /** Wait between chunks; longer than the upstream's idle timeout, it times out. */
  readonly chunkDelayMs?: number | undefined;
  /** Cut the connection after this many chunks. */
  readonly cutAfter?: number | undefined;
  /** Send a frame that is no event after this many chunks. */
  readonly malformedAfter?: number | undefined;
  /** Send nothing after this many chunks, until the upstream's timeout. */
  readonly stallAfter?: number | undefined;
  /** Report no usage. */
  readonly noUsage?: boolean | undefined;
  /** Report these counts, true or not. */
  readonly usage?: SimulatedUsage | undefined;
  /** Answer with an empty text. */
  readonly empty?: boolean | undefined;
  /** End with this finish reason. */
  readonly finishReason?: string | undefined;
  /** Answer exactly this; stops and output limits still apply. */
  readonly text?: string | undefined;
  /** Answer with this many tokens; stops and output limits still apply. */
  readonly repeat?: number | undefined;
}

const count = z.int().min(0).max(100_000);
const waitMs = z.int().min(0).max(600_000);

const simulateSchema: z.ZodType<Simulate> = z.strictObject({
  id: z.string().min(1).max(128).optional(),
  model: z.string().min(1).optional(),
  task: z.string().min(1).optional(),
  failures: count.optional(),
  error: z.int().min(400).max(599).optional(),
  retryAfterMs: waitMs.optional(),
  delayMs: waitMs.optional(),
  chunkDelayMs: waitMs.optional(),
  cutAfter: count.optional(),
  malformedAfter: count.optional(),
  stallAfter: count.optional(),
  noUsage: z.boolean().optional(),
  usage: z.strictObject({
    prompt_tokens: z.number().optional(),
    completion_tokens: z.number().optional(),
    total_tokens: z.number().optional(),
    cached_tokens: z.number().optional(),
  }).optional(),
  empty: z.boolean().optional(),
  finishReason: z.string().min(1).optional(),
  text: z.string().optional(),
  repeat: count.optional(),
}).refine((simulate) => simulate.failures === undefined || simulate.id !== undefined, {
  path: ["id"],
  message: "Required where failures are counted",
});

/** No misbehaviour. */
export const WELL_BEHAVED: Simulate = {};

/** Separates the directive from a user's message. */
export function splitDirective(text: string): { text: string; directive?: string } {
  const start = text.lastIndexOf("[[sim ");
  const end = start < 0 ? -1 : text.indexOf("]]", start);
  if (end < 0) return { text };
  // An array may end right before the directive, so the last brackets count.
  const close = text.startsWith("]]]", end) ? end + 1 : end;
  return {
    text: (text.slice(0, start) + text.slice(close + 2)).trim(),
    directive: text.slice(start + "[[sim ".length, close),
  };
}

/** Reads the field and the directive; each may be absent. */
export function readSimulate(field: unknown, directive: string | undefined): Simulate | Refusal {
  if (field === undefined && directive === undefined) return WELL_BEHAVED;
  let decoded: unknown = {};
  try {
    if (directive !== undefined) decoded = JSON.parse(directive);
  } catch {
    return refuse("messages", `Cannot read the directive [[sim ${directive}]]: it is not JSON`);
  }
  if (field !== undefined && !isJsonObject(field)) {
    return refuse("simulate", "Cannot read simulate: it is not an object");
  }
  const parsed = simulateSchema.safeParse(
    isJsonObject(decoded) ? { ...decoded, ...field } : decoded,
  );
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const path = ["simulate", ...(issue?.path ?? [])].join(".");
  return refuse(path, `Cannot read ${path}: ${issue?.message ?? "it is not valid"}`);
}

const MOST_COUNTERS = 1_000;

/** Counts failures by `id`, so that a call can fail some times and then succeed. Bounded. */
export class FailureCounters {
  readonly #counts = new Map<string, number>();

  /** Returns the misbehaviour for this call, model and task, and counts the call. */
  apply(simulate: Simulate, model: string, task?: string): Simulate {
    if (simulate === WELL_BEHAVED) return simulate;
    if (simulate.task !== undefined && simulate.task !== task) return WELL_BEHAVED;
    const only = simulate.model;
    if (only !== undefined && only !== model && !only.endsWith(`/${model}`)) return WELL_BEHAVED;
    if (simulate.failures === undefined || simulate.id === undefined) return simulate;
    const failed = this.#counts.get(simulate.id) ?? 0;
    if (failed >= simulate.failures) return WELL_BEHAVED;
    this.#remember(simulate.id, failed + 1);
    return simulate;
  }

  #remember(id: string, failed: number): void {
    this.#counts.set(id, failed);
    if (this.#counts.size <= MOST_COUNTERS) return;
    for (const oldest of this.#counts.keys()) {
      this.#counts.delete(oldest);
      return;
    }
  }
}
