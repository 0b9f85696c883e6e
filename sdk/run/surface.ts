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

/** How turns are asked for; what ends one is given with it. */
export interface TurnOptions extends Omit<CallOptions, "signal"> {
  /** Whether they come as events. */
  readonly stream: boolean;
  /** Nobody looks at more than chunks and the end of a turn: the rest need not be told. */
  readonly chunksOnly?: boolean;
  /** Told of the tasks of a request that the service splits. */
  readonly onTask?: OnTask | undefined;
}

/**
 * What the four methods of a surface (`create`, `stream`, `run`, `runStream`) need to know of it. The
 * methods themselves are written once, in {@linkcode Runner}.
 *
 * A turn is what `create` answers with, `requestId` included; a chunk is what `stream` yields.
 */
export interface Surface<S extends LoopShapes, History extends object> extends ConversationPort<S> {
  /** Turns of this surface, asked of the service; a stream's turn is what its chunks add up to. */
  model(transport: Transport, options: TurnOptions): ModelPort<S>;
  /** The request to begin with, checked and with its model. Throws a `ConfigurationError`. */
  begin(request: S["conversation"]): S["conversation"];
  /** Whether the request brings tools of its own, be they none. */
  hasOwnTools(request: S["conversation"]): boolean;
  /** The request with these declared. */
  withTools(request: S["conversation"], declarations: Declarations): S["conversation"];
  /** The conversation in a run's result, as `messages` or `input`, and its last turn's members. */
  history(conversation: S["conversation"], last?: S["turn"]): History;
  /** What the service says about a turn. */
  about(turn: S["turn"]): {
    readonly requestId?: string | undefined;
    readonly billing?: BillingMetadata | undefined;
  };
  /** The last of some turns, with the usage and the bill of all of them; never none. */
  combined(turns: readonly [S["turn"], ...S["turn"][]]): S["turn"];
}
