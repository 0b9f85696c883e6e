import { shortened } from "../messages/tool_names.ts";

/** Longest name that every provider takes, in characters. */
const LONGEST = 64;

/**
 * Returns names of tools that every provider takes, each distinct: the server's name, an underscore
 * and the tool's. A name that had to be changed ends in a checksum, so that it stays the same when
 * the server lists its tools in another order; only a name that is still taken is numbered.
 */
export class ToolNames {
  readonly #taken = new Set<string>();

  /** Returns the name of the next tool. */
  next(server: string, tool: string): string {
    const whole = `${server}_${tool}`;
    const plain = whole.replaceAll(/[^A-Za-z0-9_-]/g, "_");
    const name = plain === whole && plain.length <= LONGEST ? plain : shortened(plain, whole);
    let free = name;
    for (let copy = 2; this.#taken.has(free); copy++) {
      free = `${name.slice(0, LONGEST - 8)}_${copy}`;
    }
    this.#taken.add(free);
    return free;
  }
}
