/**
 * An instance that stands still for longer than its lease, as on a machine that swaps: the others end
 * its holds, and what it says after that is refused.
 *
 * @module
 */

import { assert, assertEquals, assertFalse, assertStringIncludes } from "@std/assert";
import { Fleet } from "../../fixtures/fleet.ts";
import { labConfig } from "../../fixtures/lab.ts";
import { postgresBin } from "../../fixtures/postgres.ts";
import { until } from "../../fixtures/service.ts";
import { Books, microsOf } from "../../kills/books.ts";
import { WORD, WordsUpstream } from "../../fixtures/words_upstream.ts";

/** `FREEZE_SECONDS=20` is the long freeze; the usual one lasts until the holds are ended. */
const FREEZE_MS = Number(Deno.env.get("FREEZE_SECONDS") ?? 0) * 1_000;
const FROZEN = 0;
const LIVING = 1;
/** A stream that lasts longer than the time until the freeze, and ends soon after it. */
const LONG = { words: 400, headMs: 0, wordMs: 10 };
const SHORT = { words: 5, headMs: 0, wordMs: 0 };

interface Scene {
  readonly fleet: Fleet;
  readonly key: string;
}

/** Calls an instance. */
async function ask(
  { fleet, key }: Scene,
  at: number,
  call: { readonly message: string; readonly stream: boolean },
): Promise<Response> {
  const url = fleet.memberAt(at)?.process.publicUrl;
  return await fetch(`${url}/openai/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${key}` },
    body: JSON.stringify({
      ...{ model: "auto", max_completion_tokens: 500, stream: call.stream },
      messages: [{ role: "user", content: call.message }],
    }),
  });
}

/** Asserts that each hold of the wallet ended once, and that the wallet is what its journal says. */
async function assertBooks({ fleet }: Scene): Promise<Books> {
  const books = new Books();
  await books.read(fleet);
  for (const { id, endings } of books.holds.values()) assertEquals(endings.length, 1, id);
  const charged = [...books.holds.values()].flatMap(({ endings }) => endings)
    .reduce((sum, { micros }) => sum + micros, 0n);
  const wallet = books.wallets.find(({ id }) => id === "w");
  assertEquals(microsOf(wallet?.spent ?? ""), charged);
  assertEquals(microsOf(wallet?.held ?? ""), 0n);
  const { ok, problems } = await fleet.admin("GET", "/ledger/verify", undefined, LIVING);
  assertEquals([ok, problems], [true, []]);
  return books;
}

async function freeze(scene: Scene, upstream: WordsUpstream): Promise<void> {
  const { fleet } = scene;
  const frozen = fleet.memberAt(FROZEN)?.process;
  assert(frozen !== undefined);
  const stream = await ask(scene, FROZEN, { message: "stream", stream: true });
  const text = stream.text();
  const other = ask(scene, FROZEN, { message: "other", stream: true }).then((one) => one.text());
  await until(() => (upstream.calls.get("stream")?.sent ?? 0) > 20, "words of the stream");
  await until(() => (upstream.calls.get("other")?.sent ?? 0) > 20, "words of the other");
  const frozenMs = Date.now();
  frozen.signal("SIGSTOP");
  try {
    // The other goes on.
    const answer = await ask(scene, LIVING, { message: "short", stream: true });
    assertStringIncludes(await answer.text(), "data: [DONE]");
    await until(async () => await fleet.openHoldsBefore(frozenMs) === 0, "its holds to be ended");
    await new Promise((resolve) =>
      setTimeout(resolve, Math.max(0, frozenMs + FREEZE_MS - Date.now()))
    );
  } finally {
    frozen.signal("SIGCONT");
  }
  for (const late of await Promise.all([text, other])) {
    assertStringIncludes(late, WORD);
    assertFalse(late.includes("[DONE]"), late.slice(-500));
    assertStringIncludes(late, '"error":{');
  }
}

if (await postgresBin() === undefined) {
  console.error("SKIPPED: no PostgreSQL: install Debian's package postgresql, or set PG_BIN");
} else {
  Deno.test("a frozen instance cannot settle what was ended for it, and its callers get an error", async () => {
    await using upstream = new WordsUpstream((message) => message === "short" ? SHORT : LONG);
    const config = labConfig({ id: "only", baseUrl: upstream.baseUrl });
    await using fleet = await Fleet.start({ count: 2, config });
    await fleet.admin("POST", "/wallets", { id: "w", credits: "1000" });
    const { key } = await fleet.admin("POST", "/keys", { name: "k", wallet: "w" });
    const scene = { fleet, key };
    await freeze(scene, upstream);
    // It has joined again, and serves.
    await until(async () => {
      const again = await ask(scene, FROZEN, { message: "short", stream: true });
      return (await again.text()).includes("data: [DONE]");
    }, "the instance to serve again");
    await until(async () => await fleet.openHoldsBefore(Infinity) === 0, "every hold to end");
    await assertBooks(scene);
  });
}
