/**
 * The books as an operator checks and exports them: the command line against a service on a file.
 *
 * @module
 */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import type { Wallet } from "../../gateway/domain/ledger/ledger.ts";
import { openKvStores } from "../../gateway/stores/kv/open.ts";
import { type Finished, ServiceProcess, shell, SVC, svc } from "../fixtures/service_process.ts";
import { until } from "../fixtures/service.ts";

const CALLS = 2_000;
const NOTE = '=HYPERLINK("http://x")\r\n\u202e,\u001b[2J';

async function inFolder(test: (path: string, kv: string) => Promise<void>): Promise<void> {
  const path = await Deno.makeTempDir();
  try {
    await test(path, join(path, "svc.kv"));
  } finally {
    await Deno.remove(path, { recursive: true });
  }
}

/** Writes a journal of `CALLS` calls on a wallet that has a hostile note. */
async function fill(kv: string): Promise<void> {
  const { ledger, close } = await openKvStores(kv);
  const atMs = Date.UTC(2026, 10, 21);
  await ledger.open({ kind: "open", walletId: "w", tier: "standard", atMs });
  const payment = { opId: "seed", walletId: "w", amount: 10n ** 12n, note: NOTE };
  await ledger.credit({ kind: "credit", ...payment, atMs });
  const call = { walletId: "w", keyId: "k", logId: "l", model: "m", priceVersion: 1, atMs };
  const amounts = { amount: 9n, minimum: 9n, budget: {} };
  await Promise.all(Array.from({ length: CALLS }, async (_, n) => {
    const holdId = `hold ${n}`;
    await ledger.hold({ kind: "hold", holdId, ...call, ...amounts }, { waitMs: 0 });
    const tokens = { inputTokens: 1, cachedInputTokens: 0, outputTokens: 1, estimated: false };
    await ledger.settle({ kind: "settle", holdId, cost: 7n, ...tokens, atMs });
  }));
  await close();
}

/** Recomputes the sums of an export, as a third party would. */
function recompute(text: string): { available: bigint; spent: bigint; entries: number } {
  const micros = (credits: string) => BigInt(credits.replace(".", ""));
  const sums = { available: 0n, spent: 0n, entries: 0 };
  for (const line of text.trimEnd().split("\n")) {
    const entry = JSON.parse(line);
    if (entry.wallet !== "w") continue;
    sums.available += micros(entry.change);
    sums.spent += micros(entry.charged ?? "0.000000");
    sums.entries++;
  }
  return sums;
}

Deno.test("the books of a running service are verified and exported", async () => {
  await inFolder(async (path, kv) => {
    await fill(kv);
    await using _service = await ServiceProcess.start(kv);
    const env = { SERVICE_KV_PATH: kv };
    const run = (...args: string[]): Promise<Finished> => svc(["ledger", ...args], env);
    const verified = JSON.parse((await run("verify", "--json")).stdout);
    assertEquals([verified.ok, verified.problems, verified.openHolds], [true, [], 0]);

    const printed = await run("export");
    assertEquals([printed.code, printed.stderr], [0, ""]);
    // Nothing in it steers a terminal.
    assertMatch(printed.stdout, /^[\x20-\x7e\n]*$/);
    const sums = recompute(printed.stdout);
    const spent = BigInt(CALLS) * 7n;
    assertEquals(sums, { available: 10n ** 12n - spent, spent, entries: 2 + 2 * CALLS });
    const end = JSON.parse(printed.stdout.trimEnd().split("\n").at(-1) ?? "");
    assertEquals([end.journal.head, end.entries], [verified.head, verified.entries]);

    const csv = join(path, "books.csv");
    const filed = await run("export", "--format", "csv", "--output", csv, "--wallet", "w");
    assertEquals([filed.code, filed.stderr], [0, ""]);
    const text = await Deno.readTextFile(csv);
    assertStringIncludes(text, `"'=HYPERLINK(""http://x"")\r\n?,?[2J"`);
    const again = await run("export", "--output", csv);
    assertEquals(again.code, 1);
    assertStringIncludes(again.stderr, "--force replaces it");
    assertEquals(await Deno.readTextFile(csv), text);
  });
});

