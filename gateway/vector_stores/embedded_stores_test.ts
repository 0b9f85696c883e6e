import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import type { Embedded, Embedder } from "../ports/embedder.ts";
import type { LogFields } from "../ports/logger.ts";
import type { UpstreamFailure } from "../ports/upstream.ts";
import type { VectorStoreOutcome, VectorStores } from "../ports/vector_stores.ts";
import { type KvStores, openKvStores } from "../stores/kv/open.ts";
import { createVectorStores, type VectorStoresDeps } from "./vector_stores.ts";

const BUSY: UpstreamFailure = { kind: "failure", outcome: "rate_limited", message: "Too busy" };

/** Topics of words: vectors point along these. */
const TOPICS = [/\b(?:car|automobile|vehicle)/, /\b(?:cat|kitten|feline)/, /\b(?:sea|ocean)/];

function vectorOf(text: string, dimensions: number): number[] {
  const vector = TOPICS.map((topic) => topic.test(text) ? 1 : 0.01);
  const norm = Math.hypot(...vector);
  return [...vector, ...Array(dimensions - TOPICS.length).fill(0)].map((value) => value / norm);
}

/** Embeds by topic; fails on demand. */
class FakeEmbedder implements Embedder {
  space = "fake@default";
  dimensions = 4;
  failure: UpstreamFailure | undefined;
  readonly batches: number[] = [];
  /** Runs before each answer. */
  before: (options: { signal: AbortSignal }) => Promise<void> | void = () => {};

  async embed(texts: readonly string[], options: { signal: AbortSignal }): Promise<Embedded> {
    this.batches.push(texts.length);
    await this.before(options);
    if (this.failure !== undefined) return this.failure;
    const { dimensions } = this;
    const values = new Float32Array(texts.flatMap((text) => vectorOf(text, dimensions)));
    return { kind: "vectors", dimensions, values };
  }
}

interface Scene {
  readonly vectorStores: VectorStores;
  readonly stores: KvStores;
  readonly embedder: FakeEmbedder;
  readonly clock: { ms: number };
  readonly lines: [string, LogFields][];
  /** Id of the store of the scene. */
  readonly id: string;
  /** Returns the texts of a search's hits. */
  textsFor(text: string): Promise<string[]>;
  add(filename: string, text: string): ReturnType<typeof add>;
}

async function withStore(
  run: (scene: Scene) => Promise<void>,
  options: Partial<VectorStoresDeps> & { path?: string; id?: string; maxBytes?: number } = {},
): Promise<void> {
  const clock = { ms: 1 };
  const lines: [string, LogFields][] = [];
  const log = (event: string, fields: LogFields = {}) => void lines.push([event, fields]);
  const embedder = new FakeEmbedder();
  const stores = await openKvStores(options.path ?? ":memory:", { passageRetention: options });
  let ids = stores.passages.stores().length * 100;
  const vectorStores = createVectorStores({
    passages: stores.passages,
    clock: { nowMs: () => clock.ms, monotonicMs: () => clock.ms },
    rng: { id: (prefix) => `${prefix}_${++ids}`, next: () => 0.5 },
    embedder: () => embedder,
    logger: { info: log, warn: log, error: log },
    ...options,
  });
  try {
    const id = options.id ?? value(await vectorStores.create("Books", { ownerId: "team" })).id;
    const textsFor = async (text: string) =>
      value(await vectorStores.search("team", { storeIds: [id], text })).map((hit) => hit.text);
    const addTo = (filename: string, text: string) => add(vectorStores, { id, filename, text });
    await run({ vectorStores, stores, embedder, clock, lines, id, textsFor, add: addTo });
  } finally {
    await vectorStores.close();
    await stores.close();
  }
}

function value<T>(outcome: VectorStoreOutcome<T>): T {
  assert(outcome.ok, JSON.stringify(outcome));
  return outcome.value;
}

async function add(
  vectorStores: VectorStores,
  file: { id: string; filename: string; text: string },
) {
  const bytes = new TextEncoder().encode(file.text);
  const added = { filename: file.filename, mediaType: "text/plain", bytes };
  return value(await vectorStores.addFile(file.id, added));
}

const CAR = "The automobile stands in the yard";
const CAT = "A kitten sleeps";

