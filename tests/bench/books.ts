/**
 * Books of a million entries: how long the command line takes to verify and to export them, what the
 * gateway's memory does meanwhile, and how long small calls wait that it serves at the same time.
 *
 * @module
 */

import { join } from "@std/path";
import { booksFindings, type BooksRun, type Finding } from "./marks.ts";
import { asTask, expectLine, residentMegabytes, type Running, start } from "./process.ts";

const KEY = "svc_bench_key_of_no_worth_0123456789";
const SAMPLE_MS = 100;
const MAIN = new URL("../../gateway/main.ts", import.meta.url).href;
const CALL = JSON.stringify({ model: "auto", messages: [{ role: "user", content: "Say hello" }] });

/** The number of entries, and the folder for them. */
export interface Books {
  readonly folder: string;
  readonly bookEntries: number;
  readonly say: (text: string) => void;
}

/** Fills a store, serves it, and looks at it from the command line. */
export async function books({ folder, bookEntries, say }: Books): Promise<Finding[]> {
  const path = join(folder, "books.kv");
  {
    await using filling = start("tests/bench/fill_store_process.ts", [path, `${bookEntries}`]);
    await expectLine(filling, /^filled/);
  }
  const { size } = await Deno.stat(path);
  say(`books: ${bookEntries} entries, ${(size / 1_000_000).toFixed(0)} MB`);
  await using gateway = start("gateway/main.ts", [
    ...["serve", "--port", "0", "--admin-port", "0", "--config", ""],
    ...["--kv-path", path, "--bootstrap-key", KEY],
  ], await asTask());
  const url = await expectLine(gateway, /^ +public +(http:\S+)/);
  await expectLine(gateway, /^ +admin/);
  // The first calls compile what the others run.
  await callsDuring(url, rest(2_000));
  const atRest = await callsDuring(url, rest(3_000));
  const restMegabytes = await residentMegabytes(gateway.pid);
  const verifying = await observe(gateway, url, svc(path, ["verify", "--json"]));
  const { entries } = JSON.parse(verifying.stdout);
  const file = join(folder, "books.ndjson");
  const exporting = await observe(gateway, url, svc(path, ["export", "--output", file]));
  const run: BooksRun = {
    entries,
    restMegabytes,
    restP99Ms: atRest.p99Ms,
    verify: verifying,
    export: exporting,
  };
  for (const [what, seen] of [["verify", verifying], ["export", exporting]] as const) {
    say(
      `books, ${what}: ${seen.seconds.toFixed(1)} s, at most ${
        seen.megabytes?.toFixed(0) ?? "?"
      } MB (${restMegabytes?.toFixed(0) ?? "?"} at rest), ${seen.calls} calls meanwhile with p50 ${
        seen.p50Ms.toFixed(1)
      }, p99 ${seen.p99Ms.toFixed(1)}, most ${seen.mostMs.toFixed(1)} ms (at rest p99 ${
        atRest.p99Ms.toFixed(1)
      })`,
    );
  }
  return booksFindings(run);
}

/** Times of small calls, one after another, during other work. */
interface Calls {
  readonly calls: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly mostMs: number;
}

function rest(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

async function callsDuring(url: string, work: Promise<unknown>): Promise<Calls> {
  let isOver = false;
  const over = work.finally(() => isOver = true);
  const times: number[] = [];
  const headers = { authorization: `Bearer ${KEY}`, "content-type": "application/json" };
  while (!isOver) {
    const startMs = performance.now();
    const init = { method: "POST", headers, body: CALL };
    const response = await fetch(`${url}/openai/v1/chat/completions`, init);
    const text = await response.text();
    if (!response.ok) throw new Error(`Cannot measure: ${text}`);
    times.push(performance.now() - startMs);
  }
  await over;
  times.sort((a, b) => a - b);
  const at = (share: number) => times[Math.floor(times.length * share)] ?? NaN;
  return { calls: times.length, p50Ms: at(0.5), p99Ms: at(0.99), mostMs: times.at(-1) ?? NaN };
}

/** Runs a command with calls beside it, and looks at the gateway's memory now and then. */
async function observe(
  gateway: Running,
  url: string,
  command: Deno.Command,
): Promise<Calls & { seconds: number; megabytes: number | undefined; stdout: string }> {
  const startMs = performance.now();
  let tookMs = 0;
  let megabytes: number | undefined;
  const output = command.output();
  const watched = (async () => {
    let isOver = false;
    const over = output.finally(() => isOver = true);
    while (!isOver) {
      megabytes = Math.max(megabytes ?? 0, await residentMegabytes(gateway.pid) ?? 0) || undefined;
      await Promise.race([over, rest(SAMPLE_MS)]);
    }
    tookMs = performance.now() - startMs;
  })();
  const calls = await callsDuring(url, watched);
  const { code, stdout, stderr } = await output;
  const decoder = new TextDecoder();
  if (code !== 0) throw new Error(`Cannot continue: ${decoder.decode(stderr)}`);
  return { ...calls, seconds: tookMs / 1_000, megabytes, stdout: decoder.decode(stdout) };
}

function svc(path: string, words: readonly string[]): Deno.Command {
  const permissions = ["--allow-net", "--allow-env", "--allow-read", "--allow-write"];
  return new Deno.Command(Deno.execPath(), {
    args: ["run", "--quiet", ...permissions, MAIN, "ledger", ...words],
    env: { SERVICE_KV_PATH: path, SERVICE_ADMIN_URL: "", SERVICE_ADMIN_TOKEN: "" },
  });
}
