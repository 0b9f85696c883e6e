import type { Tool } from "@svc/tools";
import type { BudgetPort, ClockPort, ConversationPort, ModelPort } from "./ports.ts";
import type { LoopShapes } from "./shapes.ts";
import { systemClock } from "./ports.ts";
import type { Step } from "./result.ts";
import type { ToolResult } from "./tool_result.ts";

/** Bounds of a loop. Each has a default; only the time limit can be switched off. */
export interface LoopLimits {
  /** Most turns of the model; 0 means the default. @default {8} */
  readonly maxSteps?: number | undefined;
  /** Most calls that run of one turn; those beyond it get an error result. @default {32} */
  readonly maxToolCallsPerStep?: number | undefined;
  /** Most calls that run at a time. @default {8} */
  readonly maxParallelToolCalls?: number | undefined;
  /** Longest JSON text of a call's input, in UTF-16 code units. @default {1_000_000} */
  readonly maxArgumentChars?: number | undefined;
  /** Longest result that the model reads, in UTF-16 code units, its label not counted. @default {100_000} */
  readonly maxResultChars?: number | undefined;
  /**
   * Longest run of a tool without its own limit, in milliseconds; 0 or less: none. @default
   * {60_000}
   */
  readonly toolTimeoutMs?: number | undefined;
}

/**
 * Input of {@linkcode LoopOptions.prepareStep}.
 *
 * @example
 * ```ts
 * import type { LoopShapes, StepPreparation } from "@svc/sdk/loop";
 * import { assertEquals } from "@std/assert";
 *
 * // Sends the last ten messages alone.
 * const shortened = ({ conversation }: StepPreparation<Lines>) => conversation.slice(-10);
 * interface Lines extends LoopShapes {
 *   conversation: readonly string[];
 * }
 * const conversation = Array.from({ length: 30 }, (_, at) => `Line ${at}`);
 * assertEquals(shortened({ conversation, step: 2, steps: [] }).length, 10);
 * ```
 */
export interface StepPreparation<S extends LoopShapes> {
  /** The conversation that would be sent. */
  readonly conversation: S["conversation"];
  /** Position of the next step, from 0. */
  readonly step: number;
  /** The complete steps so far. */
  readonly steps: readonly Step<S>[];
}

/** Options of a loop. */
export interface LoopOptions<S extends LoopShapes> extends LoopLimits {
  /** The conversation to continue. */
  readonly conversation: S["conversation"];
  /** Writes turns into the conversation of one surface. */
  readonly surface: ConversationPort<S>;
  /** The source of turns. */
  readonly model: ModelPort<S>;
  /**
   * The tools that run here, each name once. Declaring them to the model is the conversation's
   * part. A call of any other name, or of a tool without `execute`, gets the result
   * `tool_handler_not_found`, unless `manualTools` has its name.
   */
  readonly tools?: readonly Tool[] | undefined;
  /**
   * Names of tools whose calls the caller answers itself, or `true`: every call. Such a call runs
   * nothing, also where the tool has an `execute`; it ends the loop (`tool_calls`) and stands in
   * `pendingCalls`.
   *
   * @default {[]}
   */
  readonly manualTools?: readonly string[] | true | undefined;
  /** Consulted before each turn; absent: every turn is paid for. */
  readonly budget?: BudgetPort<S> | undefined;
  /** Measures time limits. @default {systemClock} */
  readonly clock?: ClockPort | undefined;
  /** Stops the model and all tools at once. */
  readonly signal?: AbortSignal | undefined;
  /** Called after each step whose calls have all been answered; true ends the loop. */
  readonly stopWhen?: ((steps: readonly Step<S>[]) => boolean | Promise<boolean>) | undefined;
  /**
   * Called before each turn, for instance to shorten the history or to force a tool. The returned
   * conversation replaces the present one; `undefined` keeps it.
   */
  readonly prepareStep?:
    | ((
      preparation: StepPreparation<S>,
    ) => S["conversation"] | undefined | Promise<S["conversation"] | undefined>)
    | undefined;
  /**
   * Receives each piece of the final answer's text, and no other text; joined, the pieces are
   * `finalText`. In a turn that could still call a tool, its pieces are held until its end: only
   * then are they known to be the answer. In any other turn, each piece arrives before its event is
   * yielded. A turn that fails passes on nothing that was held. A returned promise is awaited.
   */
  readonly onTextDelta?: ((text: string) => unknown) | undefined;
  /**
   * Receives each piece of text that a turn writes beside tool calls, from its first call on as it
   * arrives. A returned promise is awaited.
   */
  readonly onIntermediateText?: ((text: string) => unknown) | undefined;
  /**
   * Receives each tool result, in call order, before the event is yielded. A returned promise is
   * awaited.
   */
  readonly onToolResult?: ((result: ToolResult<S>) => unknown) | undefined;
  /** Receives each complete step, before the event is yielded. A returned promise is awaited. */
  readonly onStep?: ((step: Step<S>) => unknown) | undefined;
}

/** Options with every default filled in, validated. */
export interface LoopSettings<S extends LoopShapes> extends LoopOptions<S> {
  readonly maxSteps: number;
  readonly maxToolCallsPerStep: number;
  readonly maxParallelToolCalls: number;
  readonly maxArgumentChars: number;
  readonly maxResultChars: number;
  readonly toolTimeoutMs: number;
  readonly clock: ClockPort;
  readonly toolsByName: ReadonlyMap<string, Tool>;
  readonly isManual: (toolName: string) => boolean;
}

/** Fills in the defaults. Throws on an invalid limit and on two tools of the same name. */
export function settingsOf<S extends LoopShapes>(options: LoopOptions<S>): LoopSettings<S> {
  const toolsByName = new Map<string, Tool>();
  for (const tool of options.tools ?? []) {
    if (toolsByName.has(tool.name)) {
      throw new TypeError(`Cannot run a loop with two tools named "${tool.name}"`);
    }
    toolsByName.set(tool.name, tool);
  }
  const { manualTools = [] } = options;
  const manual = manualTools === true ? undefined : new Set(manualTools);
  return {
    ...options,
    maxSteps: limit("maxSteps", options.maxSteps === 0 ? 8 : options.maxSteps ?? 8),
    maxToolCallsPerStep: limit("maxToolCallsPerStep", options.maxToolCallsPerStep ?? 32),
    maxParallelToolCalls: limit("maxParallelToolCalls", options.maxParallelToolCalls ?? 8),
    maxArgumentChars: limit("maxArgumentChars", options.maxArgumentChars ?? 1_000_000),
    maxResultChars: limit("maxResultChars", options.maxResultChars ?? 100_000),
    toolTimeoutMs: time("toolTimeoutMs", options.toolTimeoutMs ?? 60_000),
    clock: options.clock ?? systemClock,
    toolsByName,
    isManual: (name) => manual === undefined || manual.has(name),
  };
}

function limit(name: string, value: number): number {
  if (Number.isSafeInteger(value) && value > 0) return value;
  throw new RangeError(`Cannot run a loop with ${name} ${value}: it must be a positive integer`);
}

/** Rejects NaN: as a time limit it would be none. */
function time(name: string, ms: number): number {
  if (typeof ms === "number" && !Number.isNaN(ms)) return ms;
  throw new RangeError(`Cannot run a loop with ${name} ${ms}: it must be a number`);
}
