/**
 * A streamed answer that several calls of models make together, with searches between them.
 *
 * @module
 */

import type { ResponseAnnotation } from "@svc/sdk/protocol";
import type { HostedToolType } from "../../domain/requests/hosted_tool_types.ts";
import type { AnswerEnd, AnswerRelay, SignedToolCall } from "../answer_relay.ts";

/** How the gateway's own tools are named to models, by what they are. */
export type HostedNames = Readonly<Partial<Record<HostedToolType, string>>>;

/** What a relay needs to follow an answer of several turns. */
export interface HostedOptions {
  /** Calls of functions with these names are never shown. */
  readonly hosted?: HostedNames | undefined;
  /** Asked once for each text that is complete. */
  readonly cite?: FindCitations | undefined;
}

/** A model's turn, once it is complete. */
export interface EndedTurn {
  /** What ends the turn for the caller: events, or nothing. */
  readonly events: string;
  /** The assistant's message as Chat Completions has it, signatures in their own bytes: JSON text. */
  readonly message: string;
  /** All tool calls of the turn, in order; `text` is the call as it stands in the message. */
  readonly calls: readonly (SignedToolCall & { readonly text: string })[];
  /** Why the model stopped, as Chat Completions says it; `stop` where nothing was said. */
  readonly finishReason: string;
}

/** A search that the caller is told of. */
export interface HostedCall {
  /** `ws_…` or `fs_…` */
  readonly id: string;
  readonly type: HostedToolType;
  readonly query: string;
}

/** How a search ended. */
export interface HostedOutcome {
  readonly status: "completed" | "failed";
  /** Addresses that a web search found. */
  readonly urls?: readonly string[] | undefined;
  /** Passages that a file search found, as OpenAI lists them. */
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
 * Finds what a text cites. Positions are UTF-16 code units of the text; in order of position.
 * Called once for each text that is complete.
 */
export type FindCitations = (text: string) => readonly ResponseAnnotation[];

/**
 * Follows an answer of several turns. `usage`, `delivered`, `finished` and `toolCalls` are of the turn
 * at hand: a turn begins with its first `accept`, so what is read between `endTurn` and that is of the
 * turn that has ended. Calls of hosted tools are never shown to the caller as function calls.
 */
export interface HostedRelay extends AnswerRelay {
  /** Ends the turn; the next `accept` begins another. */
  endTurn(): EndedTurn;
  /** Another model has begun the next turn: the answer names whoever answered last. */
  answeredBy(model: string): void;
  /** A search begins: events, or nothing. */
  searching(call: HostedCall): string;
  /** A search has ended: events, or nothing. */
  searched(call: HostedCall, outcome: HostedOutcome): string;
  /**
   * The whole answer as JSON text: what a caller who does not stream gets. Only after the last event
   * of `completed` was taken.
   */
  readonly complete: string | undefined;
  completed(end: AnswerEnd): Iterable<string>;
}
