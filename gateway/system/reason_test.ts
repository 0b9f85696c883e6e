import { assertEquals } from "@std/assert";
import { reasonOf } from "./reason.ts";

Deno.test("reasonOf() adds causes with further details, without repetitions", () => {
  const cause = new Error("file is not a database");
  const open = new Error("Cannot read the store: file is not a database", { cause });
  assertEquals(reasonOf(open), "Cannot read the store: file is not a database");
  assertEquals(reasonOf(new Error("Cannot look", { cause: open })), `Cannot look: ${open.message}`);
  assertEquals(reasonOf("text"), "text");
});
