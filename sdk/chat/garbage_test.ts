import { withGarbageIn } from "../odd_values_test.ts";
import {
  call,
  completion,
  json,
  MESSAGES,
  metadata,
  scripted,
  sse,
  streamOf,
} from "../scripted_service_test.ts";

const ANSWER = { content: "Hello", tool_calls: [call("1", "double")] };
const MORE = {
  usage: { prompt_tokens: 1, completion_tokens: 2, prompt_tokens_details: { cached_tokens: 0 } },
  metadata: metadata("req_1", "1.000000"),
};
const DONE = { content: "Done" };
const double = { name: "double", parameters: {}, execute: () => 2 };

Deno.test("a completion that is odd somewhere is used as far as it goes, or an error of ours", async () => {
  await withGarbageIn(completion(ANSWER, MORE), async (odd) => {
    const { client } = scripted([json(odd), json(completion(DONE, MORE))], { tools: [double] });
    await client.chat.completions.run({ messages: MESSAGES });
  });
});

Deno.test("chunks that are odd somewhere are used as far as they go, or an error of ours", async () => {
  await withGarbageIn(streamOf(ANSWER, MORE), async (odd) => {
    const replies = [sse(...[odd].flat()), sse(...streamOf(DONE, MORE))];
    const { client } = scripted(replies, { tools: [double] });
    await client.chat.completions.runStream({ messages: MESSAGES });
  });
});
