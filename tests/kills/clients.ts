/**
 * Client processes and their results.
 *
 * @module
 */

import { assert } from "@std/assert";
import { fromFileUrl } from "@std/path";
import type { Sighting } from "./calls.ts";
import type { WorkerKey } from "./client_process.ts";

const PROGRAM = fromFileUrl(import.meta.resolve("./client_process.ts"));

/** Clients, each in its own process. */
export class Clients implements AsyncDisposable {
  readonly #children: readonly Deno.ChildProcess[];
  readonly #inputs: readonly WritableStreamDefaultWriter<Uint8Array>[];
  readonly #heard: readonly Promise<void>[];
  #hasEnded = false;
  /** Results by request id. */
  readonly sightings = new Map<string, Sighting>();

  /** Starts the processes; they do nothing before they receive keys. */
  constructor(url: string, { count, seed }: { readonly count: number; readonly seed: number }) {
    this.#children = Array.from({ length: count }, (_, at) =>
      new Deno.Command(Deno.execPath(), {
        args: ["run", "--quiet", "--allow-net=127.0.0.1", PROGRAM, url, `${seed + at}`],
        stdin: "piped",
        stdout: "piped",
      }).spawn());
    this.#inputs = this.#children.map((child) => child.stdin.getWriter());
    this.#heard = this.#children.map((child) => this.#listen(child));
  }

  /** Gives a worker of a client a key, which replaces the one it has. */
  async give(client: number, key: WorkerKey): Promise<void> {
    await this.#inputs[client]?.write(new TextEncoder().encode(`${JSON.stringify(key)}\n`));
  }

  /** Ends the processes once the calls in flight have ended. */
  async end(): Promise<void> {
    this.#hasEnded = true;
    await Promise.all(this.#inputs.map((input) => input.close()));
    await Promise.all(this.#heard);
    for (const child of this.#children) assert((await child.status).success, "A client failed");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#hasEnded) return;
    for (const child of this.#children) child.kill("SIGKILL");
    await Promise.allSettled(this.#inputs.map((input) => input.close()));
    await Promise.all(this.#heard);
    for (const child of this.#children) await child.status;
  }

  async #listen(child: Deno.ChildProcess): Promise<void> {
    let rest = "";
    for await (const text of child.stdout.pipeThrough(new TextDecoderStream())) {
      const lines = (rest + text).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) {
        const sighting: Sighting = JSON.parse(line);
        assert(!this.sightings.has(sighting.requestId), `${sighting.requestId} was used twice`);
        this.sightings.set(sighting.requestId, sighting);
      }
    }
  }
}
