/**
 * Assigns the pieces of a streamed answer to tool calls.
 *
 * @module
 */

import type { ToolCallDelta } from "@svc/sdk/protocol";

type Delta = Partial<ToolCallDelta>;

/** The facts of a call that identify its pieces. */
interface KnownCall {
  /** Id and index as the upstream sent them. */
  id: string | undefined;
  index: number | undefined;
  /** Name in the last piece that had one. */
  name: string;
  readonly input: InputEnd;
}

/**
 * Assigns pieces to tool calls: by index, else by id, else by order. Some upstreams send no index,
 * or the same for every call; some no id, or the same. So the elements of one delta are different
 * calls unless they say otherwise, and a function's name after a complete input begins another
 * call.
 */
export class ToolCallIndexes {
  readonly #calls: KnownCall[] = [];
  readonly #byIndex = new Map<number, number>();
  readonly #byId = new Map<string, number>();
  #last: number | undefined;

  /**
   * Returns the positions of one delta's calls among all calls, from 0, in order of their first
   * pieces.
   */
  of(deltas: readonly Partial<ToolCallDelta>[]): readonly number[] {
    const assigned = new Set<number>();
    const unlabelled = this.#unlabelled(deltas);
    return deltas.map((delta) => {
      const known = this.#labelled(delta) ?? unlabelled(delta);
      const isKnown = known !== undefined && !this.#isAnother(delta, known, assigned);
      const position = isKnown ? known : this.#calls.push(newCall()) - 1;
      assigned.add(position);
      this.#note(delta, position);
      return this.#last = position;
    });
  }

  /** Returns the call whose id or index a piece has. */
  #labelled(delta: Delta): number | undefined {
    const id = idOf(delta);
    const index = indexOf(delta);
    const byIndex = index === undefined ? undefined : this.#byIndex.get(index);
    const known = byIndex === undefined ? undefined : this.#calls[byIndex]?.id;
    if (id === undefined || (byIndex !== undefined && known === id)) return byIndex;
    // A new id under a known index is another call: some upstreams send every call as index 0.
    return this.#byId.get(id) ?? (known === undefined ? byIndex : undefined);
  }

  /**
   * Returns the calls that pieces without id and index continue: one piece the last call, several
   * of one delta as many of the calls that began last.
   */
  #unlabelled(deltas: readonly Delta[]): (delta: Delta) => number | undefined {
    const last = this.#last;
    const continuing = deltas.filter((delta) => !isLabelled(delta) && nameOf(delta) === "");
    let next = Math.max(0, this.#calls.length - continuing.length);
    const known = this.#calls.length;
    return (delta) => {
      if (isLabelled(delta)) return undefined;
      if (nameOf(delta) !== "" || continuing.length === 1) return last;
      return next < known ? next++ : undefined;
    };
  }

  /** True when a piece begins another call than the one that it seems to belong to. */
  #isAnother(delta: Delta, position: number, assigned: ReadonlySet<number>): boolean {
    const call = this.#calls[position];
    const name = nameOf(delta);
    if (call === undefined) return true;
    if (assigned.has(position)) return name !== "" ? call.name !== "" : !isLabelled(delta);
    if (name === "" || call.name === "") return false;
    // Two calls of one id with different indexes.
    const index = indexOf(delta) ?? call.index;
    if (call.index !== undefined && index !== call.index) return true;
    // Some upstreams repeat the name with every piece, with its id or without, also with an empty
    // last one; a call's first piece has an id if that of the call before had one.
    const isRepeated = call.id !== undefined && (idOf(delta) ?? call.id) === call.id &&
      name === call.name;
    return call.input.isComplete && !(isRepeated && inputOf(delta).trim() === "");
  }

  #note(delta: Delta, position: number): void {
    const call = this.#calls[position];
    if (call === undefined) return;
    const id = idOf(delta);
    const index = indexOf(delta);
    if (id !== undefined) this.#byId.set(call.id = id, position);
    if (index !== undefined) this.#byIndex.set(call.index = index, position);
    call.name = nameOf(delta) || call.name;
    call.input.push(inputOf(delta));
  }
}

function newCall(): KnownCall {
  return { id: undefined, index: undefined, name: "", input: new InputEnd() };
}

function isLabelled(delta: Delta): boolean {
  return idOf(delta) !== undefined || indexOf(delta) !== undefined;
}

function idOf({ id }: Delta): string | undefined {
  return typeof id === "string" && id !== "" ? id : undefined;
}

function indexOf({ index }: Delta): number | undefined {
  return typeof index === "number" ? index : undefined;
}

function nameOf(delta: Delta): string {
  const name = delta.function?.name;
  return typeof name === "string" ? name : "";
}

function inputOf(delta: Delta): string {
  const input = delta.function?.arguments;
  return typeof input === "string" ? input : "";
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
/** `[` and `]`; `{` and `}` are 32 higher. */
const OPEN = 0x5b;
const CLOSE = 0x5d;
const BRACE = 0x20;

/** Detects the end of a call's input, an object that arrives in pieces, without keeping them. */
class InputEnd {
  #depth = 0;
  #inString = false;
  #isEscaped = false;
  #hasBegun = false;

  /** True when the object that it began with has ended. */
  get isComplete(): boolean {
    return this.#hasBegun && this.#depth <= 0;
  }

  push(piece: string): void {
    for (let at = 0; at < piece.length; at++) {
      const code = piece.charCodeAt(at);
      if (this.#inString) {
        if (this.#isEscaped) this.#isEscaped = false;
        else if (code === BACKSLASH) this.#isEscaped = true;
        else if (code === QUOTE) this.#inString = false;
      } else if (code === QUOTE) this.#inString = true;
      else if (code === OPEN || code === OPEN + BRACE) {
        this.#hasBegun = true;
        this.#depth += 1;
      } else if (code === CLOSE || code === CLOSE + BRACE) this.#depth -= 1;
    }
  }
}
