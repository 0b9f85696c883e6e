import { assertEquals, assertRejects } from "@std/assert";
import { Random } from "./random.ts";
import { Disk, SimulatedKv } from "./simulated_kv.ts";
import { settle } from "./virtual_time.ts";

const KEYS: readonly Deno.KvKey[] = [
  ["head"],
  ["journal", 1],
  ["journal", 2],
  ["journal", 10],
  ["journal2", 1],
  ["wallet", "a"],
  ["wallet", "a", "b"],
  ["wallet", "aa"],
  ["wallet", "b"],
  ["wallet", 7],
];

const SELECTORS: readonly [Deno.KvListSelector, Deno.KvListOptions][] = [
  [{ prefix: ["wallet"] }, {}],
  [{ prefix: ["wallet"] }, { reverse: true, limit: 2 }],
  [{ prefix: ["wallet", "a"] }, {}],
  [{ prefix: [] }, { limit: 4 }],
  [{ start: ["journal", 2], end: ["journal", 10] }, {}],
  [{ start: ["journal", 1], end: ["journal", 11] }, { reverse: true }],
  [{ prefix: ["journal"], start: ["journal", 2] }, {}],
  [{ prefix: ["journal"], end: ["journal", 2] }, {}],
];

/** Returns the answers of a database to a series of writes, checks and reads. */
async function answersOf(
  kv: Deno.Kv,
  seed: number,
  commit: (operation: Deno.AtomicOperation) => Promise<{ ok: boolean }>,
): Promise<unknown[]> {
  const random = new Random(seed);
  const answers: unknown[] = [];
  const seen = new Map<number, string | null>();
  for (let turn = 0; turn < 60; turn++) {
    const operation = kv.atomic();
    const at = random.below(KEYS.length);
    const other = random.below(KEYS.length);
    const versionstamp = seen.get(at);
    if (versionstamp !== undefined && random.chance(0.5)) {
      operation.check({ key: KEYS[at]!, versionstamp });
    }
    const value = { turn, amount: BigInt(turn), bytes: new Uint8Array([turn]) };
    operation.set(KEYS[at]!, value);
    if (random.chance(0.3) && other !== at) operation.delete(KEYS[other]!);
    const { ok } = await commit(operation);
    const entry = await kv.get(KEYS[at]!);
    if (random.chance(0.5)) seen.set(at, entry.versionstamp);
    answers.push(ok, entry.value);
  }
  for (const [selector, options] of SELECTORS) {
    const rows = await Array.fromAsync(kv.list(selector, options));
    answers.push(rows.map(({ key, value }) => [key, value]));
  }
  const some = await kv.getMany(KEYS.slice(0, 3));
  answers.push(some.map(({ value, versionstamp }) => [value, versionstamp === null]));
  return answers;
}

Deno.test("the simulated store answers as Deno KV does", async () => {
  for (let seed = 0; seed < 5; seed++) {
    using real = await Deno.openKv(":memory:");
    const simulated = new SimulatedKv(new Disk());
    const expected = await answersOf(real, seed, (operation) => operation.commit());
    const results = await answersOf(simulated, seed, (operation) => {
      const committed = operation.commit();
      simulated.end("ok");
      return committed;
    });
    assertEquals(results, expected, `seed ${seed}`);
  }
});

Deno.test("a commit ends as decided, and a killed process gets no answer", async () => {
  const disk = new Disk();
  const kv = new SimulatedKv(disk);
  const write = (value: number) => kv.atomic().set(["n"], value).commit();
  const refused = assertRejects(() => write(1), Error, "locked");
  kv.end("locked");
  await refused;
  assertEquals((await kv.get(["n"])).value, null);
  const unheard = assertRejects(() => write(2), Error, "I/O");
  kv.end("unacknowledged");
  await unheard;
  assertEquals((await kv.get(["n"])).value, 2);
  kv.failingReads = 1;
  await assertRejects(() => kv.get(["n"]), Error, "I/O");
  let answered = false;
  const hear = () => void (answered = true);
  write(3).then(hear, hear);
  kv.kill(true);
  write(4).then(hear, hear);
  kv.get(["n"]).then(hear, hear);
  await settle();
  assertEquals(answered, false);
  assertEquals((await new SimulatedKv(disk).get(["n"])).value, 3);
  const closed = new SimulatedKv(disk);
  closed.close();
  await assertRejects(() => closed.get(["n"]), Error, "Bad resource");
});
