/**
 * What the turns of a chat answer say, as one message.
 *
 * @module
 */

import type { ResponseAnnotation } from "@svc/sdk/protocol";
import { contentOf, reasoningOf } from "../chat/text.ts";
import type { Fields } from "../chat/chunk.ts";
import { CollectedText } from "../text/collected_text.ts";
import { movedAnnotation } from "./chat_answer.ts";
import { HostedLogprobs } from "./logprobs.ts";
import { ITEM_CHARS, type KeptChars } from "../text/kept_chars.ts";
import { annotationsOf } from "../responses/answer.ts";

/** Stands between the texts of two turns. */
const BLANK_LINE = "\n\n";

/** What a turn has said so far. */
interface Turn {
  readonly content: CollectedText;
  readonly refusal: CollectedText;
  readonly reasoning: CollectedText;
  readonly annotations: ResponseAnnotation[];
  readonly logprobs: HostedLogprobs;
  /** Whether it has said anything that its text goes on from. */
  hasContent: boolean;
}

/** How texts come together. */
export interface HostedTextOptions {
  /** The content is the last turn's text alone, so that JSON that was asked for can be parsed. */
  readonly lastTurnOnly?: boolean | undefined;
  /** Whether log probabilities are kept for the whole answer. @default {true} */
  readonly keepsLogprobs?: boolean | undefined;
}

/**
 * The texts of all turns. Content is joined by blank lines; where the last turn's alone counts, each
 * turn's is held back, since nobody knows which is the last one before it has ended.
 */
export class HostedChatTexts {
  /** Whether content is told at the end. */
  readonly isHeld: boolean;
  readonly #keepsLogprobs: boolean;
  readonly #kept: KeptChars;
  readonly #refusal = new CollectedText();
  readonly #reasoning = new CollectedText();
  #content = new CollectedText();
  #contentLength = 0;
  #annotations: ResponseAnnotation[] = [];
  #logprobs = new HostedLogprobs();
  #turn = newTurn();

  /** `kept` counts what is kept of them. */
  constructor({ lastTurnOnly = false, keepsLogprobs = true }: HostedTextOptions, kept: KeptChars) {
    this.isHeld = lastTurnOnly;
    this.#keepsLogprobs = lastTurnOnly || keepsLogprobs;
    this.#kept = kept;
  }

  /** All content of the turns that have ended. */
  get content(): string {
    return this.#content.text();
  }

  /** As {@linkcode content}. */
  get refusal(): string {
    return this.#refusal.text();
  }

  /** As {@linkcode content}. */
  get reasoning(): string {
    return this.#reasoning.text();
  }

  /** What the content cites, as its turns said it. */
  get annotations(): readonly ResponseAnnotation[] {
    return this.#annotations;
  }

  /** Log probabilities of what is told: JSON text. */
  get logprobs(): string {
    return this.#logprobs.text();
  }

  /** Content of the turn at hand that nobody has been sent. */
  get heldBack(): readonly string[] {
    return this.isHeld ? this.#turn.content.pieces() : [];
  }

  /** Adds content; `kept` is the length of the text that it may be a slice of. */
  push(content: string, kept: number): void {
    this.#kept.take(content.length);
    this.#turn.content.push(content, kept);
  }

  /** Adds what a delta says; returns its content as the caller is shown it. */
  add(delta: Fields, kept: number): string {
    this.#push(this.#turn.reasoning, reasoningOf(delta));
    this.#push(this.#turn.refusal, delta["refusal"]);
    for (const annotation of annotationsOf(delta)) {
      this.#kept.take(ITEM_CHARS + JSON.stringify(annotation).length);
      this.#turn.annotations.push(annotation);
    }
    const content = contentOf(delta);
    if (content === "") return "";
    const isApart = !this.#turn.hasContent && this.#contentLength > 0;
    this.#turn.hasContent = true;
    this.push(content, kept);
    if (this.isHeld) return "";
    return isApart ? BLANK_LINE + content : content;
  }

  /** Adds the log probabilities of a choice, JSON text; false where there are none. */
  score(logprobs: string | undefined): boolean {
    if (logprobs?.startsWith("{") !== true) return false;
    if (this.#keepsLogprobs) this.#turn.logprobs.add(logprobs);
    return true;
  }

  /** Adds the turn to those before it; returns what it said. */
  endTurn(): { readonly content: string; readonly refusal: string } {
    const { annotations, logprobs, reasoning } = this.#turn;
    const [content, refusal] = [this.#turn.content.text(), this.#turn.refusal.text()];
    if (this.isHeld) this.#forgetContent();
    const isApart = this.#contentLength > 0;
    const start = isApart ? this.#contentLength + BLANK_LINE.length : 0;
    this.#annotations.push(...annotations.map((cited) => movedAnnotation(cited, start)));
    if (content !== "") {
      if (isApart) this.#content.push(BLANK_LINE);
      this.#content.push(content);
      this.#contentLength = start + content.length;
    }
    this.#refusal.push(refusal);
    this.#reasoning.push(reasoning.text());
    this.#logprobs.add(logprobs.text());
    return { content, refusal };
  }

  /** Forgets the turn at hand, or begins another. */
  beginTurn(): void {
    this.#turn = newTurn();
  }

  /** What was content is none once another turn has come. */
  #forgetContent(): void {
    this.#content = new CollectedText();
    this.#contentLength = 0;
    this.#annotations = [];
    this.#logprobs = new HostedLogprobs();
  }

  #push(said: CollectedText, text: unknown): void {
    if (typeof text !== "string") return;
    this.#kept.take(text.length);
    said.push(text);
  }
}

function newTurn(): Turn {
  return {
    content: new CollectedText(),
    refusal: new CollectedText(),
    reasoning: new CollectedText(),
    annotations: [],
    logprobs: new HostedLogprobs(),
    hasContent: false,
  };
}
