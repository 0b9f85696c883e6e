import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import type { VerificationStep } from "../../ports/ledger_store.ts";
import { StoreError } from "../../ports/store_error.ts";
import { ADMIN_TOKEN, assertRefused, type TestAdmin, withAdmin } from "../admin_test_support.ts";
import { jsonLine } from "../ndjson.ts";

const AUTHORIZATION = { authorization: `Bearer ${ADMIN_TOKEN}` };
const LINES = { ...AUTHORIZATION, accept: "application/x-ndjson" };

/** As `Response.json` has it: tests look into it freely. */
type Line = Awaited<ReturnType<Response["json"]>>;

async function lines({ app }: TestAdmin, path: string): Promise<Line[]> {
  const response = await app.request(`/admin/v1${path}`, { headers: LINES });
  assertEquals(response.headers.get("content-type"), "application/x-ndjson");
  assertEquals(response.headers.get("cache-control"), "no-store");
  const texts = (await response.text()).split("\n");
  assertEquals(texts.pop(), "");
  return texts.map((text) => JSON.parse(text));
}

const RESULT = {
  ...{ entries: 9, segments: 2, head: "abc", wallets: 1, keys: 1, openHolds: 0 },
  ...{ problems: ["One"], moreProblems: 7 },
};

/** A verification of three steps, and what became of it. */
function threeSteps(): { steps: string[]; verifyLedger: () => AsyncGenerator<VerificationStep> } {
  const steps: string[] = [];
  return {
    steps,
    async *verifyLedger() {
      try {
        for (const entries of [3, 6]) {
          steps.push(`${entries}`);
          yield await Promise.resolve({ entries, total: 9 });
        }
        yield { entries: 9, total: 9, result: RESULT };
      } finally {
        steps.push("ended");
      }
    },
  };
}

Deno.test("GET /ledger/verify says whether the books are right", async () => {
  await withAdmin(async (admin) => {
    const { body } = await admin.get("/ledger/verify");
    assertEquals(body, {
      ...{ ok: true, entries: 2, segments: 2, head: body.head, wallets: 1, keys: 0 },
      ...{ openHolds: 0, problems: [], moreProblems: 0 },
    });
    assertEquals(body.head.length, 64);
    assertEquals(await lines(admin, "/ledger/verify"), [{ result: body }]);
    const mistaken = await admin.get("/ledger/verify?quick=1");
    assertRefused(mistaken, { status: 400, code: "invalid_request", param: "quick" });
  });
});

Deno.test("a client that accepts lines receives progress lines", async () => {
  const { verifyLedger } = threeSteps();
  let ms = 0;
  const clock = { nowMs: () => 0, monotonicMs: () => ms += 60 };
  await withAdmin(async (admin) => {
    assertEquals(await lines(admin, "/ledger/verify"), [
      { progress: { entries: 6, total: 9 } },
      { result: { ok: false, ...RESULT } },
    ]);
  }, { verifyLedger, clock });
});

Deno.test("a client that leaves ends the work", async () => {
  const { steps, verifyLedger } = threeSteps();
  let ms = 0;
  const clock = { nowMs: () => 0, monotonicMs: () => ms += 1_000 };
  await withAdmin(async ({ app }) => {
    const response = await app.request("/admin/v1/ledger/verify", { headers: LINES });
    assertEquals(steps, []);
    const reader = response.body?.getReader();
    await reader?.read();
    await reader?.cancel();
    assertEquals(steps, ["3", "ended"]);

    const leaving = new AbortController();
    leaving.abort();
    const cancelled = await app.request(
      new Request("http://localhost/admin/v1/ledger/verify", {
        headers: AUTHORIZATION,
        signal: leaving.signal,
      }),
    );
    assertEquals([cancelled.status, ...steps], [499, "3", "ended", "3", "ended"]);
  }, { verifyLedger, clock });
});

Deno.test("a failure during the operation is the last line and is logged", async () => {
  async function* verifyLedger(): AsyncGenerator<VerificationStep> {
    yield await Promise.resolve({ entries: 3, total: 9 });
    throw new StoreError("The disk is gone");
  }
  await withAdmin(async (admin) => {
    const [line, ...others] = await lines(admin, "/ledger/verify");
    assertEquals([line.error.code, others], ["store_unavailable", []]);
    assertStringIncludes(admin.lines.join(), "disk is gone");
    assertStringIncludes(admin.lines.join(), line.error.request_id);
    const whole = await admin.get("/ledger/verify");
    assertRefused(whole, { status: 503, code: "store_unavailable" });
  }, { verifyLedger });
});

