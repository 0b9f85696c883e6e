import type { LoopResult, LoopShapes } from "../loop/mod.ts";
import type { BillingMetadata } from "../protocol/mod.ts";

/** What every run came to; beside it stands the history, `messages` or `input`. */
export interface RunResult<S extends LoopShapes> extends Omit<LoopResult<S>, "error"> {
  /** The last complete turn, as `create` answers; absent where there was none. */
  readonly response: S["turn"] | undefined;
  /** The bill of all turns; absent where the service named none. */
  readonly billing: BillingMetadata | undefined;
  /** The last turn's request, to quote to the operator. */
  readonly requestId: string | undefined;
}
