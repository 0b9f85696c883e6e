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
}

/** A whole answer, in both forms; the one that was asked for is made. */
export interface SimulatedAnswer {
  /** How its delivery is to go wrong. */
  readonly simulate: Simulate;
  /** The JSON body. */
  json(): Record<string, unknown>;
  /** The JSON texts of the stream's events. */
  chunks(): Iterable<string>;
}

/** One endpoint of a simulated model: pure but for the failure counters. */
export type EndpointSimulator = (
  call: UpstreamCall,
  context: EndpointContext,
) => SimulatedAnswer | Refusal;