Deno.test("a paraphrase is found that shares no word; words still count", async () => {
  await withStore(async ({ add, embedder, textsFor, id, vectorStores }) => {
    await add("car.txt", CAR);
    await add("cat.txt", CAT);
    assertEquals((await textsFor("vehicle"))[0], CAR);
    assertEquals((await textsFor("feline"))[0], CAT);
    const query = { storeIds: [id], text: "automobile" };
    const [best, other] = value(await vectorStores.search("team", query));
    assert(best !== undefined && other !== undefined);
    assertEquals([best.text, other.text], [CAR, CAT]);
    assert(best.score > 0.9 && best.score <= 1, String(best.score));
    // By the formula: no word in common, hardly similar.
    assert(other.score > 0 && other.score < 0.05, String(other.score));
    assertEquals(
      value(await vectorStores.search("team", { ...query, scoreThreshold: 0.5 })).length,
      1,
    );
    assertEquals(await textsFor("automobile"), await textsFor("automobile"));
    // The same search without embeddings misses.
    embedder.failure = BUSY;
    assertEquals(await textsFor("vehicle"), []);
  });
});

Deno.test("a query that cannot be embedded is answered by full text, and the embedder is let rest", async () => {
  await withStore(async ({ add, clock, embedder, textsFor, lines }) => {
    await add("car.txt", CAR);
    embedder.failure = { ...BUSY, status: 429, retryAfterMs: 5_000 };
    assertEquals(await textsFor("yard"), [CAR]);
    const fields = { outcome: "rate_limited", status: 429, message: "Too busy" } as const;
    assertEquals(lines, [["query_not_embedded", fields]]);
    embedder.failure = undefined;
    assertEquals(await textsFor("vehicle"), []);
    clock.ms += 5_000;
    assertEquals(await textsFor("vehicle"), [CAR]);
    // A failure of one query does not affect the next.
    embedder.failure = { ...BUSY, outcome: "refused_input" };
    assertEquals(await textsFor("vehicle"), []);
    embedder.failure = undefined;
    assertEquals(await textsFor("vehicle"), [CAR]);
    assertEquals(lines.length, 2);
  });
});

Deno.test("a file whose passages cannot be embedded is added with a warning, and embedded later", async () => {
  await withStore(async ({ add, embedder, textsFor, id, lines, vectorStores }) => {
    embedder.failure = BUSY;
    const { id: fileId, warning } = await add("car.txt", CAR);
    assertEquals(warning, '"car.txt" has no embeddings: Too busy');
    assertEquals(lines.map(([event]) => event), ["passages_not_embedded"]);
    embedder.batches.length = 0;
    assertEquals(await textsFor("yard"), [CAR]);
    // No vectors to compare a query with: no call, no cost.
    assertEquals(embedder.batches, []);
    const failed = await vectorStores.embedFile(id, fileId);
    assertEquals(failed, { ok: false, code: "failed", message: "Too busy" });
    embedder.failure = undefined;
    const embedded = await vectorStores.embedFile(id, fileId);
    assert(embedded.ok && embedded.value.embeddings?.dimensions === 4);
    assertEquals(vectorStores.get(id)?.embeddings, { "fake@default": { passages: 1, bytes: 16 } });
    assertEquals(await textsFor("vehicle"), [CAR]);
    // A repeat costs nothing.
    embedder.batches.length = 0;
    assertEquals(await vectorStores.embedFile(id, fileId), embedded);
    assertEquals(embedder.batches, []);
    const unknown = await vectorStores.embedFile(id, "file_none");
    assertEquals(unknown.ok || unknown.code, "file_not_found");
    const nowhere = await vectorStores.embedFile("vs_none", fileId);
    assertEquals(nowhere.ok || nowhere.code, "file_not_found");
  });
});

Deno.test("another model makes vectors unused until files are embedded again", async () => {
  await withStore(async ({ add, embedder, textsFor, id, vectorStores }) => {
    const { id: fileId } = await add("car.txt", CAR);
    const { id: catId } = await add("cat.txt", CAT);
    assertEquals(await textsFor("vehicle"), [CAR, CAT]);
    embedder.space = "other@default";
    assertEquals(await textsFor("vehicle"), []);
    assert((await vectorStores.embedFile(id, fileId)).ok);
    assertEquals(vectorStores.get(id)?.embeddings, {
      "fake@default": { passages: 1, bytes: 16 },
      "other@default": { passages: 1, bytes: 16 },
    });
    // Of the same length, but not comparable.
    assertEquals(await textsFor("vehicle"), [CAR]);
    assertEquals((await textsFor("kitten vehicle")).toSorted(), [CAT, CAR]);
    embedder.space = "third@default";
    embedder.dimensions = 5;
    assert((await vectorStores.embedFile(id, fileId)).ok);
    assertEquals(await textsFor("vehicle"), [CAR]);
    embedder.dimensions = 6;
    // A model whose vectors have changed their length.
    assertEquals(await textsFor("vehicle"), []);
    await vectorStores.removeFile(id, fileId);
    await vectorStores.removeFile(id, catId);
    assertEquals(vectorStores.get(id)?.embeddings, {});
  });
});

