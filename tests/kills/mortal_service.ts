/**
 * The service as an operator starts it, made to be killed: always on the same ports and the same
 * file.
 *
 * @module
 */

import { assert } from "@std/assert";
import { join } from "@std/path";
import { ADMIN_TOKEN } from "../fixtures/service.ts";
import { serveCommand } from "../fixtures/service_process.ts";
import { freePort } from "../fixtures/free_port.ts";

/** Options of the service. */
export interface MortalServiceOptions {
  readonly folder: string;
  readonly config: unknown;
}

/** A service on one file, with one process at a time. */
export class MortalService implements AsyncDisposable {
  readonly publicUrl: string;
  readonly #adminUrl: string;
  readonly #kvPath: string;
  readonly #command: Deno.Command;
  #life: Life | undefined;
  /** Unix time of each start, in milliseconds. */
  readonly startsMs: number[] = [];

  private constructor(kvPath: string, parts: { ports: readonly number[]; command: Deno.Command }) {
    const [port, adminPort] = parts.ports;
    this.publicUrl = `http://127.0.0.1:${port}`;
    this.#adminUrl = `http://127.0.0.1:${adminPort}`;
    this.#kvPath = kvPath;
    this.#command = parts.command;
  }

  /** Writes the configuration; starts nothing yet. */
  static async prepare({ folder, config }: MortalServiceOptions): Promise<MortalService> {
    const [kvPath, configPath] = [join(folder, "svc.kv"), join(folder, "svc.json")];
    await Deno.writeTextFile(configPath, JSON.stringify(config));
    const ports = [freePort(), freePort()];
    const command = serveCommand(folder, {
      reads: [kvPath],
      args: [
        ...["--port", `${ports[0]}`, "--admin-port", `${ports[1]}`],
        ...["--kv-path", kvPath, "--config", configPath, "--admin-token", ADMIN_TOKEN],
      ],
    });
    return new MortalService(kvPath, { ports, command });
  }

  /** Starts a process; returns at once. */
  begin(): void {
    assert(this.#life === undefined, "It lives");
    this.startsMs.push(Date.now());
    this.#life = new Life(this.#command.spawn());
  }

  /** Id of its process. */
  get pid(): number {
    assert(this.#life !== undefined, "It does not live");
    return this.#life.child.pid;
  }

  /** True when a process was started and has not ended. */
  get isAlive(): boolean {
    return this.#life !== undefined && this.#life.ended === undefined;
  }

  /** Throws with the output of the process if it ended by itself: further waits would never end. */
  assertAlive(): void {
    if (this.#life?.ended !== undefined) throw this.#life.ended;
  }

  /** Resolves when it is ready. Throws if it ends instead. */
  async ready(): Promise<void> {
    await this.#life?.ready.promise;
  }

  /** Resolves when it has changed its file since its start, or is ready. */
  async writing(): Promise<void> {
    const log = `${this.#kvPath}-wal`;
    const before = await stamp(log);
    while (this.#life?.isReady === false && await stamp(log) === before) {
      this.assertAlive();
      await pause(1);
    }
  }

  /**
   * Suspends the process, as a very busy machine does: the operating system still accepts
   * connections.
   */
  freeze(): void {
    this.assertAlive();
    this.#life?.child.kill("SIGSTOP");
  }

  /**
   * Sends `kill -9`; resolves to the standard error of the process. Throws if it had ended before:
   * the tests must detect an unordered death.
   */
  async kill(): Promise<string> {
    const life = this.#life;
    this.#life = undefined;
    if (life === undefined) return "";
    await life.kill();
    if (life.ended !== undefined) throw life.ended;
    return await life.complaints;
  }

  /** Calls the admin API. */
  async admin(method: string, path: string, body?: unknown) {
    this.assertAlive();
    const response = await fetch(`${this.#adminUrl}/admin/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${ADMIN_TOKEN}`, "content-type": "application/json" },
      body: body === undefined ? null : JSON.stringify(body),
    });
    const answer = await response.json();
    assert(response.ok, `${method} ${path}: ${response.status} ${JSON.stringify(answer)}`);
    return answer;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const life = this.#life;
    this.#life = undefined;
    // Its end is reported elsewhere: here it would hide the failure of the test.
    await life?.kill();
  }
}

/** One process, from its start to its end. */
class Life {
  readonly child: Deno.ChildProcess;
  readonly ready = Promise.withResolvers<void>();
  readonly complaints: Promise<string>;
  readonly #watched: Promise<void>;
  #isKilled = false;
  isReady = false;
  /** Describes its end, if it was not killed. */
  ended: Error | undefined;

  constructor(child: Deno.ChildProcess) {
    this.child = child;
    this.complaints = new Response(child.stderr).text();
    // There may be no waiting code when it is killed.
    this.ready.promise.catch(() => {});
    this.#watched = this.#watch();
    void this.#listen();
  }

  /** Kills the process; resolves when it has ended, for whatever reason. */
  async kill(): Promise<void> {
    try {
      if (this.ended === undefined) this.child.kill("SIGKILL");
      this.#isKilled = true;
    } catch (error) {
      // The process is gone, and its status has not arrived.
      if (!(error instanceof TypeError)) throw error;
    }
    await this.#watched;
  }

  async #watch(): Promise<void> {
    const { code, signal } = await this.child.status;
    if (this.#isKilled && signal === "SIGKILL") return;
    const how = signal === null ? `code ${code}` : signal;
    this.ended = new Error(`The service ended by itself (${how}): ${await this.complaints}`);
  }

  async #listen(): Promise<void> {
    let output = "";
    for await (const text of this.child.stdout.pipeThrough(new TextDecoderStream())) {
      output += text;
      if (!/is ready[^]*catalog version \d+\)/.test(output)) continue;
      this.isReady = true;
      this.ready.resolve();
    }
    await this.#watched;
    this.ready.reject(this.ended ?? new Error("It was killed before it was ready"));
  }
}

async function stamp(path: string): Promise<string> {
  try {
    const { size, mtime } = await Deno.stat(path);
    return `${size} ${mtime?.getTime()}`;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return "none";
    throw error;
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
