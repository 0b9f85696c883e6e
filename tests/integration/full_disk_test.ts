/**
 * The disk is full while calls come and while others are in flight: no answer without a durable hold,
 * 503 with `Retry-After`, well again without a restart, and nothing lost. Once on a disk that is really
 * full, where this user may mount one, and always on a store that says so.
 *
 * @module
 */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { faultyKv, withOpenKv } from "../contract/faulty_kv.ts";
import { FakeUpstream, json, LAST_CHUNK, sse, streamHead } from "../fixtures/fake_upstream.ts";
import { completion, labConfig, QUESTION, streamed, usage } from "../fixtures/lab.ts";
import { TestService, until } from "../fixtures/service.ts";
import { smallDisk } from "../fixtures/small_disk.ts";

/** Ten tokens of input at 1 000 micro-credits, five of output at 2 000. */
const USAGE = usage(10, 5);
const CALL_MICROS = 20_000n;
/** Places at the upstream, and calls that are refused: more, so that a leaked place would show. */
const PLACES = 3;
const REFUSED = 8;

/** Something that can have no room. */
interface Disk {
  readonly kvPath: string;
  fill(): Promise<void>;
  clear(): Promise<void>;
  /** Starts on it. */
  start(options: Parameters<typeof TestService.start>[0]): Promise<TestService>;
}

function ask(service: TestService, stream = false): Promise<Response> {
  return service.chat({ messages: QUESTION, max_completion_tokens: 50, stream });
}

async function scenario(disk: Disk): Promise<void> {
  await using upstream = new FakeUpstream();
  upstream.otherwise(json(completion({ usage: USAGE })));
  const { baseUrl } = upstream;
  const config = labConfig({ id: "only", baseUrl, upstream: { maxInFlight: PLACES } });
  const { kvPath } = disk;
  let spent: bigint;
  {
    await using service = await disk.start({ config, kvPath });
    await assertCharged(service, 1);
    const under = await answerInFlight(service, upstream);
    await disk.fill();
    // What the database has room for within its own files may still be written.
    let answered = 1;
    while (await statusOf(ask(service)) === 200) assert(++answered < 10_000, "it is never full");
    await assertRefused(service, upstream);
    assertEquals(await readiness(service), "Nothing can be written to the store");
    answered += await under.finish();
    await disk.clear();
    await until(
      () => service.running.gateway.settlementRetries.size === 0,
      "the settlement retries",
    );
    await service.quiet();
    assertEquals(await readiness(service), undefined);
    ({ spent } = await service.wallet());
    assertEquals(spent, BigInt(answered) * CALL_MICROS, "answers are in the books, and no more");
    await assertCharged(service, PLACES);
    spent += BigInt(PLACES) * CALL_MICROS;
    await service.admin("POST", "/wallets", { id: "refused", credits: "5" });
    await service.assertBooks();
  }
  await using again = await disk.start({ config, kvPath });
  assertEquals((await again.wallet()).spent, spent, "nothing is lost with a restart");
  assertEquals((await again.wallet("refused")).credits, 5_000_000n);
  await again.assertBooks();
  await assertCharged(again, 1);
}

/** So many calls at once are answered and charged. */
async function assertCharged(service: TestService, calls: number): Promise<void> {
  const { spent } = await service.wallet();
  for (const response of await Promise.all(Array.from({ length: calls }, () => ask(service)))) {
    assertEquals(response.status, 200, await response.text());
  }
  assertEquals((await service.wallet()).spent - spent, BigInt(calls) * CALL_MICROS);
}

/** One call for a body and one for a stream, each with its hold, and neither with its end. */
async function answerInFlight(service: TestService, upstream: FakeUpstream) {
  const gate = Promise.withResolvers<void>();
  const [head = streamHead(), role = LAST_CHUNK, ...rest] = sse(streamed(["Hello"], USAGE));
  upstream.answer([head, role, { until: gate.promise }, ...rest]);
  const stream = await ask(service, true);
  assertEquals(stream.status, 200);
  upstream.answer([{ until: gate.promise }, ...json(completion({ usage: USAGE }))]);
  const requestsBefore = upstream.requests.length;
  const body = ask(service);
  await until(() => upstream.requests.length > requestsBefore, "the call to reach the upstream");
  return {
    /** Lets both end; how many of them are to be paid for. */
    async finish(): Promise<number> {
      gate.resolve();
      const [response, text] = [await body, await stream.text()];
      await assertGivenOr503(response);
      const isWhole = text.includes("data: [DONE]");
      // Either it ends well, or it says why it does not.
      assertEquals(text.includes('"store_unavailable"'), !isWhole, text);
      // The stream has been delivered: its bill follows.
      return response.status === 200 ? 2 : 1;
    },
  };
}

async function assertGivenOr503(response: Response): Promise<void> {
  const answer = await response.json();
  if (response.status !== 200) assertUnavailable(response, answer);
}

function assertUnavailable(response: Response, { error }: { error?: { code?: string } }): void {
  assertEquals([response.status, error?.code], [503, "store_unavailable"]);
  assertEquals(response.headers.get("retry-after"), "1");
}

/** Calls without a possible hold reach no upstream and cost nothing; no partial state is left. */
async function assertRefused(service: TestService, upstream: FakeUpstream): Promise<void> {
  const [before, requestsBefore] = [await service.wallet(), upstream.requests.length];
  for (let call = 0; call < REFUSED; call++) {
    const response = await ask(service, call % 2 === 1);
    assertUnavailable(response, await response.json());
  }
  assertEquals(upstream.requests.length, requestsBefore, "no answer without a durable hold");
  assertEquals(await service.wallet(), before);
  const made = service.admin("POST", "/wallets", { id: "refused", credits: "5" });
  assertStringIncludes(await made.then(() => "made", String), "503");
  assertEquals(await service.running.stores.ledger.wallet("refused"), undefined);
}

/** Why the service is not ready; `undefined` where it is. */
async function readiness(service: TestService): Promise<string | undefined> {
  const response = await fetch(`${service.running.publicUrl}/readyz`);
  return (await response.json()).error?.message;
}

async function statusOf(answer: Promise<Response>): Promise<number> {
  const response = await answer;
  await response.body?.cancel();
  return response.status;
}

Deno.test("a disk that is really full", async (test) => {
  await using disk = await smallDisk();
  if (disk === undefined) {
    console.warn("NOT TESTED: a full disk, because this user may not mount one");
    return void await test.step({ name: "needs to mount", ignore: true, fn: () => {} });
  }
  await scenario({
    kvPath: join(disk.path, "svc.kv"),
    fill: () => disk.fill(),
    clear: () => disk.clear(),
    start: (options) => TestService.start(options),
  });
});

Deno.test("a store that says that its disk is full", async () => {
  const folder = await Deno.makeTempDir();
  const { faults, openKv } = faultyKv();
  const turn = (commit: typeof faults.commit) => {
    faults.commit = commit;
    return Promise.resolve();
  };
  try {
    await scenario({
      kvPath: join(folder, "svc.kv"),
      fill: () => turn("before"),
      clear: () => turn("none"),
      start: (options) =>
        withOpenKv((path = ":memory:") => openKv(path), () => TestService.start(options)),
    });
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
