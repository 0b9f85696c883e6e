/**
 * A streamed answer that several model calls produce together, with searches between them.
 *
 * @module
 */

import type { ResponseAnnotation } from "@svc/sdk/protocol";
import type { HostedToolType } from "../../domain/requests/hosted_tool_types.ts";
import type { AnswerEnd, AnswerRelay, SignedToolCall } from "../answer_relay.ts";

/** Names under which models see the hosted tools, by type. */
export type HostedNames = Readonly<Partial<Record<HostedToolType, string>>>;

/** Options of the relay of an answer of several turns. */
export interface HostedOptions {
  /** Calls of functions with these names are never sent to the caller. */
  readonly hosted?: HostedNames | undefined;
  /** Called once for each complete text. */
  readonly cite?: FindCitations | undefined;
}

/** A complete turn of a model. */
export interface EndedTurn {
  /** Events that end the turn for the caller, or nothing. */
  readonly events: string;
  /**
   * The assistant's message in the form of Chat Completions, with the bytes of signatures: JSON
   * text.
   */
  readonly message: string;
  /** All tool calls of the turn, in order; `text` is the call in the message. */
  readonly calls: readonly (SignedToolCall & { readonly text: string })[];
  /** Finish reason of Chat Completions; `stop` where the upstream gave none. */
  readonly finishReason: string;
}

/** A search that the caller sees. */
export interface HostedCall {
  /** `ws_…` or `fs_…` */
  readonly id: string;
  readonly type: HostedToolType;
  readonly query: string;
}

/** Result of a search. */
export interface HostedOutcome {
  readonly status: "completed" | "failed";
  /** Addresses that a web search returned. */
  readonly urls?: readonly string[] | undefined;
  /** Passages that a file search returned, as OpenAI lists them. */
  readonly passages?: readonly HostedPassage[] | undefined;
}

/** A passage of a vector store. */
export interface HostedPassage {
  readonly file_id: string;
  readonly filename: string;
  /** 0 to 1. */
  readonly score: number;
  readonly text: string;
  readonly attributes: Readonly<Record<string, string | number | boolean>>;
}

/**
 * Finds the citations of a text, in order of position. Positions are UTF-16 code units of the text.
 * Called once for each complete text.
 */
export type FindCitations = (text: string) => readonly ResponseAnnotation[];

/**
 * Relays an answer of several turns. `usage`, `delivered`, `finished` and `toolCalls` are those of
 * the current turn: a turn begins with its first `accept`, so between `endTurn` and that they are
 * still those of the ended turn. Calls of hosted tools are never sent to the caller as function
 * calls.
 */
export interface HostedRelay extends AnswerRelay {
  /** Ends the turn; the next `accept` begins another. */
  endTurn(): EndedTurn;
  /** Another model has begun the next turn: the answer names the last model. */
  answeredBy(model: string): void;
  /** Returns the events of a search that begins. */
  searching(call: HostedCall): string;
  /** Returns the events of a search that has ended. */
  searched(call: HostedCall, outcome: HostedOutcome): string;
  /**
   * The whole answer as JSON text, for a caller that does not stream. Available after the last
   * event of `completed`.
   */
  readonly complete: string | undefined;
  completed(end: AnswerEnd): Iterable<string>;
}
