/**
 * Implicit outcomes: signs that an answer was bad, found in the answer itself, and in the same request
 * asked again. The checks run after the caller was answered, one in a turn of the event loop.
 *
 * @module
 */

import type { ChatRequest } from "@svc/sdk/protocol";
import { setImmediate } from "node:timers";
import type { OutcomeNote } from "../../domain/learning/additions.ts";
import {
  alarmOf,
  expectedFormOf,
  type ObservedAnswer,
} from "../../domain/learning/answer_check.ts";
import { BoundedMap } from "../../system/bounded_map.ts";

/** Weight of an implicit outcome; a vote's is 1. */
export const IMPLICIT_WEIGHT = 0.25;
/** Time after an answer in which the same request counts as asked again, in milliseconds. */
export const REPEAT_MS = 5 * 60_000;
/** Requests whose answers are remembered. */
const REMEMBERED_MAX = 20_000;
/** Longest request that is recognised when it is asked again, in UTF-16 code units. */
export const REPEAT_CHARS_MAX = 256 * 1024;
/** Answers that wait for their check; beyond them answers are not checked. */
const WAITING_MAX = 1_000;
/** Total length of the requests that wait, in UTF-16 code units: they are held in memory. */
const WAITING_CHARS_MAX = 16 * 1024 * 1024;

/** An answered request. */
export interface AnswerNote extends Pick<OutcomeNote, "walletId" | "task" | "model" | "load"> {
  readonly keyId: string;
  /** Unix time in milliseconds of the request's start. */
  readonly startedAtMs: number;
  /** Unix time in milliseconds of the answer's end. */
  readonly atMs: number;
  /** The request in the form of Chat Completions. */
  readonly request: ChatRequest;
  /** Length of its body, in UTF-16 code units. */
  readonly requestChars: number;
  /** Returns the answer; `undefined` if it cannot be checked. */
  readonly answer: () => ObservedAnswer | undefined;
}

/** An answer, until its request is asked again. */
interface Remembered extends Pick<OutcomeNote, "walletId" | "task" | "model" | "load"> {
  readonly atMs: number;
  /**
   * True when the request was asked again before: a program that repeats itself is no reader who is
   * dissatisfied, so only the first repetition counts.
   */
  readonly isRepeated: boolean;
}

/** Checks answers. */
export class AnswerChecks {
  readonly #note: (outcome: OutcomeNote) => void;
  readonly #nameOf: (text: string) => string;
  readonly #remembered = new BoundedMap<string, Remembered>(REMEMBERED_MAX);
  readonly #waiting: AnswerNote[] = [];
  #waitingChars = 0;
  /** Answers that were added to the waiting ones, and those of them that have left. */
  #added = 0;
  #ended = 0;
  /** Called when so many have left. */
  readonly #ends: { readonly count: number; readonly resolve: () => void }[] = [];

  /** `note` takes the outcomes; `nameOf` returns a short name for the text of a request. */
  constructor(options: {
    readonly note: (outcome: OutcomeNote) => void;
    readonly nameOf: (text: string) => string;
  }) {
    this.#note = options.note;
    this.#nameOf = options.nameOf;
  }

  /** Checks an answer later. */
  add(note: AnswerNote): void {
    const chars = this.#waitingChars + note.requestChars;
    if (this.#waiting.length >= WAITING_MAX || chars > WAITING_CHARS_MAX) return;
    this.#waiting.push(note);
    this.#waitingChars = chars;
    this.#added++;
    if (this.#waiting.length === 1) setImmediate(this.#checkNext);
  }

  /** Resolves when every answer that was added before is checked, also while others are added. */
  async idle(): Promise<void> {
    const count = this.#added;
    if (this.#ended >= count) return;
    await new Promise<void>((resolve) => this.#ends.push({ count, resolve }));
  }

  readonly #checkNext = (): void => {
    const note = this.#waiting.shift();
    if (note === undefined) return;
    this.#waitingChars -= note.requestChars;
    if (this.#waiting.length > 0) setImmediate(this.#checkNext);
    try {
      this.#check(note);
    } catch {
      // An answer of an unknown shape is not checked.
    }
    this.#ended++;
    while (this.#ended >= (this.#ends[0]?.count ?? Infinity)) this.#ends.shift()?.resolve();
  };

  #check(note: AnswerNote): void {
    this.#checkRepeated(note);
    const answer = note.answer();
    if (answer === undefined) return;
    const { walletId, task, model, load, atMs } = note;
    const alarm = alarmOf(answer, expectedFormOf(note.request));
    const score = alarm === undefined ? 1 : 0;
    const weight = IMPLICIT_WEIGHT;
    this.#note({ walletId, task, model, load, atMs, source: "implicit", score, weight });
  }

  /** Counts a repetition against the model that answered before. */
  #checkRepeated(note: AnswerNote): void {
    if (note.requestChars > REPEAT_CHARS_MAX) return;
    const { messages, tools, response_format: format } = note.request;
    const name = this.#nameOf(JSON.stringify([note.keyId, messages, tools, format]));
    const before = this.#remembered.get(name);
    const waitedMs = before === undefined ? Infinity : note.startedAtMs - before.atMs;
    const isAgain = before !== undefined && waitedMs <= REPEAT_MS;
    const { walletId, task, model, load, atMs } = note;
    this.#remembered.set(name, { walletId, task, model, load, atMs, isRepeated: isAgain });
    // A request that began before the answer came did not see it.
    if (!isAgain || waitedMs < 0 || before.isRepeated) return;
    const { isRepeated: _, ...counted } = before;
    this.#note({ ...counted, atMs, source: "implicit", score: 0, weight: IMPLICIT_WEIGHT });
  }
}
