import type { BigIntStats } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { ToolError } from "../tool.ts";
import { type Folder, type Identity, isSame, look } from "./folder.ts";

/** Longer than the coarsest clock tick of a file system. */
const QUIET_MS = 25;
/** Deno tells the time of a change in whole seconds. */
const SECOND_MS = 1_000;
const PATIENCE_MS = 3_000;
const PAUSE_MS = 5;

/**
 * A folder known by its path, for hosts without paths through descriptors. Whoever swaps a part of
 * the path must rename something in the folder above it, and that leaves a time stamp there. So
 * what was seen counts only when no folder from the workspace's root to this one has a new stamp,
 * and none of the old stamps is so young that a second change could hide behind it.
 *
 * It is not as strong as a descriptor: Deno tells the time of change in whole seconds, so a swap there
 * and back is missed whose author sets the modification time back by hand within the same second.
 */
export class WatchedFolder implements Folder {
  readonly path: string;
  readonly #above: readonly string[];
  readonly #root: Identity;

  /** The root of a workspace, or a folder below it that `enter` found. */
  constructor(path: string, root: Identity, above: readonly string[] = []) {
    this.path = path;
    this.#root = root;
    this.#above = above;
  }

  at(name: string): string {
    return join(this.path, name);
  }

  async enter(name: string): Promise<Folder> {
    const path = this.at(name);
    const found = await look(path);
    if (!found.isDirectory()) throw notFolder(path);
    return new WatchedFolder(path, this.#root, [...this.#above, this.path]);
  }

  async steady<Seen>(look: () => Promise<Seen>): Promise<Seen> {
    const patience = performance.now() + PATIENCE_MS;
    while (performance.now() < patience) {
      const before = await this.#stamps();
      if (before.every(isQuiet)) {
        const [seen] = await Promise.allSettled([look()]);
        const after = await this.#stamps();
        if (before.every((stats, index) => isUnchanged(stats, after[index]))) {
          if (seen.status === "fulfilled") return seen.value;
          throw seen.reason;
        }
      }
      await delay(PAUSE_MS);
    }
    throw new ToolError("The folder keeps changing; try again when nothing else writes to it", {
      code: "workspace_busy",
    });
  }

  async #stamps(): Promise<BigIntStats[]> {
    const stamps: BigIntStats[] = [];
    for (const path of [...this.#above, this.path]) stamps.push(await look(path));
    const [root] = stamps;
    if (root === undefined || !isSame(root, this.#root)) throw notFolder(this.path);
    if (!stamps.every((stats) => stats.isDirectory())) throw notFolder(this.path);
    return stamps;
  }

  async close(): Promise<void> {}
}

function notFolder(path: string): Error {
  return Object.assign(new Error(`Not a folder: ${path}`), { code: "ENOTDIR" });
}

/**
 * A change sets both times alike. Where they differ the modification time was set by hand, and only
 * the time of change, which nobody can set, counts.
 */
function isQuiet({ mtimeMs, ctimeMs }: BigIntStats): boolean {
  const isHonest = mtimeMs >= ctimeMs && mtimeMs < ctimeMs + BigInt(SECOND_MS);
  const age = Date.now() - Number(isHonest ? mtimeMs : ctimeMs);
  return age > QUIET_MS + (isHonest ? 0 : SECOND_MS);
}

function isUnchanged(before: BigIntStats, after: BigIntStats | undefined): boolean {
  return after !== undefined && isSame(before, after) && before.mtimeNs === after.mtimeNs &&
    before.ctimeNs === after.ctimeNs;
}
