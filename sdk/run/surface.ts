import type { CallOptions } from "../call.ts";
import type { ConversationPort, LoopShapes, ModelPort } from "../loop/mod.ts";
import type { BillingMetadata } from "../protocol/mod.ts";
import type { Declarations } from "../toolbox/selection.ts";
import type { Transport } from "../transport.ts";
import type { OnTask } from "./tasks.ts";

/** True where a list of tools has one of these types: what is no list is refused elsewhere. */
export function declares(tools: unknown, types: readonly unknown[]): boolean {
  return Array.isArray(tools) && tools.some((tool) => types.includes(Object(tool).type));
}

/** Options of turns; the signal of each turn comes with it. */
export interface TurnOptions extends Omit<CallOptions, "signal"> {
  /** True when turns are streamed. */
  readonly stream: boolean;
  /**
   * True when the caller reads only chunks and the end of a turn: the other events may be left out.
   */
  readonly chunksOnly?: boolean;
  /** Called with each task of a request that the service splits. */
  readonly onTask?: OnTask | undefined;
}

/**
 * The parts of a surface that its four methods (`create`, `stream`, `run`, `runStream`) need. The
 * methods themselves are written once, in {@linkcode Runner}.
 *
 * A turn is the result of `create`, `requestId` included; a chunk is an element of `stream`.
 */
export interface Surface<S extends LoopShapes, History extends object> extends ConversationPort<S> {
  /**
   * Returns the source of this surface's turns: calls of the service. A streamed turn is the merger
   * of its chunks.
   */
  model(transport: Transport, options: TurnOptions): ModelPort<S>;
  /** Returns the first request, checked and with its model. Throws a `ConfigurationError`. */
  begin(request: S["conversation"]): S["conversation"];
  /** True when the request brings tools, even an empty list. */
  hasOwnTools(request: S["conversation"]): boolean;
  /** Returns the request with these declarations. */
  withTools(request: S["conversation"], declarations: Declarations): S["conversation"];
  /**
   * Returns the conversation in a run's result, as `messages` or `input`, and its last turn's
   * members.
   */
  history(conversation: S["conversation"], last?: S["turn"]): History;
  /** Returns the service's metadata of a turn. */
  about(turn: S["turn"]): {
    readonly requestId?: string | undefined;
    readonly billing?: BillingMetadata | undefined;
  };
  /** Returns the last of some turns, with the usage and the bill of all of them; never none. */
  combined(turns: readonly [S["turn"], ...S["turn"][]]): S["turn"];
}
