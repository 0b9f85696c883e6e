import { assertEquals, assertInstanceOf } from "@std/assert";
import { ToolError } from "./tool.ts";

Deno.test("ToolError is known by its name and says what went wrong", () => {
  const cause = new Error("ENOENT");
  const error = new ToolError("Cannot find a.txt", { code: "file_not_found", cause });
  assertInstanceOf(error, Error);
  assertEquals([error.name, error.code, error.message, error.cause], [
    "ToolError",
    "file_not_found",
    "Cannot find a.txt",
    cause,
  ]);
  assertEquals(new ToolError("No").code, "tool_failed");
});
