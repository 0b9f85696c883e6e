import type { Usage } from "../../domain/ledger/pricing.ts";
import type { FetchImage } from "../../ports/fetch_image.ts";
import type { UpstreamCall } from "../../ports/upstream.ts";
import type { FailureCounters, Simulate } from "./misbehaviour.ts";
import type { Refusal } from "./refusal.ts";

/** Inputs of a simulated model beside the call. */
export interface EndpointContext {
  /** Unix time in seconds. */
  readonly created: number;
  /** Number of the answer, which makes ids unique within a simulator. */
  readonly serial: number;
  readonly failures: FailureCounters;
  /** Fetches images by address. Absent: none are fetched. */
  readonly fetchImage?: FetchImage | undefined;
}

/** A whole answer, in both forms; only the requested form is made. */
export interface SimulatedAnswer {
  /** Misbehaviour of the delivery. */
  readonly simulate: Simulate;
  /** Usage to report with the JSON body. @default {that of a chat completion, read from the body} */
  readonly usage?: Usage | undefined;
  /** The JSON body. */
  json(): Record<string, unknown>;
  /** The JSON texts of the stream's events. */
  chunks(): Iterable<string>;
}

/** One endpoint of a simulated model. Pure, except for the failure counters. */
export type EndpointSimulator = (
  call: UpstreamCall,
  context: EndpointContext,
) => SimulatedAnswer | Refusal | Promise<SimulatedAnswer | Refusal>;
