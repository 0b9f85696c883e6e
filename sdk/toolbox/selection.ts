import type { Tool, ToolExecute } from "@svc/tools";
import { ConfigurationError } from "../errors.ts";

/** A hosted tool that a client may declare by default. */
export type HostedToolName = "web_search_preview";

/** Tools that a request declares. */
export interface Declarations {
  /** Tools that this process runs. */
  readonly functions: readonly Tool[];
  /** Tools that the service runs. */
  readonly hosted: readonly HostedToolName[];
}

/** The tools of one call. */
export interface ToolSelection {
  /** Tools to add to the request; absent: the request has its own, or there are none. */
  readonly declared?: Declarations | undefined;
  /** Tools that the loop runs. */
  readonly executable: readonly Tool[];
}

/** Tools that an application has registered. */
export interface RegisteredTools {
  /**
   * Declared to the model. A call of one that has neither `execute` nor a handler gets the result
   * `tool_handler_not_found`.
   */
  readonly tools?: readonly Tool[] | undefined;
  /**
   * Functions by tool name: for tools without `execute`, and for those that a request declares.
   * Functions of a run replace those of the client.
   */
  readonly toolHandlers?: Readonly<Record<string, ToolExecute>> | undefined;
}

/** Default tools of a client, for requests and applications without tools. */
export interface DefaultTools {
  /** Local tools, made on first use. */
  readonly local: () => readonly Tool[];
  /** Hosted tools. */
  readonly hosted: readonly HostedToolName[];
}

/**
 * Selects the tools that a call declares and runs (specification, section 4.1, tool rules 1 to 6):
 * those of the request, even an empty list, come first; then those that the application registered;
 * only without either, the defaults.
 */
export class Toolbox {
  readonly #registered: RegisteredTools;
  readonly #defaults: DefaultTools;

  /**
   * Creates the toolbox of a client. Throws a `ConfigurationError` when its tools cannot be used.
   */
  constructor(registered: RegisteredTools, defaults: DefaultTools) {
    refuseUnusable(registered);
    this.#registered = registered;
    this.#defaults = defaults;
  }

  /** Selects for one request, streamed or not: it runs the defaults alone. */
  forRequest({ hasOwnTools }: { readonly hasOwnTools: boolean }): ToolSelection {
    if (hasOwnTools) return { executable: [] };
    const { tools, isEmpty } = merged(this.#registered, {});
    return isEmpty ? this.#fallback() : { declared: declared(tools), executable: [] };
  }

  /** Selects for a run: it runs the tools that are registered for the client or for this run. */
  forRun(own: RegisteredTools, { hasOwnTools }: { readonly hasOwnTools: boolean }): ToolSelection {
    refuseUnusable(own);
    const { tools, handlers, isEmpty } = merged(this.#registered, own);
    const executable = [...tools, ...handlers];
    if (hasOwnTools) return { executable };
    return isEmpty ? this.#fallback() : { declared: declared(tools), executable };
  }

  #fallback(): ToolSelection {
    const functions = this.#defaults.local();
    const { hosted } = this.#defaults;
    const isEmpty = functions.length === 0 && hosted.length === 0;
    return isEmpty
      ? { executable: [] }
      : { declared: { functions, hosted }, executable: functions };
  }
}

function declared(functions: readonly Tool[]): Declarations | undefined {
  return functions.length === 0 ? undefined : { functions, hosted: [] };
}

/** Throws a `ConfigurationError` when a registered tool can be neither declared nor called. */
function refuseUnusable({ tools = [], toolHandlers = {} }: RegisteredTools): void {
  if (!Array.isArray(tools)) {
    throw new ConfigurationError("Cannot register tools that are no list: pass an array of them");
  }
  const names = new Set<string>();
  for (const tool of tools) {
    const name: unknown = Object(tool).name;
    if (typeof name !== "string" || name === "") {
      throw new ConfigurationError("Cannot register a tool without a name: give it one");
    }
    const execute: unknown = Object(tool).execute;
    if (execute !== undefined && typeof execute !== "function") {
      throw new ConfigurationError(
        `Cannot register the tool "${name}": its execute is not a function`,
      );
    }
    if (names.has(name)) {
      throw new ConfigurationError(`Cannot register two tools named "${name}": rename one`);
    }
    names.add(name);
  }
  for (const [name, handler] of Object.entries(toolHandlers)) {
    if (typeof handler === "function") continue;
    throw new ConfigurationError(`Cannot register a handler for "${name}" that is no function`);
  }
}

/** Merges the tools of a client and a run; the run's win on equal names. */
function merged(client: RegisteredTools, run: RegisteredTools) {
  const handlers = new Map(
    [client, run].flatMap(({ toolHandlers }) => Object.entries(toolHandlers ?? {})),
  );
  const tools = new Map(
    [client, run].flatMap(({ tools }) => tools ?? []).map((tool) => [tool.name, tool]),
  );
  const ofRun = new Map(Object.entries(run.toolHandlers ?? {}));
  return {
    tools: [...tools.values()].map((tool): Tool => {
      const replacing = run.tools?.includes(tool) ? undefined : ofRun.get(tool.name);
      const execute = replacing ?? tool.execute ?? handlers.get(tool.name);
      // Its methods may read `this`: it is copied only when it has to be.
      return execute === undefined || execute === tool.execute ? tool : { ...tool, execute };
    }),
    /** Functions for tools that the request declares itself. */
    handlers: [...handlers]
      .filter(([name]) => !tools.has(name))
      .map(([name, execute]): Tool => ({ name, parameters: {}, execute })),
    isEmpty: tools.size === 0 && handlers.size === 0,
  };
}
