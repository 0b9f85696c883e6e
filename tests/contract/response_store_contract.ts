import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import type { ResponseStore, StoredResponse } from "../../gateway/ports/response_store.ts";
import { type Clauses, type Open, runContract } from "./contract.ts";

/** A store of 2 MiB, half of it for one wallet alone, and its clock, which begins at 10 000. */
export interface ResponseStoreUnderTest {
  readonly responses: ResponseStore;
  passTo(nowMs: number): void;
}

const MIB = 1024 * 1024;

/** A response of the wallet `w` that expires at 20 000. */
export function response(id: string, fields: Partial<StoredResponse> = {}): StoredResponse {
  return {
    id,
    ownerId: "w",
    expiresAtMs: 20_000,
    resource: `{"id":${JSON.stringify(id)},"n":1.0}`,
    input: [],
    itemIds: [],
    ...fields,
  };
}

/** JSON text of so many UTF-8 bytes, no two stretches of it alike. */
export function textOf(bytes: number): string {
  let text = "";
  for (let n = 0; text.length < bytes; n++) text += `${n},`;
  return `"${text.slice(0, bytes - 2)}"`;
}

const CLAUSES: Clauses<ResponseStoreUnderTest> = {
  "a response comes back as it was, whatever its size": async ({ responses }) => {
    const chunk = 60 * 1024;
    for (const size of [10, chunk - 200, chunk, 2 * chunk, 5 * chunk + 7]) {
      const stored = response(`resp_${size}`, {
        resource: textOf(size),
        input: [textOf(size / 10), '{"id": "msg_1", "text": "é\\n漢\\ud83d"}', "{ }"],
        previousId: "resp_before",
        upstreamId: "openai",
        itemIds: ["msg_1", "msg_2"],
        found: { ws_1: "Results:\n\x1e[1] é" },
      });
      // Five in the room of three: each takes the place of the one before.
      await responses.delete("w", `resp_${5 * chunk + 7}`);
      assertEquals(await responses.put(stored), true);
      assertEquals(await responses.get("w", stored.id), stored);
    }
    const bare = response("resp_bare");
    await responses.put(bare);
    assertEquals(await responses.get("w", "resp_bare"), bare);
  },

  "any id is an id": async ({ responses }) => {
    const ids = [
      "",
      "a/b",
      "#x",
      "é漢",
      "x".repeat(100_000),
      "\ud800",
      "\udfff",
      "\u0000",
      "a\x1eb",
    ];
    for (const id of ids) {
      assertEquals(await responses.get("w", id), undefined);
      assertEquals(await responses.delete("w", id), false);
      await responses.put(response(id, { itemIds: [id], previousId: id, upstreamId: id }));
    }
    for (const id of ids) {
      assertEquals((await responses.get("w", id))?.id, id);
      assertEquals((await responses.withItem("w", id))?.previousId, id);
    }
  },

  "a wallet finds its own responses and nobody else's": async ({ responses }) => {
    await responses.put(response("resp_1", { resource: '"mine"', itemIds: ["i"] }));
    await responses.put(response("resp_1", { resource: '"theirs"', ownerId: "v", itemIds: ["i"] }));
    await responses.put(response("resp_2", { ownerId: "v", itemIds: ["j"] }));
    assertEquals((await responses.get("w", "resp_1"))?.resource, '"mine"');
    assertEquals((await responses.withItem("w", "i"))?.resource, '"mine"');
    for (const [owner, id] of [["w", "resp_2"], ["", "resp_1"], ["wv", "resp_1"]] as const) {
      assertEquals(await responses.get(owner, id), undefined);
      assertEquals(await responses.delete(owner, id), false);
    }
    assertEquals(await responses.withItem("w", "j"), undefined);
    assertEquals(await responses.delete("w", "resp_1"), true);
    assertEquals((await responses.get("v", "resp_1"))?.resource, '"theirs"');
    assertEquals((await responses.withItem("v", "i"))?.resource, '"theirs"');
  },

  "a response is gone from the moment it expires, swept or not": async (store) => {
    const { responses, passTo } = store;
    await responses.put(response("resp_1", { itemIds: ["i"] }));
    passTo(19_999);
    assert(await responses.get("w", "resp_1") !== undefined);
    passTo(20_000);
    assertEquals(await responses.get("w", "resp_1"), undefined);
    assertEquals(await responses.withItem("w", "i"), undefined);
    assertEquals(await responses.delete("w", "resp_1"), false);
    assertEquals(await responses.sweep(), 1);
    assertEquals(await responses.sweep(), 0);
    // Nothing comes back with the time.
    passTo(10_000);
    assertEquals(await responses.get("w", "resp_1"), undefined);
    assertEquals(await responses.withItem("w", "i"), undefined);
  },

  "a sweep takes all that has expired, and leaves the others": async ({ responses, passTo }) => {
    await Promise.all(
      Array.from(
        { length: 70 },
        (_, n) => responses.put(response(`resp_${n}`, { expiresAtMs: 11_000 + n * 100 })),
      ),
    );
    passTo(16_950);
    assertEquals(await responses.sweep(), 60);
    assertEquals(await responses.get("w", "resp_59"), undefined);
    assert(await responses.get("w", "resp_60") !== undefined);
  },

  "a second response of an upstream's id replaces the first one wholly": async (store) => {
    const { responses, passTo } = store;
    const upstreamId = "openai";
    const first = response("resp_1", {
      upstreamId,
      resource: textOf(300_000),
      itemIds: ["old", "both"],
      expiresAtMs: 30_000,
    });
    const second = response("resp_1", {
      upstreamId,
      resource: textOf(100_000),
      itemIds: ["new", "both"],
    });
    for (const [one, other] of [[first, second], [second, first]] as const) {
      await responses.put(one);
      await responses.put(other);
      assertEquals((await responses.get("w", "resp_1"))?.resource, other.resource);
      assertEquals((await responses.withItem("w", "both"))?.resource, other.resource);
      const gone = one === first ? "old" : "new";
      assertEquals(await responses.withItem("w", gone), undefined);
    }
    await responses.put(second);
    // What was replaced does not come back when its successor goes.
    passTo(20_000);
    for (let look = 0; look < 2; look++) {
      assertEquals(await responses.get("w", "resp_1"), undefined);
      assertEquals(await responses.withItem("w", "old"), undefined);
      await responses.sweep();
    }
    // Nor does it keep its room.
    assertEquals(
      await responses.put(
        response("resp_2", { resource: textOf(MIB - 1_000), expiresAtMs: 30_000 }),
      ),
      true,
    );
  },

  "of two of an id at once one stays, whole": async ({ responses }) => {
    const both = [textOf(200_000), `"${"x".repeat(250_000)}"`];
    for (const upstreamId of [undefined, "openai"]) {
      const puts = both.map((resource) => response("resp_1", { resource, upstreamId }));
      await Promise.all(puts.map((one) => responses.put(one)));
      const stays = await responses.get("w", "resp_1");
      assert(stays !== undefined && both.includes(stays.resource));
      assertEquals(await responses.delete("w", "resp_1"), true);
      assertEquals(await responses.get("w", "resp_1"), undefined);
    }
  },

  "deleted is deleted, once": async ({ responses }) => {
    await responses.put(response("resp_1", { resource: textOf(200_000), itemIds: ["i"] }));
    const deleting = [responses.delete("w", "resp_1"), responses.delete("w", "resp_1")];
    assertEquals((await Promise.all(deleting)).sort(), [false, true]);
    assertEquals(await responses.delete("w", "resp_1"), false);
    assertEquals(await responses.get("w", "resp_1"), undefined);
    assertEquals(await responses.withItem("w", "i"), undefined);
    await responses.put(response("resp_1", { resource: '"again"' }));
    assertEquals((await responses.get("w", "resp_1"))?.resource, '"again"');
    assertEquals(await responses.withItem("w", "i"), undefined);
  },

  "who reads while it is deleted gets all of it or nothing": async ({ responses }) => {
    const resource = textOf(700_000);
    for (let round = 0; round < 10; round++) {
      await responses.put(response("resp_1", { resource, itemIds: ["i"] }));
      const reading = [responses.get("w", "resp_1"), responses.withItem("w", "i")];
      const deleting = responses.delete("w", "resp_1");
      for (let more = 0; more < round; more++) reading.push(responses.get("w", "resp_1"));
      for (const read of await Promise.all(reading)) {
        assert(read === undefined || read.resource === resource);
      }
      assertEquals(await deleting, true);
    }
  },

  "an item leads to the last response that has it and is there": async (store) => {
    const { responses, passTo } = store;
    const storeItem = (id: string, expiresAtMs: number) =>
      responses.put(response(id, { itemIds: ["i", "i", id], expiresAtMs }));
    await storeItem("resp_1", 40_000);
    await storeItem("resp_2", 30_000);
    await storeItem("resp_3", 20_000);
    const owner = async () => (await responses.withItem("w", "i"))?.id;
    assertEquals(await owner(), "resp_3");
    passTo(20_000);
    assertEquals(await owner(), "resp_2");
    await responses.sweep();
    assertEquals(await owner(), "resp_2");
    await responses.delete("w", "resp_2");
    assertEquals(await owner(), "resp_1");
    await responses.delete("w", "resp_1");
    assertEquals(await owner(), undefined);
  },

  "many items are all found": async ({ responses }) => {
    const itemIds = Array.from({ length: 3_000 }, (_, n) => `msg_${n}_${"x".repeat(n % 50)}`);
    await responses.put(response("resp_1", { itemIds }));
    for (const id of [itemIds[0], itemIds[1_500], itemIds[2_999]]) {
      assertEquals((await responses.withItem("w", id ?? ""))?.itemIds, itemIds);
    }
    await responses.delete("w", "resp_1");
    assertEquals(await responses.withItem("w", "msg_0_"), undefined);
  },

  "a full store takes nothing until something goes": async ({ responses, passTo }) => {
    const large = (id: string, expiresAtMs: number) =>
      responses.put(response(id, { resource: textOf(700_000), expiresAtMs }));
    assertEquals(await large("resp_1", 20_000), true);
    assertEquals(await large("resp_2", 30_000), false);
    assertEquals(await responses.get("w", "resp_2"), undefined);
    assertEquals(await responses.put(response("resp_small")), true);
    passTo(25_000);
    // Room is made when it is needed.
    assertEquals(await large("resp_3", 40_000), true);
    assertEquals(await large("resp_4", 40_000), false);
    await responses.delete("w", "resp_3");
    assertEquals(await large("resp_4", 40_000), true);
    assertEquals(await responses.put(response("resp_5", { resource: textOf(MIB + 1) })), false);
  },

  "a wallet that takes all it can leaves room for others": async ({ responses, passTo }) => {
    const fill = async (ownerId: string, size: number) => {
      let taken = 0;
      for (let full = false; !full; taken++) {
        const one = response(`resp_${taken}`, { ownerId, resource: textOf(size) });
        full = !await responses.put(one);
      }
      return (taken - 1) * size;
    };
    const first = await fill("w", 100_000);
    const second = await fill("v", 50_000);
    const third = await fill("u", 50_000);
    // Each took as much as it left: a half, a quarter, an eighth.
    assertEquals([first, second, third], [1_000_000, 500_000, 250_000]);
    // Nor is anything to be had by trying again, while a newcomer still finds room.
    assertEquals(await responses.put(response("more", { resource: textOf(100_000) })), false);
    const newcomer = response("resp_1", { ownerId: "t", resource: textOf(50_000) });
    assertEquals(await responses.put(newcomer), true);
    await responses.delete("v", "resp_0");
    assertEquals(await responses.get("t", "resp_1"), newcomer);
    // An expired response belongs to no wallet.
    passTo(20_000);
    const later = { ownerId: "v", resource: textOf(900_000), expiresAtMs: 30_000 };
    assertEquals(await responses.put(response("resp_9", later)), true);
  },

  "of many at once only so many are taken as there is room for": async ({ responses }) => {
    const resource = textOf(220_000);
    const taken = await Promise.all(
      Array.from({ length: 9 }, (_, n) => responses.put(response(`resp_${n}`, { resource }))),
    );
    assertEquals(taken.filter(Boolean).length, 4);
    for (const [n, wasTaken] of taken.entries()) {
      assertEquals(await responses.get("w", `resp_${n}`) !== undefined, wasTaken);
    }
  },

  "it does what a map would do": async ({ responses, passTo }) => {
    let run = 0;
    let nowMs = 10_000;
    const property = fc.asyncProperty(fc.array(STEP, { maxLength: 25 }), async (steps) => {
      const model = new ResponseMap(nowMs);
      const prefix = `${++run}-`;
      for (const [n, { op, ms, ...of }] of steps.entries()) {
        const ownerId = prefix + of.owner;
        if (op === "put") {
          const resource = `[${n},${textOf(of.size)}]`;
          const expiresAtMs = nowMs + ms;
          const one = response(of.id, {
            ownerId,
            resource,
            itemIds: of.items,
            expiresAtMs,
            upstreamId: "openai",
          });
          assertEquals(await responses.put(one), true);
          model.put(one);
        } else if (op === "get") {
          assertEquals(await responses.get(ownerId, of.id), model.get(ownerId, of.id));
        } else if (op === "item") {
          const item = of.items[0] ?? "";
          assertEquals(await responses.withItem(ownerId, item), model.withItem(ownerId, item));
        } else if (op === "delete") {
          assertEquals(await responses.delete(ownerId, of.id), model.delete(ownerId, of.id));
        } else if (op === "pass") passTo(model.nowMs = nowMs += Math.max(0, ms));
        else await responses.sweep();
      }
      passTo(nowMs += 1_000);
      await responses.sweep();
    });
    await fc.assert(property, { numRuns: 60 });
  },
};

