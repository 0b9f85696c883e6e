import type { BigIntStats } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { ToolError } from "../tool.ts";
import {
  areAt,
  type Folder,
  type Identity,
  isSame,
  notFolder,
  type Opened,
  statusOf,
} from "./folder.ts";

/** Milliseconds that exceed the coarsest clock tick of a file system. */
const TICK_MS = 25;
/** Deno reports the time of a change in whole seconds. */
const SECOND_MS = 1_000;
const NANOSECONDS = 1_000_000_000n;
/**
 * Longest wait in milliseconds: two folders in a row that come to rest are common, more indicate an
 * attack.
 */
const PATIENCE_MS = 3_000;
const PAUSE_MS = 5;

/**
 * A folder known by its path, for hosts without paths through descriptors. Swapping a part of the
 * path requires a rename in the folder above it, and the system records the time of that change,
 * which no program can set. A result is valid only when every folder above this one, from the
 * workspace's root on, has the same time of change as before, and when that time is already past:
 * else a second change could hide behind the same time. Modification times prove nothing, because
 * the owner of a folder may set them.
 */
export class WatchedFolder implements Folder {
  readonly path: string;
  readonly isHeld = false;
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
    if (!(await statusOf(path)).isDirectory()) throw notFolder(path);
    return new WatchedFolder(path, this.#root, [...this.#above, this.path]);
  }

  async readSteadily<Result>(read: () => Promise<Result>): Promise<Result> {
    const patience = performance.now() + PATIENCE_MS;
    do {
      // Taken first: a change during the reading of the stamps must not count as past.
      const nowMs = Date.now();
      const before = await this.#stamps();
      const restMs = restOf(before, nowMs);
      if (restMs <= 0) {
        const [result] = await Promise.allSettled([read()]);
        const after = await this.#stamps();
        if (before.every((stats, index) => isUnchanged(stats, after[index]))) {
          if (result.status === "fulfilled") return result.value;
          throw result.reason;
        }
      }
      await delay(Math.max(PAUSE_MS, Math.min(restMs, SECOND_MS + TICK_MS)));
    } while (performance.now() < patience);
    throw new ToolError("The folder keeps changing; try again when nothing else writes to it", {
      code: "workspace_busy",
    });
  }

  holds(opened: readonly Opened[]): Promise<readonly boolean[]> {
    return this.readSteadily(() => areAt(opened, (name) => this.at(name)));
  }

  /**
   * Returns the stamps of the folders above, and of the root itself, which a rename of it changes.
   */
  async #stamps(): Promise<BigIntStats[]> {
    const folders = await Promise.all([...this.#above, this.path].map(statusOf));
    const [root] = folders;
    if (root === undefined || !isSame(root, this.#root)) throw notFolder(this.path);
    if (!folders.every((stats) => stats.isDirectory())) throw notFolder(this.path);
    return folders.slice(0, Math.max(1, this.#above.length));
  }

  async close(): Promise<void> {}
}

/** Returns the milliseconds until the latest change is past; 0 or less when it is. */
function restOf(stamps: readonly BigIntStats[], nowMs: number): number {
  return Math.max(...stamps.map((stats) => endOf(stats) + TICK_MS - nowMs));
}

/** Returns the moment from which another change would have a later time. */
function endOf({ ctimeMs, ctimeNs }: BigIntStats): number {
  return Number(ctimeMs) + (ctimeNs % NANOSECONDS === 0n ? SECOND_MS : 1);
}

/** Compares the stamps; the modification time serves hosts without a time of change. */
function isUnchanged(before: BigIntStats, after: BigIntStats | undefined): boolean {
  return after !== undefined && isSame(before, after) && before.mtimeNs === after.mtimeNs &&
    before.ctimeNs === after.ctimeNs;
}
