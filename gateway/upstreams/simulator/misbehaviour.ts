import { isJsonObject } from "@svc/sdk/protocol";
import { z } from "zod";
import { type Refusal, refuse } from "./refusal.ts";

const count = z.int().min(0).max(100_000);
const waitMs = z.int().min(0).max(600_000);
const name = z.string().min(1);

/**
 * Requested misbehaviour: the field `simulate` of the request, or the same object as a directive in
 * the last user message, `[[sim {"error": 503}]]`, for clients that cannot send fields. The field
 * overrides the directive.
 *
 * A stream's chunks are counted from its first, which has the role. A JSON answer that is to be
 * cut, malformed or stalled fails before it arrives, and so does a stream after 0 chunks.
 */
const simulateSchema = z.strictObject({
  /** Name of a counter for `failures`. */
  id: name.max(128),
  /** Misbehave only as this model: its catalog id or its upstream name. */
  model: name,
  /** Misbehave only in this task of a split request: `plan`, `final`, or the task's own id. */
  task: name,
  /** Misbehave this many times under the same `id`, then behave. */
  failures: count,
  /** Fail with this HTTP status. */
  error: z.int().min(400).max(599),
  /** Ask for no calls during this time; only with `error`. */
  retryAfterMs: waitMs,
  /** Wait before the answer; longer than the upstream's first-byte timeout, it times out. */
  delayMs: waitMs,
  /** Wait between chunks; longer than the upstream's idle timeout, it times out. */
  chunkDelayMs: waitMs,
  /** Cut the connection after this many chunks. */
  cutAfter: count,
  /** Send a frame that is no event after this many chunks. */
  malformedAfter: count,
  /** Send nothing after this many chunks, until the upstream's timeout. */
  stallAfter: count,
  /** Report no usage. */
  noUsage: z.boolean(),
  /** Report these counts, true or not. */
  usage: z.strictObject({
    /** Input, cached tokens included. */
    prompt_tokens: z.number(),
    /** Output of all choices. */
    completion_tokens: z.number(),
    /** Both together. @default {their sum} */
    total_tokens: z.number(),
    /** Input read from a cache. @default {0} */
    cached_tokens: z.number(),
  }).partial(),
  /** Answer with an empty text. */
  empty: z.boolean(),
  /** End with this finish reason. */
  finishReason: name,
  /** Answer exactly this; stops and output limits still apply. */
  text: z.string(),
  /** Answer with this many tokens; stops and output limits still apply. */
  repeat: count,
}).partial().refine((simulate) => simulate.failures === undefined || simulate.id !== undefined, {
  path: ["id"],
  message: "Required where failures are counted",
});

/** Requested misbehaviour; without a member the simulator behaves. */
export type Simulate = Readonly<z.infer<typeof simulateSchema>>;

/** Token counts to report instead of the true ones. */
export type SimulatedUsage = NonNullable<Simulate["usage"]>;

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
