/**
 * An application that sends a request, reads and disconnects when the simulation lets it.
 *
 * @module
 */

import { type Attempt, wordsOf } from "./scripted_upstream.ts";
import { type ReportedAnswer, reportOf } from "./split_answer.ts";
import { splitText } from "./split_question.ts";
import type { Question } from "./steps.ts";

/** State of a caller. `lost`: the service was killed meanwhile. */
export type CallerState =
  | "asking"
  | "reading"
  | "complete"
  | "refused"
  | "broken"
  | "left"
  | "lost";

/** Time without a read after which a caller counts as disconnected, in milliseconds. */
const STALLED_MS = 60_000;

/** An application that answers requests: the router. */
export interface Answering {
  fetch(request: Request, connection: { remoteAddress: string }): Response | Promise<Response>;
}

/** One request from the view of its caller. */
export class Caller {
  readonly question: Question;
  readonly number: number;
  /** Ids of the holds taken for it, in order. */
  readonly holds: string[] = [];
  readonly attempts: Attempt[] = [];
  /** Number of the initial key that its key is, or was rotated from. */
  readonly founded: number;
  /** True when the operator has confirmation that the key is revoked. */
  readonly isRevoked: () => boolean;
  /** Number of changes of tiers that were confirmed before it. */
  readonly tierChanges: number;
  /** True when its wallet was confirmed to be closed before it, and its key has not moved since. */
  readonly isClosed: () => boolean;
  state: CallerState = "asking";
  status: number | undefined;
  /** Text read of a stream. */
  text = "";
  /** Time of its disconnect in simulated milliseconds, unless it counted as disconnected before. */
  leftMs = Infinity;
  /** True when the service was stopped in order after the request was sent. */
  wasInterrupted = false;
  /** True during a read. */
  busy = false;
  /** Time of its last read, in simulated milliseconds. */
  #tookMs: number;
  #hasStalled = false;
  #wasClosedByService = false;
  readonly #leaving = new AbortController();
  #reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  readonly #decoder = new TextDecoder();

  constructor(
    number: number,
    question: Question,
    options: Pick<Caller, "founded" | "isRevoked" | "tierChanges" | "isClosed"> & {
      readonly nowMs: number;
    },
  ) {
    this.number = number;
    this.question = question;
    this.#tookMs = options.nowMs;
    this.founded = options.founded;
    this.isRevoked = options.isRevoked;
    this.tierChanges = options.tierChanges;
    this.isClosed = options.isClosed;
  }

  /** Number of words of the answer that it has read. */
  get wordsRead(): number {
    return this.text.split(/"(?:content|delta)":"w "/).length - 1;
  }

  /** The names that it gives its call. */
  get names(): { readonly user?: string | undefined; readonly tag?: string | undefined } {
    const { seed } = this.question;
    return { user: ["ann", "ben", undefined][seed % 3], tag: seed % 5 < 2 ? "team=a" : undefined };
  }

  /** Facts in the answer that it received. */
  get report(): ReportedAnswer {
    return reportOf(this.text);
  }

  /** True when it was split and a model wrote the answer of its tasks. */
  get isSplit(): boolean {
    return this.attempts.some(({ part, finished }) => part === "final" && finished);
  }

  /** True when the stream ended as if it were complete, and was not. */
  get wasFooled(): boolean {
    return this.state === "broken" && !this.#wasClosedByService && !/"error":\{/.test(this.text);
  }

  /** True when it waits for nothing any more. */
  get done(): boolean {
    return this.state !== "asking" && this.state !== "reading";
  }

  /** True when it has read nothing for so long that it counts, or has counted, as disconnected. */
  stalled(nowMs: number): boolean {
    return this.#hasStalled || nowMs - this.#tookMs >= STALLED_MS;
  }

  /** Sends the request. */
  async ask(app: Answering, key: string): Promise<void> {
    const { surface, stream } = this.question;
    const { user } = this.names;
    const body = JSON.stringify({
      ...bodyOf(this.question),
      ...user !== undefined && { user },
    });
    const path = surface === "chat" ? "chat/completions" : "responses";
    const request = new Request(`http://127.0.0.1/openai/v1/${path}`, {
      method: "POST",
      headers: {
        "authorization": `Bearer ${key}`,
        "content-type": "application/json",
        "content-length": String(body.length),
        "x-request-id": `req-${this.number}`,
        "x-orchestration": this.question.split?.choice ?? "all",
        ...this.names.tag !== undefined && { "x-tag": this.names.tag },
      },
      body,
      signal: this.#leaving.signal,
    });
    const response = await app.fetch(request, { remoteAddress: "127.0.0.1" });
    if (this.state !== "asking") return void response.body?.cancel();
    this.status = response.status;
    if (stream && response.ok && response.body !== null) {
      this.#reader = response.body.getReader();
      this.state = "reading";
      return;
    }
    this.text = await response.text();
    if (this.state === "asking") this.state = response.ok ? "complete" : "refused";
  }

  /** Reads the next piece of the answer. */
  async read(nowMs: number): Promise<void> {
    if (this.#reader === undefined || this.busy) return;
    this.busy = true;
    this.#hasStalled = this.stalled(nowMs);
    this.#tookMs = nowMs;
    try {
      const { done, value } = await this.#reader.read();
      if (this.state !== "reading") return;
      if (value !== undefined) this.text += this.#decoder.decode(value, { stream: true });
      if (done) this.state = isWhole(this.text) ? "complete" : "broken";
    } catch {
      // The service has closed the connection of a caller that does not read.
      this.#wasClosedByService = true;
      if (this.state === "reading") this.state = "broken";
    } finally {
      this.busy = false;
    }
  }

  /** Disconnects. */
  leave(nowMs: number): void {
    if (!this.stalled(nowMs)) this.leftMs = nowMs;
    for (const attempt of this.attempts) attempt.wordsWhenLeft ??= attempt.words;
    this.#hangUp("left");
  }

  /** Loses the connection because the service is gone. */
  lose(): void {
    this.#hangUp("lost");
  }

  #hangUp(state: "left" | "lost"): void {
    if (this.done) return;
    this.state = state;
    this.#leaving.abort();
    this.#reader?.cancel().catch(() => {});
  }
}

function bodyOf({ surface, stream, words, maxTokens, split }: Question): object {
  const text = split === undefined ? wordsOf(words) : splitText(wordsOf(words));
  return surface === "chat"
    ? {
      ...{ model: "auto", stream, max_tokens: maxTokens },
      messages: [{ role: "user", content: text }],
    }
    : { model: "auto", stream, max_output_tokens: maxTokens, input: text };
}

/** True when a stream has its end marker. */
function isWhole(text: string): boolean {
  return text.endsWith("data: [DONE]\n\n") || text.includes('"type":"response.completed"');
}
