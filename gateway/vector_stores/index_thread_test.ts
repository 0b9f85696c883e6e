import { assertEquals, assertRejects } from "@std/assert";
import { StoreError } from "../ports/store_error.ts";
import { IndexThread } from "./index_thread.ts";

Deno.test("a thread that runs out of memory fails its searches and is replaced", async () => {
  const thread = new IndexThread({ heapMib: 24 });
  let gone = 0;
  thread.onGone = () => void gone++;
  const lamp = { fileId: "a", index: 0, text: "lamp" };
  await thread.add("vs_small", [lamp]);
  assertEquals((await thread.search("vs_small", { text: "lamp", limit: 1 })).length, 1);

  const fill = async () => {
    for (let index = 0; index < 1_000; index++) {
      const words = Array.from({ length: 2_000 }, (_, at) => `w${index}x${at}`);
      await thread.add("vs_large", [{ fileId: "b", index, text: words.join(" ") }]);
    }
  };
  const addition = thread.add("vs_large", []).then(fill);
  const error = await assertRejects(() => addition, StoreError, "the index has failed");
  assertEquals(/memory limit/.test(String(error.cause)), true, String(error.cause));
  assertEquals(gone, 1);

  assertEquals(await thread.search("vs_small", { text: "lamp", limit: 1 }), []);
  await thread.add("vs_small", [lamp]);
  assertEquals((await thread.search("vs_small", { text: "lamp", limit: 1 })).length, 1);
  await thread.close();
  assertEquals(gone, 2);
});
