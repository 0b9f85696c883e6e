import type { Endpoint } from "@svc/sdk/protocol";

/** What routing needs to know of a request; computed once, in one pass, from the parsed body. */
export interface RequestFeatures {
  readonly endpoint: Endpoint;
  /** UTF-8 bytes of all text that the model reads: messages, tool declarations, schemas. */
  readonly textBytes: number;
  /** UTF-16 code units of the same text: beside `textBytes` it tells scripts apart. */
  readonly textChars: number;
  /** Number of messages and tool declarations: each costs a few tokens of framing. */
  readonly framedItems: number;
  /** Images in the input. */
  readonly images: number;
  /** Feature tags that a model must carry to serve this: `tools`, `vision`, `json`, `audio`, `files`. */
  readonly needs: readonly string[];
  readonly hostedTools: readonly string[];
  /** Output limit the caller set, in tokens; absent: as much as the model gives. */
  readonly requestedOutputTokens?: number | undefined;
  /** Number of choices (`n`). */
  readonly choices: number;
  /** 0 (trivial) to 1 (hard); a documented function of named features. */
  readonly difficulty: number;
  /** Hash of the leading messages: with the key, what a conversation is known by. */
  readonly conversation: string;
}
