/**
 * Swaps what the tools work on for links to the outside and back, as fast as it can or with pauses,
 * until it is told to stop. The message that starts it names the world.
 */

import { renameSync, rmSync, symlinkSync } from "node:fs";
import { join } from "@std/path";
import type { World } from "./attacks.ts";

/** The length of a pause in milliseconds. */
export interface Rest {
  readonly min: number;
  readonly max: number;
}

/** What starts the worker. */
export interface Start {
  /** Where to swap. */
  readonly world: Pick<World, "workspace" | "outside">;
  /** Pauses with everything in its place: long enough for the tools to believe in it. */
  readonly rest: Rest;
  /** Not zero: stop. */
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

/** Bursts without pause, moments, and now and then a rest. */
function pause(shareOfRests: number, { min, max }: Rest): void {
  const dice = Math.random();
  const ms = dice < shareOfRests ? min + Math.random() * (max - min) : Math.round(dice);
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

function swap(
  paths: readonly (readonly [here: string, outside: string])[],
  rest: Rest,
): void {
  for (const [here, outside] of paths) {
    renameSync(here, `${here}.away`);
    put(here, () => symlinkSync(outside, here));
  }
  // What the tools made in the folder has to be made anew.
  insist(() => rmSync(join(`${paths[0]?.[0]}.away`, "made"), { recursive: true, force: true }));
  pause(0.05, AWAY);
  for (const [here] of paths) put(here, () => renameSync(`${here}.away`, here));
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
