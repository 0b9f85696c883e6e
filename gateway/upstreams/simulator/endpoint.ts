import type { Usage } from "../../domain/ledger/pricing.ts";
import type { FetchImage } from "../../ports/fetch_image.ts";
import type { UpstreamCall } from "../../ports/upstream.ts";
import type { FailureCounters, Simulate } from "./misbehaviour.ts";
import type { Refusal } from "./refusal.ts";

/** What a simulated model needs besides the call. */
export interface EndpointContext {
  /** Unix time in seconds. */
  readonly created: number;
  /** Tells the answers of one simulator apart. */
  readonly serial: number;
  readonly failures: FailureCounters;
  /** Fetches the images that callers point to; absent: none are fetched. */
  readonly fetchImage?: FetchImage | undefined;
}

/** A whole answer, in both forms; the one that was asked for is made. */
export interface SimulatedAnswer {
  /** How its delivery is to go wrong. */
  readonly simulate: Simulate;
  /** Usage to report with the JSON body. @default {that of a chat completion, read from the body} */
  readonly usage?: Usage | undefined;
  /** The JSON body. */
  json(): Record<string, unknown>;
  /** The JSON texts of the stream's events. */
  chunks(): Iterable<string>;
}

/** One endpoint of a simulated model: pure but for the failure counters. */
export type EndpointSimulator = (
  call: UpstreamCall,
  context: EndpointContext,
) => SimulatedAnswer | Refusal | Promise<SimulatedAnswer | Refusal>;
