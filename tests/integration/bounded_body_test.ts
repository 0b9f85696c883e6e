/**
 * Answers that stop in mid-body end with their signal, also when the garbage collector runs
 * meanwhile: Deno collects a response of which only the body is read.
 *
 * @module
 */

import { assertEquals, assertRejects } from "@std/assert";
import type { UpstreamConfig } from "../../gateway/domain/catalog/catalog.ts";
import { fetchDrawnFrom } from "../../gateway/images/fetch_drawn.ts";
import { createWebSearch } from "../../gateway/search/factory.ts";
import { readBytesUpTo } from "../../gateway/system/bounded_body.ts";
import { OpenAICompatibleEmbedder } from "../../gateway/upstreams/openai_compatible/embeddings.ts";
import { chunk, FakeUpstream, type Script, streamHead } from "../fixtures/fake_upstream.ts";
import { GarbageCollection } from "../fixtures/garbage.ts";

const CLOCK = { nowMs: () => 0, monotonicMs: () => 0 };
const SILENT: Script = [
  streamHead({ "content-type": "application/json" }),
  chunk('{"results":'),
  { stall: true },
];

/** Calls a server, and stops at its signal. */
type Ask = (fake: FakeUpstream, signal: AbortSignal) => Promise<unknown>;

const ASKS: Readonly<Record<string, Ask>> = {
  "a search": (fake, signal) => {
    const baseUrl = `http://127.0.0.1:${fake.port}`;
    const config = { kind: "searxng", baseUrl, pricePerSearch: "0" } as const;
    const search = createWebSearch(config, { clock: CLOCK, env: () => undefined });
    return search.search({ text: "tides" }, { signal });
  },
  "an embedding": (fake, signal) => {
    const upstream: UpstreamConfig = {
      id: "vectors",
      kind: "openai-compatible",
      provider: "vectors",
      baseUrl: fake.baseUrl,
      apiKey: "none",
      maxInFlight: 1,
      onDisconnect: "cancel",
      timeouts: { connectMs: 60_000, firstByteMs: 60_000, idleMs: 60_000 },
    };
    const config = { upstream: "vectors", model: "tiny" };
    const deps = { upstream, env: () => undefined, clock: CLOCK };
    const embedder = new OpenAICompatibleEmbedder(config, deps);
    return embedder.embed(["tides"], { signal, timeoutMs: 60_000 });
  },
  "a drawn image": (fake, signal) =>
    fetchDrawnFrom(fake.baseUrl)(`http://127.0.0.1:${fake.port}/a.png`, signal),
};

for (const [what, ask] of Object.entries(ASKS)) {
  Deno.test(`${what} whose answer falls silent ends with its signal`, async () => {
    await using fake = new FakeUpstream();
    fake.answer(SILENT);
    const leaving = new AbortController();
    const asking = ask(fake, leaving.signal);
    await fake.stalling();
    leaving.abort(new Error("Left"));
    await assertRejects(() => within10Seconds(asking), Error, "Left");
    await fake.clientLeft();
    assertEquals(fake.requests.length, 1);
  });
}

Deno.test("a body is read with its response, which is not garbage collected before its end", async () => {
  using _collection = new GarbageCollection();
  await using fake = new FakeUpstream();
  fake.answer(SILENT);
  const leaving = new AbortController();
  const { signal } = leaving;
  const asking = fetch(fake.baseUrl, { signal }).then((response) => readBytesUpTo(response, 1_000));
  await fake.stalling();
  // Long enough for what is garbage to be collected, many times.
  await new Promise((resolve) => setTimeout(resolve, 300));
  leaving.abort(new Error("Left"));
  await assertRejects(() => within10Seconds(asking), Error, "Left");
  await fake.clientLeft();
});

async function within10Seconds(asking: Promise<unknown>): Promise<unknown> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error("It is still being read")), 10_000);
  try {
    return await Promise.race([asking, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
