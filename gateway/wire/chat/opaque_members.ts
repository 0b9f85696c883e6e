import { isJsonObject } from "@svc/sdk/protocol";
import type { CharBudget } from "../text/char_budget.ts";
import type { OpaqueTexts } from "./tool_calls.ts";

type Fields = Record<string, unknown>;

/** A member: the bytes of its only occurrence, the merged value of several, or both. */
interface Member {
  text: string | undefined;
  value: unknown;
}

/**
 * Opaque members that arrive in several chunks: a later value is merged into the earlier one, never
 * appended. Each is parsed once and written once.
 */
export class OpaqueMembers {
  readonly #members = new Map<string, Member>();

  /** Adds the members of a chunk. */
  add(texts: OpaqueTexts, budget: CharBudget): void {
    for (const [name, text] of Object.entries(texts)) {
      const known = this.#members.get(name);
      if (text === "null" || text === known?.text) continue;
      budget.add(text.length);
      if (known === undefined) this.#members.set(name, { text, value: undefined });
      else {
        known.value = merged(known.value ?? parsed(known.text), JSON.parse(text));
        known.text = undefined;
      }
    }
  }

  /** Returns JSON texts by name; a member that arrived once keeps its bytes. */
  texts(): ReadonlyMap<string, string> {
    const texts = new Map<string, string>();
    for (const [name, member] of this.#members) {
      texts.set(name, member.text ??= JSON.stringify(member.value));
    }
    return texts;
  }
}

function parsed(text: string | undefined): unknown {
  return JSON.parse(text ?? "null");
}

/**
 * Merges the later value into the earlier one where both are objects; else returns the later one.
 */
function merged(earlier: unknown, later: unknown): unknown {
  if (!isJsonObject(earlier) || !isJsonObject(later)) return later;
  for (const [key, value] of Object.entries(later)) {
    const known = Object.hasOwn(earlier, key) ? earlier[key] : undefined;
    // Defined, not assigned: a member may have the name `__proto__`.
    Object.defineProperty(earlier, key, {
      value: merged(known, value),
      configurable: true,
      enumerable: true,
      writable: true,
    });
  }
  return earlier;
}