Deno.test("a large file is embedded in batches, all or nothing, and found in its middle", async () => {
  await withStore(async ({ add, embedder, textsFor, vectorStores, id }) => {
    const filler = Array.from({ length: 120 }, () => `${"filler ".repeat(450)}\n\n`);
    const text = [...filler, `${"ocean ".repeat(500)}\n\n`, ...filler].join("");
    const { passages } = await add("large.txt", text);
    assert(passages > 200);
    assertEquals(embedder.batches.reduce((sum, size) => sum + size, 0), passages);
    assertEquals(Math.max(...embedder.batches), 32);
    assertStringIncludes((await textsFor("sea"))[0] ?? "", "ocean ocean");

    let calls = 0;
    embedder.before = () => {
      embedder.dimensions = ++calls > 3 ? 5 : 4;
    };
    const uneven = await add("uneven.txt", text);
    assertStringIncludes(uneven.warning ?? "", "differ in length");
    assertEquals(vectorStores.get(id)?.embeddings?.["fake@default"]?.passages, passages);
  });
});

Deno.test("without room for its vectors a file is neither added nor changed", async () => {
  await withStore(async ({ add, embedder, id, stores, vectorStores }) => {
    embedder.dimensions = 100;
    embedder.failure = BUSY;
    const { id: fileId } = await add("car.txt", CAR);
    embedder.failure = undefined;
    const file = { filename: "cat.txt", mediaType: "text/plain", bytes: new Uint8Array([65]) };
    const full = await vectorStores.addFile(id, file);
    assertEquals(full.ok || full.refusal.code, "full");
    const refused = await vectorStores.embedFile(id, fileId);
    assertEquals(refused.ok || refused.code, "full");
    const [first, ...others] = await stores.passages.files(id);
    assertEquals([first?.id, first?.embeddings, others], [fileId, undefined, []]);
  }, { maxBytes: 300 });
});

Deno.test("without an embedder files are added and found by their words, without a warning", async () => {
  await withStore(async ({ add, textsFor, id, vectorStores }) => {
    const { id: fileId, ...file } = await add("car.txt", CAR);
    assertEquals([file.warning, file.embeddings], [undefined, undefined]);
    assertEquals([await textsFor("yard"), await textsFor("vehicle")], [[CAR], []]);
    assertEquals(vectorStores.embeddingSpace(), undefined);
    const off = await vectorStores.embedFile(id, fileId);
    assertEquals(off.ok || off.code, "off");
  }, { embedder: () => undefined });
});

Deno.test("vectors outlive the gateway", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const path = join(folder, "svc.kv");
    let id = "";
    await withStore(async (scene) => {
      id = scene.id;
      await scene.add("car.txt", CAR);
    }, { path });
    await withStore(async ({ textsFor, embedder }) => {
      assertEquals(await textsFor("vehicle"), [CAR]);
      assertEquals(embedder.batches, [1]);
    }, { path, id });
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("an abort is not kept waiting, neither for the embedder nor for an index", async () => {
  await withStore(async ({ add, embedder, textsFor, id, vectorStores }) => {
    const { id: fileId } = await add("car.txt", CAR);
    const leaving = new AbortController();
    embedder.before = ({ signal }) => {
      const { promise, reject } = Promise.withResolvers<void>();
      signal.addEventListener("abort", () => reject(signal.reason));
      leaving.abort(new Error("Left"));
      return promise;
    };
    const { signal } = leaving;
    const query = { storeIds: [id], text: "yard" };
    await assertRejects(() => vectorStores.search("team", query, { signal }), Error, "Left");
    await assertRejects(() => vectorStores.search("team", query, { signal }), Error, "Left");
    embedder.space = "other@default";
    const again = new AbortController();
    embedder.before = () => again.abort(new Error("Left again"));
    embedder.failure = BUSY;
    const embedding = await vectorStores.embedFile(id, fileId, { signal: again.signal });
    assertEquals(embedding.ok || embedding.code, "failed");
    // Aborted while the index loads: it is there for the next search.
    const late = new AbortController();
    const searching = vectorStores.search("team", query, { signal: late.signal });
    late.abort(new Error("Too late"));
    await assertRejects(() => searching, Error, "Too late");
    assertEquals(await textsFor("yard"), [CAR]);
  });
});

Deno.test("the end of the gateway breaks embedding off, and the file is not there", async () => {
  await withStore(async ({ add, embedder, id, stores, vectorStores }) => {
    embedder.before = ({ signal }) => {
      const { promise, reject } = Promise.withResolvers<void>();
      signal.addEventListener("abort", () => reject(signal.reason));
      void vectorStores.close();
      return promise;
    };
    await assertRejects(() => add("car.txt", CAR), Error, "shutting down");
    assertEquals(await stores.passages.files(id), []);
  });
});
