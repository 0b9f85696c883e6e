/**
 * Swaps files of the tools for links to the outside and back, as fast as possible or with pauses,
 * until it is stopped. The message that starts it has the world.
 */

import { renameSync, rmSync, symlinkSync } from "node:fs";
import { join } from "@std/path";
import type { World } from "./attacks.ts";

/** The length of a pause in milliseconds. */
export interface Rest {
  readonly min: number;
  readonly max: number;
}

/** The message that starts the worker. */
export interface Start {
  /** The place of the swaps. */
  readonly world: Pick<World, "workspace" | "outside">;
  /** Pauses with everything in its place, long enough for a valid result. */
  readonly rest: Rest;
  /** Stops when not zero. */
  readonly stop: Int32Array<SharedArrayBuffer>;
}

/** Pauses with everything swapped. */
const AWAY: Rest = { min: 0, max: 80 };
const MAX_ATTEMPTS = 1_000;

declare const self: {
  onmessage: ((event: MessageEvent<Start>) => void) | null;
  postMessage(swaps: number): void;
};

const never = new Int32Array(new SharedArrayBuffer(4));

/** Pauses: bursts without one, short ones, and sometimes a rest. */
function pause(shareOfRests: number, { min, max }: Rest): void {
  const dice = Math.random();
  const ms = dice < shareOfRests ? min + Math.random() * (max - min) : Math.round(dice);
  if (ms > 0) Atomics.wait(never, 0, 0, ms);
}

/** Repeats an action that fails when a tool writes at the same moment. */
function insist(act: () => void): void {
  for (let attempt = 1;; attempt++) {
    try {
      return act();
    } catch (error) {
      if (attempt === MAX_ATTEMPTS) throw error;
    }
  }
}

function replace(path: string, place: () => void): void {
  insist(() => {
    rmSync(path, { recursive: true, force: true });
    place();
  });
}

function swap(
  paths: readonly (readonly [here: string, outside: string])[],
  rest: Rest,
): void {
  for (const [here, outside] of paths) {
    renameSync(here, `${here}.away`);
    replace(here, () => symlinkSync(outside, here));
  }
  // Files that the tools created in the folder have to be created again.
  insist(() => rmSync(join(`${paths[0]?.[0]}.away`, "made"), { recursive: true, force: true }));
  pause(0.05, AWAY);
  for (const [here] of paths) replace(here, () => renameSync(`${here}.away`, here));
  pause(0.6, rest);
}

self.onmessage = ({ data: { world: { workspace, outside }, rest, stop } }) => {
  const paths = [["folder", ""], ["file.txt", "file.txt"], ["pipe.txt", "pipe"]].map(
    ([here = "", there = ""]) => [join(workspace, here), join(outside, there)] as const,
  );
  let swaps = 0;
  for (; Atomics.load(stop, 0) === 0; swaps++) swap(paths, rest);
  self.postMessage(swaps);
};
