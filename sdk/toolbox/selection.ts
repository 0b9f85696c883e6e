import type { Tool, ToolExecute } from "@svc/tools";
import { ConfigurationError } from "../errors.ts";

/** Hosted tools that a client may declare by default. */
export type HostedToolName = "web_search_preview";

/** What a request is to declare. */
export interface Declarations {
  /** Run by this side. */
  readonly functions: readonly Tool[];
  /** Run by the service. */
  readonly hosted: readonly HostedToolName[];
}

/** The tools of one call. */
export interface ToolSelection {
  /** To be written into the request; absent: the request has its own, or there are none. */
  readonly declared?: Declarations | undefined;
  /** What the loop runs. */
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
   * Functions by tool name: for tools without `execute`, and for those that a request declares. Those
   * of a run also take the place of what the client has registered.
   */
  readonly toolHandlers?: Readonly<Record<string, ToolExecute>> | undefined;
}

/** What a client offers where neither request nor application bring tools. */
export interface DefaultTools {
  /** Made on first use. */
  readonly local: () => readonly Tool[];
  /** Hosted ones. */
  readonly hosted: readonly HostedToolName[];
}

/**
 * Which tools a call declares, and which it runs (specification, section 4.1, tool rules 1 to 6):
 * those of the request, even none, come first; then those the application registered; only where
 * neither is, the defaults.
 */
export class Toolbox {
  readonly #registered: RegisteredTools;
  readonly #defaults: DefaultTools;

  /** Of a client. Throws a `ConfigurationError` where its tools cannot be used. */
  constructor(registered: RegisteredTools, defaults: DefaultTools) {
    refuseUnusable(registered);
    this.#registered = registered;
    this.#defaults = defaults;
  }

  /** Of one request, streamed or not: runs the defaults alone. */
  forRequest({ hasOwnTools }: { readonly hasOwnTools: boolean }): ToolSelection {
    if (hasOwnTools) return { executable: [] };
    const { tools, isEmpty } = merged(this.#registered, {});
    return isEmpty ? this.#fallback() : { declared: declared(tools), executable: [] };
  }

  /** Of a run: runs what is registered, for the client or for this run alone. */
  forRun(
    own: RegisteredTools,
    { hasOwnTools }: { readonly hasOwnTools: boolean },
  ): ToolSelection {
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

/** Throws a `ConfigurationError` where what is registered could not be declared, or called. */
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

/** What a client and a run have registered; of two tools, or functions, of one name the run's. */
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
      // Its methods may read `this`: it is not copied unless it has to be.
      return execute === undefined || execute === tool.execute ? tool : { ...tool, execute };
    }),
    /** Of tools that the request declares itself. */
    handlers: [...handlers]
      .filter(([name]) => !tools.has(name))
      .map(([name, execute]): Tool => ({ name, parameters: {}, execute })),
    isEmpty: tools.size === 0 && handlers.size === 0,
  };
}