async function spend({ deps }: TestAdmin): Promise<void> {
  const what = { holdId: "h", walletId: "team", keyId: "k", logId: "l", model: "m" };
  const amounts = { amount: 5_000_000n, minimum: 1n, budget: {}, priceVersion: 1 };
  const atMs = Date.UTC(2026, 10, 22);
  await deps.ledger.hold({ kind: "hold", ...what, ...amounts, atMs }, { waitMs: 0 });
  const tokens = { inputTokens: 7, cachedInputTokens: 0, outputTokens: 2, estimated: false };
  const cost = 6_000_000n;
  await deps.ledger.settle({ kind: "settle", holdId: "h", cost, ...tokens, atMs: atMs + 1 });
}

Deno.test("GET /ledger/export has every entry, and an end that tells a cut one", async () => {
  await withAdmin(async (admin) => {
    await spend(admin);
    const { head } = (await admin.get("/ledger/verify")).body;
    const response = await admin.app.request("/admin/v1/ledger/export", { headers: LINES });
    assertEquals(response.headers.get("x-ledger-entries"), "4");
    await response.body?.cancel();
    const exported = await lines(admin, "/ledger/export");
    const call = { wallet: "team", id: "h", key: "k", log: "l", model: "m", priceVersion: 1 };
    assertEquals(exported.slice(2), [
      {
        ...{ place: 3, segment: 2, kind: "hold", at: "2026-11-22T00:00:00.000Z" },
        ...{ change: "-5.000000", ...call, amount: "5.000000" },
      },
      {
        ...{ place: 4, segment: 2, kind: "settle", at: "2026-11-22T00:00:00.001Z" },
        ...{ change: "0.000000", ...call, held: "5.000000", charged: "5.000000" },
        ...{ writtenOff: "1.000000", inputTokens: 7, cachedInputTokens: 0, outputTokens: 2 },
        estimated: false,
      },
      {
        ...{ kind: "end", entries: 4, journal: { entries: 4, segments: 2, head } },
        ...{ since: null, until: null, wallet: null, at: "2026-11-21T12:00:00.000Z" },
      },
    ]);
    // Anybody can recompute the balance.
    const changes = exported.slice(0, -1).map((line) => Number(line.change));
    assertEquals(changes.reduce((sum, change) => sum + change, 0), 95);
  });
});

Deno.test("an export can be narrowed, and its last line states the filter", async () => {
  await withAdmin(async (admin) => {
    await admin.post("/wallets", { id: "other", credits: "7" });
    await spend(admin);
    const kinds = async (query: string) => {
      const exported = await lines(admin, `/ledger/export?${query}`);
      return exported.map((line) => `${line.place ?? ""}${line.kind}`);
    };
    assertEquals(await kinds("wallet=other"), ["3open", "4credit", "end"]);
    assertEquals(await kinds("since=2026-11-22"), ["5hold", "6settle", "end"]);
    assertEquals(await kinds("since=2026-11-22&wallet=other"), ["end"]);
    const until = "until=2026-11-22T00:00:00Z&wallet=team";
    assertEquals(await kinds(until), ["1open", "2credit", "5hold", "end"]);
    const [end] = (await lines(admin, `/ledger/export?${until}`)).slice(-1);
    assertEquals([end.entries, end.until, end.wallet], [3, "2026-11-22T00:00:00.000Z", "team"]);
    const unknown = await admin.get("/ledger/export?wallet=teem");
    assertRefused(unknown, { status: 404, code: "not_found" });
    assertStringIncludes(unknown.body.error.message, '"team"');
    const mistaken = await admin.get("/ledger/export?since=yesterday");
    assertRefused(mistaken, { status: 400, code: "invalid_request", param: "since" });
  });
});

Deno.test("an export is read as it is produced, at the pace of its reader", async () => {
  let reads = 0;
  await withAdmin(async (admin) => {
    admin.deps.ledger.journal = () =>
      Promise.resolve({
        ...{ total: 1, segments: 1, head: "" },
        async *entries() {
          const tier = "t".repeat(20_000);
          while (true) {
            reads++;
            yield await Promise.resolve([]);
            yield [{ place: 1, segment: 1, entry: { op: "open", wallet: "w", tier, at: 0 } }];
          }
        },
      });
    const response = await admin.app.request("/admin/v1/ledger/export", { headers: LINES });
    const reader = response.body?.getReader();
    await reader?.read();
    assertEquals(reads, 2);
    await reader?.read();
    assertEquals(reads, 4);
    await reader?.cancel();
    assertEquals(reads, 4);
  });
});

Deno.test("texts of an export are one line each and steer no terminal", async () => {
  const note = "a\r\nb\u2028c\u001b[31m\u009b2J\u202egnp\u2066\u{e0041}\u0000\ud800\"'";
  const line = jsonLine({ note });
  assertEquals(JSON.parse(line).note, note);
  assert(/^[\x20-\x7e]+\n$/.test(line.replace("\ud800", "")), line);
  await withAdmin(async (admin) => {
    await admin.post("/wallets/team/credit", { credits: "1", note: note.replace("\ud800", "") });
    const exported = await lines(admin, "/ledger/export");
    assertEquals(exported.at(-2).note, note.replace("\ud800", ""));
  });
});
