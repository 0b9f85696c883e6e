/**
 * A row of the table of endings: how a call ends, and its exact charge in micros.
 *
 * An input token costs 1 000 micros, a cached one 100, an output token 2 000. Counted text is "Hi",
 * one token of input, and words of one token each.
 *
 * The row "gateway killed" is tested elsewhere: it is not observable within a process.
 *
 * @module
 */

import type { Said } from "../../fixtures/answered_text.ts";

/** Routes from a caller to a model. */
export type ResponseRoute = "chat" | "responses, native" | "responses, translated";

/** The end of the upstream's output. */
export type UpstreamEnd =
  /** Complete, as in its wire format. */
  | "whole"
  /** Status 500, and nothing else. */
  | "refused"
  /** The connection is reset instead of a response. */
  | "reset"
  /** The connection is closed in the middle of the JSON, or after `said`. */
  | "cut"
  /** As `cut`, after usage was reported. */
  | "cut after usage"
  /** An event reports a failure. */
  | "failed"
  /** The stream ends regularly, but before its finish. */
  | "too soon"
  /** Cut after finish and usage: only the end-of-stream marker is missing. */
  | "cut at its end";

/** A caller disconnect; `said` is the upstream's output up to then. */
export interface Leaving {
  readonly onDisconnect: "cancel" | "drain";
  /** Before the response; always so for a JSON body. @default {after `said`} */
  readonly early?: boolean;
  /** The rest of the upstream's output, when it is drained. */
  readonly then?: "whole" | "cut" | "whole, without usage";
}

/** One kind of ending. */
export interface Row {
  /** The row of the table. */
  readonly row: string;
  /** Distinction from other rows. */
  readonly how: string;
  readonly output: Said;
  /** @default {"whole"} */
  readonly end?: UpstreamEnd;
  /** @default {the caller stays} */
  readonly leaves?: Leaving;
  /** True when another model would answer, for 10 and 5 tokens. @default {false} */
  readonly spare?: boolean;
  /** Further fields of the request. */
  readonly asks?: Readonly<Record<string, unknown>>;
  /** @default {all} */
  readonly routes?: readonly ResponseRoute[];
  /** @default {both} */
  readonly only?: "streamed" | "as one body";
  /** Status of the response. @default {200} */
  readonly status?: number;
  /** Charge in micros. */
  readonly charge: bigint;
  /** True when the bill marks the usage as counted by the gateway. @default {false} */
  readonly estimated?: boolean;
  /** True when the report is impossible, as the operator's log states. @default {false} */
  readonly impossible?: boolean;
  /** Entries of the journal in order: operations with micros. */
  readonly journal: readonly string[];
}

/** Hold for "Hi" and 1 000 tokens of output: 30 tokens by bytes, and those. */
export const HELD = "hold 2030000";
/** Hold for two choices. */
export const HELD_TWICE = "hold 4030000";

/** Three tokens. */
export const WORDS = ["Hello", " there", " friend"];
/** One token. */
export const ONE_WORD = ["Hello"];
/** Strings of a message or delta beside its text: three tokens each. */
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
  "a member that nobody knows": { novelty: { said: ["Hello there friend"] } },
};

/** Routes that send a chat completion upstream. */
export const CHAT_ROUTES: readonly ResponseRoute[] = ["chat", "responses, translated"];
