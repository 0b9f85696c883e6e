import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { StoreError } from "../../ports/store_error.ts";
import { Damage } from "./damage.ts";

class Rows {
  readonly kept = 3;
  #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  get text(): string {
    return this.#text;
  }

  now(): unknown {
    return JSON.parse(this.#text);
  }

  later(): Promise<unknown> {
    return Promise.resolve().then(() => JSON.parse(this.#text));
  }

  hot(): unknown {
    return JSON.parse(this.#text);
  }

  async *steps(): AsyncGenerator<unknown> {
    yield await this.later();
  }

  reading(): { readonly total: number; entries(): AsyncGenerator<unknown> } {
    return { total: 1, entries: () => this.steps() };
  }
}

Deno.test("undamaged values pass through a watched store, which keeps its class", async () => {
  const damage = new Damage();
  const rows = damage.watched(new Rows("[1]"));
  assert(rows instanceof Rows);
  assertEquals([rows.kept, rows.text], [3, "[1]"]);
  assertEquals([rows.now(), await rows.later(), rows.hot()], [[1], [1], [1]]);
  assertEquals(await Array.fromAsync(rows.steps()), [[1]]);
  const reading = rows.reading();
  assertEquals([reading.total, await Array.fromAsync(reading.entries())], [1, [[1]]]);
  assertEquals(damage.first, undefined);
});

Deno.test("damage is noted wherever it is met, once for each kind", async () => {
  const messages: string[] = [];
  const damage = new Damage((message) => messages.push(message));
  const rows = damage.watched(new Rows("{broken"), ["now", "later", "steps", "reading"]);
  // An unwrapped method throws as before.
  assertThrows(() => rows.hot(), SyntaxError);
  assertEquals(messages, []);
  assertThrows(() => rows.now(), StoreError, "damaged");
  await assertRejects(() => rows.later(), StoreError, "damaged");
  await assertRejects(() => Array.fromAsync(rows.steps()), StoreError, "damaged");
  await assertRejects(() => Array.fromAsync(rows.reading().entries()), StoreError, "damaged");
  assertEquals([messages.length, damage.first], [1, messages[0]]);
});

Deno.test("a store that fails is not one that is damaged", () => {
  const damage = new Damage();
  const failure = new StoreError("disk I/O error");
  assertEquals(damage.note(failure), failure);
  assertEquals(damage.first, undefined);
  assertEquals(
    damage.note(new StoreError("A row", { isDamage: true })) instanceof StoreError,
    true,
  );
  assertEquals(damage.first, "A row");
});