const STEP = fc.record({
  op: fc.constantFrom("put", "put", "get", "get", "item", "delete", "pass", "sweep"),
  owner: fc.constantFrom("a", "b"),
  id: fc.constantFrom("r1", "r2"),
  items: fc.uniqueArray(fc.constantFrom("i1", "i2")),
  /** Time to live, or to pass. */
  ms: fc.integer({ min: -1, max: 50 }),
  size: fc.constantFrom(2, 200, 70_000),
});

/** A simple model of a store of responses. */
class ResponseMap {
  nowMs: number;
  readonly #kept = new Map<string, StoredResponse>();

  constructor(nowMs: number) {
    this.nowMs = nowMs;
  }

  put(one: StoredResponse): void {
    this.#kept.delete(one.ownerId + one.id);
    this.#kept.set(one.ownerId + one.id, one);
  }

  get(ownerId: string, id: string): StoredResponse | undefined {
    const stored = this.#kept.get(ownerId + id);
    return stored !== undefined && stored.expiresAtMs > this.nowMs ? stored : undefined;
  }

  withItem(ownerId: string, itemId: string): StoredResponse | undefined {
    return [...this.#kept.values()].findLast((one) =>
      one.itemIds.includes(itemId) && this.get(ownerId, one.id) === one
    );
  }

  delete(ownerId: string, id: string): boolean {
    return this.get(ownerId, id) !== undefined && this.#kept.delete(ownerId + id);
  }
}

/** Contract of every store of responses. */
export function responseStoreContract(name: string, open: Open<ResponseStoreUnderTest>): void {
  runContract(name, { open, clauses: CLAUSES });
}
