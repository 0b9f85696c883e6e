import { assert, assertEquals, assertRejects } from "@std/assert";
import { StoreError } from "../../../ports/store_error.ts";
import { untilStored } from "./patience.ts";

const away = () => Promise.reject(new StoreError("The database is away"));

Deno.test("a later attempt of a settlement waits for what remains of its 15 s", async () => {
  const waits: number[] = [];
  const stored = await untilStored((waitMs) => {
    waits.push(waitMs);
    return waits.length < 3 ? away() : Promise.resolve("stored");
  }, () => false);
  assertEquals(stored, "stored");
  const [first = 0, second = 0, third = 0] = waits;
  assert(first <= 15_000 && second <= first - 250 && third <= second - 250, `${waits}`);
});

Deno.test("a settlement that may have landed stays in doubt after later failures", async () => {
  let attempts = 0;
  const error = await assertRejects(() =>
    untilStored(() => {
      if (++attempts > 1) return away();
      return Promise.reject(new StoreError("It is not known", { inDoubt: true }));
    }, () => attempts > 1), StoreError);
  assert(error.mayHaveLanded);
});
