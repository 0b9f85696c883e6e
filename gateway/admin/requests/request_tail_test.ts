import { assertEquals } from "@std/assert";
import type { RequestRecord } from "../../ports/request_log.ts";
import { ADMIN_TOKEN, START_MS, type TestAdmin, withAdmin } from "../admin_test_support.ts";
import { TAIL_ROWS_MAX, TAILS_MAX } from "./request_tail.ts";

function record(n: number, rest: Partial<RequestRecord> = {}): RequestRecord {
  return {
    id: `log_${n}`,
    requestId: `req-${n}`,
    atMs: START_MS,
    keyId: "key_a",
    walletId: "team",
    endpoint: "chat",
    stream: false,
    status: 200,
    outcome: "ok",
    durationMs: 4,
    holdIds: [],
    charged: "0.500000",
    inputTokens: 10,
    cachedInputTokens: 2,
    outputTokens: 5,
    estimated: false,
    content: { prompt: "words", answer: "words", isCut: false },
    ...rest,
  };
}

async function openTail(
  { app }: TestAdmin,
  query = "",
  { accept = "*/*", token = ADMIN_TOKEN } = {},
): Promise<Response> {
  const headers = { authorization: `Bearer ${token}`, accept };
  return await app.request(`/admin/v1/requests/tail${query}`, { headers });
}

/** Reads until a text has come. */
async function readUntil(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  wanted: string,
): Promise<string> {
  let text = "";
  while (!text.includes(wanted)) {
    const { value, done } = await reader.read();
    if (done) throw new Error(`The tail ended after ${text}`);
    text += new TextDecoder().decode(value);
  }
  return text;
}

Deno.test("a slow reader of a tail loses the oldest rows and receives their count", async () => {
  await withAdmin(async (admin) => {
    const { body } = await openTail(admin, "?key=key_a&min_charged=0.5");
    const reader = body?.getReader() as ReadableStreamDefaultReader<Uint8Array>;
    await admin.deps.log.append(record(1, { keyId: "key_b" }));
    await admin.deps.log.append(record(2, { charged: "0.499999" }));
    for (let n = 0; n < TAIL_ROWS_MAX + 30; n++) await admin.deps.log.append(record(100 + n));
    const text = await readUntil(reader, `log_${100 + TAIL_ROWS_MAX + 29}`);
    const rows = text.split("\n").filter((line) => line.startsWith("data: "))
      .map((line) => JSON.parse(line.slice("data: ".length)));
    const [lost, ...others] = rows;
    assertEquals([lost.rows + others.length, others.length >= TAIL_ROWS_MAX], [
      TAIL_ROWS_MAX + 30,
      true,
    ]);
    assertEquals(Object.keys(others[0]).includes("content") || text.includes("words"), false);
    await reader.cancel();
  });
});

Deno.test("no more tails are open at once than may be, and one that is left makes room", async () => {
  await withAdmin(async (admin) => {
    const tails = await Promise.all(
      Array.from({ length: TAILS_MAX }, () => openTail(admin)),
    );
    const refused = await openTail(admin);
    assertEquals([refused.status, (await refused.json()).error.code], [429, "rate_limit_exceeded"]);
    await tails[0]?.body?.cancel();
    const next = await openTail(admin, "", { accept: "application/x-ndjson" });
    assertEquals(next.status, 200);
    const reader = next.body?.getReader() as ReadableStreamDefaultReader<Uint8Array>;
    await admin.deps.log.append(record(1));
    const text = await readUntil(reader, "log_1");
    assertEquals(JSON.parse(text.trim().split("\n").at(-1) ?? "").request.requestId, "req-1");
    await reader.cancel();
    for (const tail of tails.slice(1)) await tail.body?.cancel();
  });
});

Deno.test("a tail ends within a minute and a keep-alive of the token that opened it", async () => {
  const ends: Readonly<Record<string, (admin: TestAdmin, id: string) => Promise<unknown>>> = {
    revoked: async ({ app, get }, id) => {
      const { body } = await get(`/operators/${id}`);
      return await app.request(`/admin/v1/operators/${id}/tokens/${body.tokens[0].id}`, {
        ...{ method: "DELETE", headers: { authorization: `Bearer ${ADMIN_TOKEN}` } },
      });
    },
    disabled: ({ post }, id) => post(`/operators/${id}/disable`),
    expired: ({ clock }) => Promise.resolve(clock.ms += 2 * 86_400_000),
  };
  for (const [name, end] of Object.entries(ends)) {
    await withAdmin(async (admin) => {
      const { body: { id } } = await admin.post("/operators", { name: "Vi", role: "viewer" });
      const made = await admin.post(`/operators/${id}/tokens`, { name: "laptop", days: 1 });
      const { body } = await openTail(admin, "", { token: made.body.token });
      const reader = body?.getReader() as ReadableStreamDefaultReader<Uint8Array>;
      admin.clock.ms += 60_000;
      await admin.deps.log.append(record(1));
      await readUntil(reader, "log_1");
      await end(admin, id);
      admin.clock.ms += 60_000;
      await admin.deps.log.append(record(2));
      assertEquals((await reader.read()).done, true, name);
    });
  }
});

Deno.test("tails end when the service does", async () => {
  const closing = new AbortController();
  await withAdmin(async (admin) => {
    const { body } = await openTail(admin);
    const text = new Response(body).text();
    await admin.deps.log.append(record(1));
    closing.abort();
    assertEquals((await text).includes("log_1"), true);
    assertEquals(await (await openTail(admin)).text(), ": keep-alive\n\n");
  }, { closing: closing.signal });
});
