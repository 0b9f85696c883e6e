/**
 * Swaps what the tools work on for links to the outside and back, as fast as it can or with pauses,
 * until it is told to stop. The message that starts it names the world.
 */

import { renameSync, rmSync, symlinkSync } from "node:fs";
import { join } from "@std/path";
import type { World } from "./attacks.ts";

/** What starts the worker. */
export interface Start {
  /** Where to swap. */
  readonly world: Pick<World, "workspace" | "outside">;
  /** Not zero: stop. */
  readonly stop: Int32Array<SharedArrayBuffer>;
}

/** Longest pause between two swaps: long enough for the tools to believe in a quiet folder. */
const MAX_PAUSE_MS = 80;
const MAX_ATTEMPTS = 1_000;

declare const self: {
  onmessage: ((event: MessageEvent<Start>) => void) | null;
  postMessage(swaps: number): void;
};

const never = new Int32Array(new SharedArrayBuffer(4));

/** Bursts without pause, moments, and now and then a rest. */
function rest(shareOfRests: number): void {
  const dice = Math.random();
  const ms = dice < shareOfRests ? Math.random() * MAX_PAUSE_MS : Math.round(dice);
  if (ms > 0) Atomics.wait(never, 0, 0, ms);
}

/** A tool may write where there was nothing for a moment, and into what is being removed. */
function insist(act: () => void): void {
  for (let attempt = 1;; attempt++) {
    try {
      return act();
    } catch (error) {
      if (attempt === MAX_ATTEMPTS) throw error;
    }
  }
}

function put(path: string, place: () => void): void {
  insist(() => {
    rmSync(path, { recursive: true, force: true });
    place();
  });
}

function swap(paths: readonly (readonly [here: string, outside: string])[]): void {
  for (const [here, outside] of paths) {
    renameSync(here, `${here}.away`);
    put(here, () => symlinkSync(outside, here));
  }
  // What the tools made in the folder has to be made anew.
  insist(() => rmSync(join(`${paths[0]?.[0]}.away`, "made"), { recursive: true, force: true }));
  rest(0.05);
  for (const [here] of paths) put(here, () => renameSync(`${here}.away`, here));
  rest(0.6);
}

self.onmessage = ({ data: { world: { workspace, outside }, stop } }) => {
  const paths = [["folder", ""], ["file.txt", "file.txt"], ["pipe.txt", "pipe"]].map(
    ([here = "", there = ""]) => [join(workspace, here), join(outside, there)] as const,
  );
  let swaps = 0;
  for (; Atomics.load(stop, 0) === 0; swaps++) swap(paths);
  self.postMessage(swaps);
};
