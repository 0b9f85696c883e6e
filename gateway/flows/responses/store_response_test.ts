import { assertEquals } from "@std/assert";
import { lastEvent, notStored } from "./store_response.ts";

Deno.test("a resource that is not stored states it, and is otherwise unchanged", () => {
  assertEquals(
    notStored('{"a":1.0,"store":true,"b":12345678901234567890}'),
    '{"a":1.0,"store":false,"b":12345678901234567890}',
  );
  assertEquals(JSON.parse(notStored('{"a":1}')), { a: 1, store: false });
});

Deno.test("so does the event that brings it, on one line or on several", () => {
  const unkept = (event: string) => lastEvent(event, { isStored: false, dialect: "openai" });
  const event = 'event: response.completed\ndata: {"type":"x","response":{"store":true}}\n\n';
  assertEquals(unkept(event), event.replace("true", "false"));
  const lines = event.replace('"x",', '"x",\ndata: ');
  assertEquals(unkept(lines), lines.replace("true", "false"));
  const other = 'event: error\ndata: {"type":"error"}\n\n';
  assertEquals(unkept(other), other);
});

Deno.test("[DONE] follows the last event, but not where OpenAI's own streams are expected", () => {
  const event = 'event: response.completed\ndata: {"response":{"store":true}}\n\n';
  assertEquals(lastEvent(event, { isStored: true, dialect: "openai" }), event);
  assertEquals(
    lastEvent(event, { isStored: true, dialect: "service" }),
    `${event}data: [DONE]\n\n`,
  );
  assertEquals(
    lastEvent(event, { isStored: false, dialect: "service" }),
    `${event.replace("true", "false")}data: [DONE]\n\n`,
  );
});
