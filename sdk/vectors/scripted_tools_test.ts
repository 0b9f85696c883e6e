/** Tools of an application, as the vectors state them. */

import type { Tool } from "@svc/tools";
import { asJson, type Fields } from "./vector_file_test.ts";

/** Behaviour of a handler; without a member it returns `null`. */
interface Behaviour {
  readonly returns?: unknown;
  /** Returns its input. */
  readonly echoes?: boolean;
  /** Throws an error with this message. */
  readonly throws?: string;
  /** Ends only when it is aborted. */
  readonly waits?: boolean;
  /** Ends only after the tool of this name has ended. */
  readonly after?: string;
}

/** A call that a handler received. */
export interface Received {
  readonly tool: string;
  readonly input: unknown;
}

/** The tools of one case, and what they received. */
export class ScriptedTools {
  /** In the order in which the handlers began. */
  readonly received: Received[] = [];
  readonly #ends = new Map<string, PromiseWithResolvers<void>>();

  /** Returns options of a client or of a run with real handlers in place of described ones. */
  resolve(options: Fields): Fields {
    const { tools, toolHandlers, ...others } = options;
    return {
      ...others,
      ...(Array.isArray(tools) ? { tools: tools.map((tool) => this.#tool(tool)) } : {}),
      ...(toolHandlers === undefined ? {} : {
        toolHandlers: Object.fromEntries(
          Object.entries(Object(toolHandlers)).map((
            [name, does],
          ) => [name, this.#handler(name, Object(does))]),
        ),
      }),
    };
  }

  #tool({ does, ...declared }: Fields & { readonly does?: Behaviour }): Tool {
    const { name, parameters = { type: "object" } } = declared;
    const tool = { ...declared, name: String(name), parameters: Object(parameters) };
    return does === undefined ? tool : { ...tool, execute: this.#handler(tool.name, does) };
  }

  #handler(tool: string, does: Behaviour): NonNullable<Tool["execute"]> {
    return async (input, { signal }) => {
      this.received.push({ tool, input: asJson(input) });
      if (does.after !== undefined) await this.#endOf(does.after).promise;
      if (does.waits === true) {
        await new Promise((_, reject) =>
          signal.addEventListener("abort", () => reject(signal.reason))
        );
      }
      this.#endOf(tool).resolve();
      if (does.throws !== undefined) throw new Error(does.throws);
      return does.echoes === true ? input : does.returns ?? null;
    };
  }

  #endOf(tool: string): PromiseWithResolvers<void> {
    const known = this.#ends.get(tool) ?? Promise.withResolvers<void>();
    this.#ends.set(tool, known);
    return known;
  }
}
