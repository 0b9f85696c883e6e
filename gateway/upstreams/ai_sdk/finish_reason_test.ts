import { assertEquals } from "@std/assert";
import { chatFinish, unknownFinish } from "./finish_reason.ts";

const none = { hasToolCalls: false };
const other = (raw: string) => ({ unified: "other", raw }) as const;

Deno.test("a finish reason that the packages do not know is mapped by its raw name", () => {
  for (const raw of ["model_context_window_exceeded"]) {
    assertEquals(chatFinish(other(raw), none), "length", raw);
  }
  for (const raw of ["MODEL_ARMOR", "IMAGE_PROHIBITED_CONTENT", "ERROR_TOXIC"]) {
    assertEquals(chatFinish(other(raw), none), "content_filter", raw);
  }
  for (const raw of ["error", "TIMEOUT", "malformed_tool_use", "UNEXPECTED_TOOL_CALL"]) {
    assertEquals(chatFinish(other(raw), none), undefined, raw);
  }
  for (const raw of ["model_context_window_exceeded", "MODEL_ARMOR", "error"]) {
    assertEquals(unknownFinish(other(raw)), undefined, raw);
  }
});

Deno.test("an unknown finish reason becomes stop, and the answer reports it", () => {
  assertEquals(chatFinish(other("OTHER"), none), "stop");
  assertEquals(chatFinish(other("OTHER"), { hasToolCalls: true }), "tool_calls");
  assertEquals(
    unknownFinish(other("OTHER")),
    'finish_reason: the provider ended the answer with "OTHER"',
  );
  assertEquals(unknownFinish(other("x".repeat(999)))?.length, 116);
  assertEquals(unknownFinish({ unified: "stop", raw: "STOP" }), undefined);
  assertEquals(chatFinish({ unified: "tool-calls", raw: "x" }, none), "stop");
});
