import type { Cancellation } from "./cancellation.ts";
import type { LoopSettings } from "./options.ts";
import type { LoopShapes } from "./shapes.ts";

/** What every phase of a loop is given. */
export interface LoopContext<S extends LoopShapes> {
  readonly settings: LoopSettings<S>;
  readonly cancellation: Cancellation;
}
