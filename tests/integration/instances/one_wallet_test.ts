/**
 * Many callers of several instances spend one wallet: all of it, and never more.
 *
 * @module
 */

import { assert, assertEquals, assertGreaterOrEqual } from "@std/assert";
import { FakeUpstream, json } from "../../fixtures/fake_upstream.ts";
import { Fleet } from "../../fixtures/fleet.ts";
import { completion, labConfig, QUESTION, usage } from "../../fixtures/lab.ts";
import { postgresBin } from "../../fixtures/postgres.ts";
import { ADMIN_TOKEN } from "../../fixtures/service.ts";
import { svc } from "../../fixtures/service_process.ts";
import { Books, microsOf } from "../../kills/books.ts";

const INSTANCES = 3;
const CALLERS = 300;
const CREDITS = "8";
/** Share of the wallet that must be spent when every caller has been refused, in percent. */
const SPENT_PERCENT = 99n;

/** Calls one instance until it says that the wallet is empty; returns the number of answers. */
async function spend(url: string, key: string): Promise<number> {
  for (let answers = 0;; answers++) {
    const response = await fetch(`${url}/openai/v1/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${key}` },
      body: JSON.stringify({ model: "auto", messages: QUESTION, max_completion_tokens: 8 }),
    });
    const answer = await response.json();
    if (response.status === 200) continue;
    assertEquals([response.status, answer.error.code], [402, "insufficient_balance"]);
    return answers;
  }
}

/** Asserts that no entry of the journal left the wallet with less than nothing. */
function assertNeverOverspent(books: Books): void {
  let available = 0n;
  for (const { kind, id, micros } of books.steps.get("w") ?? []) {
    const held = books.holds.get(id)?.held ?? 0n;
    if (kind === "credit") available += micros;
    else if (kind === "hold") available -= micros;
    else if (kind !== "open") available += held - micros;
    assert(available >= 0n, `${available} after ${kind} ${id}`);
  }
}

if (await postgresBin() === undefined) {
  console.error("SKIPPED: no PostgreSQL: install Debian's package postgresql, or set PG_BIN");
} else {
  Deno.test("three hundred callers of three instances spend one wallet, and no more", async () => {
    await using upstream = new FakeUpstream();
    upstream.otherwise(json(completion({ usage: usage(10, 5) })));
    const config = labConfig({ id: "only", baseUrl: upstream.baseUrl });
    await using fleet = await Fleet.start({ count: INSTANCES, config });
    await fleet.admin("POST", "/wallets", { id: "w", credits: CREDITS });
    const { key } = await fleet.admin("POST", "/keys", { name: "k", wallet: "w" });
    const urls = fleet.members.map(({ process }) => process.publicUrl);
    const callers = Array.from(
      { length: CALLERS },
      (_, at) => spend(urls[at % INSTANCES] ?? "", key),
    );
    const answers = (await Promise.all(callers)).reduce((sum, count) => sum + count);
    const books = new Books();
    await books.read(fleet);
    assertNeverOverspent(books);
    const wallet = books.wallets.find(({ id }) => id === "w");
    const [credits, held, spent] = [wallet?.credits, wallet?.held, wallet?.spent]
      .map((text) => microsOf(text ?? ""));
    assert(credits !== undefined && spent !== undefined);
    assertEquals(held, 0n);
    assertGreaterOrEqual(spent * 100n, credits * SPENT_PERCENT);
    // Each answer was charged, and nothing else was.
    const charges = [...books.holds.values()].flatMap(({ endings }) => endings)
      .filter(({ micros }) => micros > 0n);
    assertEquals([charges.length, upstream.requests.length], [answers, answers]);
    const verified = await svc(["ledger", "verify", "--json"], {
      SERVICE_ADMIN_URL: fleet.members[0]?.process.adminUrl ?? "",
      SERVICE_ADMIN_TOKEN: ADMIN_TOKEN,
    });
    assertEquals([verified.code, JSON.parse(verified.stdout).problems], [0, []]);
    console.info(`${answers} answers; spent ${spent} of ${credits} micros`);
  });
}
