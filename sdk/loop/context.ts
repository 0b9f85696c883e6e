import type { Cancellation } from "./cancellation.ts";
import type { LoopSettings } from "./options.ts";
import type { LoopShapes } from "./shapes.ts";

/** The data that every phase of a loop receives. */
export interface LoopContext<S extends LoopShapes> {
  readonly settings: LoopSettings<S>;
  readonly cancellation: Cancellation;
}
