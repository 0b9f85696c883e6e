import { assertEquals } from "@std/assert";
import { notStored, notStoredEvent } from "./keep_response.ts";

Deno.test("a resource that is not kept says so, and nothing else of it changes", () => {
  assertEquals(
    notStored('{"a":1.0,"store":true,"b":12345678901234567890}'),
    '{"a":1.0,"store":false,"b":12345678901234567890}',
  );
  assertEquals(JSON.parse(notStored('{"a":1}')), { a: 1, store: false });
});

Deno.test("so does the event that brings it, on one line or on several", () => {
  const event = 'event: response.completed\ndata: {"type":"x","response":{"store":true}}\n\n';
  assertEquals(notStoredEvent(event), event.replace("true", "false"));
  const lines = event.replace('"x",', '"x",\ndata: ');
  assertEquals(notStoredEvent(lines), lines.replace("true", "false"));
  const other = 'event: error\ndata: {"type":"error"}\n\n';
  assertEquals(notStoredEvent(other), other);
});
