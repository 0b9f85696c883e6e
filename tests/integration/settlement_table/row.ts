/**
 * A row of the table of endings: how a call ends, and what it costs to the micro-credit.
 *
 * A token of input costs 1 000 micro-credits, one that was read from a cache 100, a token of output
 * 2 000. What is counted here is "Hi", one token of input, and words of one token each.
 *
 * The one row that is not here is "gateway killed": nothing of it can be seen from within a process.
 *
 * @module
 */

import type { Said } from "../../fixtures/said.ts";

/** Ways from a caller to a model. */
export type ResponseRoute = "chat" | "responses, native" | "responses, translated";

/** The end of the upstream's output. */
export type UpstreamEnd =
  /** As its wire has it. */
  | "whole"
  /** Status 500, and nothing else. */
  | "refused"
  /** The connection is reset in place of an answer. */
  | "reset"
  /** The connection is closed in the middle: of the JSON, or after what is said. */
  | "cut"
  /** As `cut`, after usage was reported. */
  | "cut after usage"
  /** An event says that it has failed. */
  | "failed"
  /** It ends in good order, but before its finish. */
  | "too soon"
  /** It is cut after its finish and its usage: only the end-of-stream marker is missing. */
  | "cut at its end";

/** When a caller leaves: what the upstream said by then is `said`. */
export interface Leaving {
  readonly onDisconnect: "cancel" | "drain";
  /** Before the answer; always so where it is one body. @default {after what is said} */
  readonly early?: boolean;
  /** The rest of the upstream's output, where it is drained. */
  readonly then?: "whole" | "cut" | "whole, without usage";
}

/** One way of ending. */
export interface Row {
  /** The row of the table. */
  readonly row: string;
  /** The peculiarity of this row. */
  readonly how: string;
  readonly output: Said;
  /** @default {"whole"} */
  readonly end?: UpstreamEnd;
  /** @default {the caller stays} */
  readonly leaves?: Leaving;
  /** Another model would answer, for 10 and 5 tokens. @default {false} */
  readonly spare?: boolean;
  /** More of the request. */
  readonly asks?: Readonly<Record<string, unknown>>;
  /** @default {all} */
  readonly routes?: readonly ResponseRoute[];
  /** @default {both} */
  readonly only?: "streamed" | "as one body";
  /** Status of the answer. @default {200} */
  readonly status?: number;
  /** Micro-credits. */
  readonly charge: bigint;
  /** True when the bill says that the usage was counted here. @default {false} */
  readonly estimated?: boolean;
  /** True when the report could not be true, which the operator's log has. @default {false} */
  readonly impossible?: boolean;
  /** The entries of the journal, in order: operations, with micro-credits. */
  readonly journal: readonly string[];
}

/** The hold for "Hi" and 1 000 tokens of output: 30 tokens by its bytes, and those. */
export const HELD = "hold 2030000";
/** The same for two choices. */
export const HELD_TWICE = "hold 4030000";

/** Three tokens. */
export const WORDS = ["Hello", " there", " friend"];
/** One. */
export const ONE_WORD = ["Hello"];
/** Strings that a message or delta may carry beside its text: three tokens each. */
export const OTHER_STRINGS: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  "a legacy function's arguments": { function_call: { arguments: "Hello there friend" } },
  "a custom tool's input": {
    tool_calls: [{
      index: 0,
      id: "c",
      type: "custom",
      custom: { name: "", input: "Hello there friend" },
    }],
  },
  "reasoning in details": {
    reasoning_details: [{ type: "reasoning.text", text: "Hello there friend", index: 0 }],
  },
  "reasoning told under two names": {
    reasoning: "Hello there friend",
    reasoning_details: [{ type: "reasoning.text", text: "Hello there friend", index: 0 }],
  },
  "thinking": { thinking: "Hello there friend" },
  "a transcript": { audio: { id: "audio_1", transcript: "Hello there friend" } },
  "a member that nobody knows": { novelty: { output: ["Hello there friend"] } },
};

/** Those on which a model is asked for a chat completion. */
export const CHAT_ROUTES: readonly ResponseRoute[] = ["chat", "responses, translated"];