Deno.test("a pipe that is closed ends an export in silence, a full disk with a sentence", async () => {
  await inFolder(async (_path, kv) => {
    await fill(kv);
    await using service = await ServiceProcess.start(kv);
    const exporting = `SERVICE_KV_PATH='${kv}' ${
      SVC.map((word) => `'${word}'`).join(" ")
    } ledger export`;
    const cut = await shell(`{ ${exporting}; echo "code $?" >&2; } | head -n 1`);
    assertMatch(cut.stdout, /^\{"place":1,[^\n]*\n$/);
    assertEquals(cut.stderr, "code 1\n");
    if (Deno.build.os === "linux") {
      const full = await shell(`${exporting} > /dev/full`);
      assertEquals(full.code, 1);
      assertMatch(full.stderr, /^Cannot write to standard output: No space left[^\n]*\n$/);
    }
    // The service has outlived both.
    const { stdout } = await svc(["ledger", "verify", "--json"], { SERVICE_KV_PATH: kv });
    assertEquals(JSON.parse(stdout).ok, true);
    assert(service.adminUrl !== "");
  });
});

Deno.test("books that were changed while the service was stopped do not verify", async () => {
  await inFolder(async (_path, kv) => {
    await fill(kv);
    const file = await Deno.openKv(kv);
    const { value } = await file.get<Wallet>(["wallet", "w"]);
    assert(value !== null);
    const { credits, available } = value;
    const richer = { ...value, credits: credits + 5n, available: available + 5n };
    await file.set(["wallet", "w"], richer);
    file.close();
    await using _service = await ServiceProcess.start(kv);
    const { code, stdout, stderr } = await svc(["ledger", "verify"], { SERVICE_KV_PATH: kv });
    assertEquals([code, stderr], [1, "The journal has errors\n"]);
    assertStringIncludes(stdout, 'Wallet "w" has available 999999.986005, credits 1000000.000005');
  });
});

Deno.test("an export that is interrupted leaves no file", async () => {
  await inFolder(async (path) => {
    const entry = { place: 1, segment: 1, wallet: "w", kind: "open" };
    const line = new TextEncoder().encode(`${JSON.stringify(entry)}\n`);
    let available = 0;
    let isWaiting = false;
    let isLeft = false;
    const endless = () =>
      new ReadableStream<Uint8Array<ArrayBuffer>>({
        pull: async (controller) => {
          isWaiting = true;
          await new Promise((resolve) => setTimeout(resolve, 5));
          isWaiting = false;
          if (isLeft) return;
          controller.enqueue(line);
          available++;
        },
        cancel: () => void (isLeft = true),
      });
    const headers = { "content-type": "application/x-ndjson" };
    await using server = Deno.serve(
      { hostname: "127.0.0.1", port: 0, onListen: () => {} },
      () => new Response(endless(), { headers }),
    );
    const url = `http://127.0.0.1:${server.addr.port}`;
    const [program = "", ...args] = SVC;
    const child = new Deno.Command(program, {
      args: [...args, "ledger", "export", "--output", join(path, "books")],
      env: { SERVICE_ADMIN_URL: url, SERVICE_ADMIN_TOKEN: "t" },
      stdout: "null",
      stderr: "null",
    }).spawn();
    const names = () => [...Deno.readDirSync(path)].map(({ name }) => name);
    await until(() => available > 3, "an export in progress");
    assertEquals(names().map((name) => name.endsWith(".partial")), [true]);
    child.kill("SIGINT");
    assertEquals((await child.status).code, 130);
    assertEquals(names(), []);
    await until(() => isLeft && !isWaiting, "the end of the answer");
  });
});
