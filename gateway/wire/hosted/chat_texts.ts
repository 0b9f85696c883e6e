/**
 * Combines the texts of a chat answer's turns into one message.
 *
 * @module
 */

import type { ResponseAnnotation } from "@svc/sdk/protocol";
import { contentOf, reasoningOf } from "../chat/text.ts";
import type { Fields } from "../chat/chunk.ts";
import { CollectedText } from "../text/collected_text.ts";
import { movedAnnotation } from "./chat_answer.ts";
import { HostedLogprobs } from "./logprobs.ts";
import { type CharBudget, ITEM_CHARS } from "../text/char_budget.ts";
import { annotationsOf } from "../responses/answer.ts";

/** Separates the texts of two turns. */
const BLANK_LINE = "\n\n";

/** Texts of a turn so far. */
interface Turn {
  readonly content: CollectedText;
  readonly refusal: CollectedText;
  readonly reasoning: CollectedText;
  readonly annotations: ResponseAnnotation[];
  readonly logprobs: HostedLogprobs;
  /** True when it has text that later text continues. */
  hasContent: boolean;
}

/** Options of {@linkcode HostedChatTexts}. */
export interface HostedTextOptions {
  /** True when the content is the last turn's text alone, so that requested JSON can be parsed. */
  readonly lastTurnOnly?: boolean | undefined;
  /** True when log probabilities are kept for the whole answer. @default {true} */
  readonly keepsLogprobs?: boolean | undefined;
}

/**
 * The texts of all turns. Content is joined by blank lines; where only the last turn counts, each
 * turn's content is held back until it has ended and shown to be the last.
 */
export class HostedChatTexts {
  /** True when content is sent at the end. */
  readonly isHeld: boolean;
  readonly #keepsLogprobs: boolean;
  readonly #budget: CharBudget;
  readonly #refusal = new CollectedText();
  readonly #reasoning = new CollectedText();
  #content = new CollectedText();
  #contentLength = 0;
  #annotations: ResponseAnnotation[] = [];
  #logprobs = new HostedLogprobs();
  #turn = newTurn();

  /** `budget` counts their characters. */
  constructor(
    { lastTurnOnly = false, keepsLogprobs = true }: HostedTextOptions,
    budget: CharBudget,
  ) {
    this.isHeld = lastTurnOnly;
    this.#keepsLogprobs = lastTurnOnly || keepsLogprobs;
    this.#budget = budget;
  }

  /** Content of all ended turns. */
  get content(): string {
    return this.#content.text();
  }

  /** Refusals of all ended turns. */
  get refusal(): string {
    return this.#refusal.text();
  }

  /** Reasoning of all ended turns. */
  get reasoning(): string {
    return this.#reasoning.text();
  }

  /** Citations of the content, in order of the turns. */
  get annotations(): readonly ResponseAnnotation[] {
    return this.#annotations;
  }

  /** Log probabilities of the content: JSON text. */
  get logprobs(): string {
    return this.#logprobs.text();
  }

  /** Content of the current turn that was not sent. */
  get heldBack(): readonly string[] {
    return this.isHeld ? this.#turn.content.pieces() : [];
  }

  /** Adds content; `sourceLength` is the length of the text that it may be a slice of. */
  push(content: string, sourceLength: number): void {
    this.#budget.add(content.length);
    this.#turn.content.push(content, sourceLength);
  }

  /** Adds the texts of a delta; returns its content as the caller receives it. */
  add(delta: Fields, sourceLength: number): string {
    this.#push(this.#turn.reasoning, reasoningOf(delta));
    this.#push(this.#turn.refusal, delta["refusal"]);
    for (const annotation of annotationsOf(delta)) {
      this.#budget.add(ITEM_CHARS + JSON.stringify(annotation).length);
      this.#turn.annotations.push(annotation);
    }
    const content = contentOf(delta);
    if (content === "") return "";
    const isApart = !this.#turn.hasContent && this.#contentLength > 0;
    this.#turn.hasContent = true;
    this.push(content, sourceLength);
    if (this.isHeld) return "";
    return isApart ? BLANK_LINE + content : content;
  }

  /** Adds the log probabilities of a choice, JSON text; returns false where there are none. */
  score(logprobs: string | undefined): boolean {
    if (logprobs?.startsWith("{") !== true) return false;
    if (this.#keepsLogprobs) this.#turn.logprobs.add(logprobs);
    return true;
  }

  /** Ends the current turn and returns its texts. */
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

  /** Discards the current turn, or begins another. */
  beginTurn(): void {
    this.#turn = newTurn();
  }

  /** Removes the content, which another turn replaces. */
  #forgetContent(): void {
    this.#content = new CollectedText();
    this.#contentLength = 0;
    this.#annotations = [];
    this.#logprobs = new HostedLogprobs();
  }

  #push(target: CollectedText, text: unknown): void {
    if (typeof text !== "string") return;
    this.#budget.add(text.length);
    target.push(text);
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
