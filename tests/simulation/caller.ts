/**
 * An application that asks, reads and leaves when the simulation lets it.
 *
 * @module
 */

import { type Attempt, wordsOf } from "./scripted_upstream.ts";
import { type ToldAnswer, toldBy } from "./split_answer.ts";
import { splitText } from "./split_question.ts";
import type { Question } from "./steps.ts";

/** How it stands with a caller. `lost`: the service was killed meanwhile. */
export type CallerState =
  | "asking"
  | "reading"
  | "complete"
  | "refused"
  | "broken"
  | "left"
  | "lost";

/** How long a caller may take nothing, in milliseconds. */
const STALLED_MS = 60_000;

/** What answers: the router. */
export interface Answering {
  fetch(request: Request, connection: { remoteAddress: string }): Response | Promise<Response>;
}

/** One request from the side of who makes it. */
export class Caller {
  readonly question: Question;
  readonly number: number;
  /** Holds that were taken for it, in order. */
  readonly holds: string[] = [];
  readonly attempts: Attempt[] = [];
  /** Number that its key, or the one that was rotated into it, has among those of the beginning. */
  readonly founded: number;
  /** Whether its operator has been told that the key is revoked. */
  readonly isRevoked: () => boolean;
  state: CallerState = "asking";
  status: number | undefined;
  /** What was read of a stream. */
  text = "";
  /** When it left, in the simulation's milliseconds, unless it counted as gone by then. */
  leftMs = Infinity;
  /** The service was stopped in order since it asked. */
  wasInterrupted = false;
  /** A read is under way. */
  busy = false;
  /** When it last took something, in the simulation's milliseconds. */
  #tookMs: number;
  #hasStalled = false;
  #wasHungUpOn = false;
  readonly #leaving = new AbortController();
  #reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  readonly #decoder = new TextDecoder();

  constructor(
    number: number,
    question: Question,
    options: Pick<Caller, "founded" | "isRevoked"> & { readonly nowMs: number },
  ) {
    this.number = number;
    this.question = question;
    this.#tookMs = options.nowMs;
    this.founded = options.founded;
    this.isRevoked = options.isRevoked;
  }

  /** Words of the answer that it has read. */
  get wordsRead(): number {
    return this.text.split(/"(?:content|delta)":"w "/).length - 1;
  }

  /** What it was told. */
  get told(): ToldAnswer {
    return toldBy(this.text);
  }

  /** It was split, and a model wrote the answer of its tasks. */
  get isSplit(): boolean {
    return this.attempts.some(({ part, finished }) => part === "final" && finished);
  }

  /** The stream ended as if it were whole, and was not. */
  get wasFooled(): boolean {
    return this.state === "broken" && !this.#wasHungUpOn && !/"error":\{/.test(this.text);
  }

  /** It waits for nothing any more. */
  get done(): boolean {
    return this.state !== "asking" && this.state !== "reading";
  }

  /** It has taken nothing for so long that it counts, or has counted, as gone. */
  stalled(nowMs: number): boolean {
    return this.#hasStalled || nowMs - this.#tookMs >= STALLED_MS;
  }

  /** Sends the question. */
  async ask(app: Answering, key: string): Promise<void> {
    const { surface, stream } = this.question;
    const body = JSON.stringify(bodyOf(this.question));
    const path = surface === "chat" ? "chat/completions" : "responses";
    const request = new Request(`http://127.0.0.1/openai/v1/${path}`, {
      method: "POST",
      headers: {
        "authorization": `Bearer ${key}`,
        "content-type": "application/json",
        "content-length": String(body.length),
        "x-request-id": `req-${this.number}`,
        "x-orchestration": this.question.split?.choice ?? "all",
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

  /** Takes what the service has for it next. */
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
      // The service has broken the connection: who does not read is left.
      this.#wasHungUpOn = true;
      if (this.state === "reading") this.state = "broken";
    } finally {
      this.busy = false;
    }
  }

  /** Hangs up. */
  leave(nowMs: number): void {
    if (!this.stalled(nowMs)) this.leftMs = nowMs;
    for (const attempt of this.attempts) attempt.wordsWhenLeft ??= attempt.words;
    this.#hangUp("left");
  }

  /** The service has gone away. */
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

function bodyOf({ surface, stream, words, maxTokens, split }: Question): unknown {
  const text = split === undefined ? wordsOf(words) : splitText(wordsOf(words));
  return surface === "chat"
    ? {
      ...{ model: "auto", stream, max_tokens: maxTokens },
      messages: [{ role: "user", content: text }],
    }
    : { model: "auto", stream, max_output_tokens: maxTokens, input: text };
}

/** Whether a stream has said that it is at its end. */
function isWhole(text: string): boolean {
  return text.endsWith("data: [DONE]\n\n") || text.includes('"type":"response.completed"');
}
