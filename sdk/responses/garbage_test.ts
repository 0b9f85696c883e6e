import { withGarbageIn } from "../odd_values_test.ts";
import { call, eventsOf, message, metadata, resource, scripted, usage } from "./script_test.ts";

const REASONING = {
  type: "reasoning",
  id: "rs_1",
  summary: [{ type: "summary_text", text: "Hm" }],
};
const CUSTOM = { type: "custom_tool_call", id: "ctc_1", call_id: "c", name: "sql", input: "x" };
const WHOLE = resource([REASONING, message("Hello"), call("double"), CUSTOM], {
  ...{ usage: usage(), metadata: metadata(), error: null, incomplete_details: null },
});
const DONE = resource([message("Done")]);
const double = { name: "double", parameters: {}, execute: () => 2 };

Deno.test("an answer that is odd somewhere is used as far as it goes, or an error of ours", async () => {
  await withGarbageIn(WHOLE, async (odd) => {
    const { client } = scripted([Response.json(odd), DONE], { tools: [double] });
    await client.responses.run({ input: "Hi" });
  });
});

Deno.test("events that are odd somewhere are used as far as they go, or an error of ours", async () => {
  await withGarbageIn(eventsOf(WHOLE), async (odd) => {
    const events: unknown[] = [odd].flat();
    const frames = events.map((event) => `data: ${JSON.stringify(event)}\n\n`);
    const { client } = scripted([new Response(frames.join("")), DONE], { tools: [double] });
    await client.responses.runStream({ input: "Hi" });
  });
});
