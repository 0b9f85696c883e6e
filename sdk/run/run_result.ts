import type { LoopResult, LoopShapes } from "../loop/mod.ts";
import type { BillingMetadata } from "../protocol/mod.ts";

/** The result of a run; each surface adds the history, `messages` or `input`. */
export interface RunResult<S extends LoopShapes> extends Omit<LoopResult<S>, "error"> {
  /** The last complete turn, as `create` returns it; absent when there was none. */
  readonly response: S["turn"] | undefined;
  /** The bill of all turns; absent when the service sent none. */
  readonly billing: BillingMetadata | undefined;
  /** Id of the last turn's request, to quote to the operator. */
  readonly requestId: string | undefined;
}
