/**
 * The caller's output limit where an answer has several turns: it bounds the answer, not each turn.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import { type Script, sse } from "../fixtures/fake_upstream.ts";
import {
  askHosted,
  calls,
  completionOf,
  hostedLab,
  responseOf,
  type ScriptedCall,
  searchFor,
  SURFACES,
} from "../fixtures/hosted_lab.ts";
import { chunkText, usage, usageChunk } from "../fixtures/lab.ts";

const LIMIT_NAMES = { chat: "max_completion_tokens", responses: "max_output_tokens" } as const;
const OWN = {
  chat: { type: "function", function: { name: "own", parameters: { type: "object" } } },
  responses: { type: "function", name: "own", parameters: { type: "object" } },
};

/** A turn that calls functions and reports so many tokens of output. */
function callingAt(output: number, ...made: readonly ScriptedCall[]): Script {
  return sse([...calls(...made).slice(0, -1), usageChunk(usage(20, output))]);
}

function sayingAt(output: number, finish: string): Script {
  return sse([
    chunkText({ role: "assistant", content: "Twice a day" }),
    chunkText({}, finish),
    usageChunk(usage(20, output)),
  ]);
}

for (const surface of SURFACES) {
  for (const stream of [false, true]) {
    const how = `${surface}${stream ? ", streamed" : ""}`;
    const limited = (tokens: number) => ({ stream, more: { [LIMIT_NAMES[surface]]: tokens } });

    Deno.test(`${how}: later turns have what the turns before left of the limit`, async () => {
      await using lab = await hostedLab();
      const { service, model } = lab;
      model.answer(
        callingAt(30, searchFor("tides")),
        callingAt(50, searchFor("boats")),
        sayingAt(20, "length"),
      );
      const answer = await askHosted(service, surface, limited(100));
      assertEquals(answer.status, 200);
      const text = await answer.text();
      const limits = model.requests.map(({ text }) => JSON.parse(text).max_completion_tokens);
      assertEquals(limits, [100, 70, 20]);
      // A server that knows the older name only obeys that one.
      assertEquals(model.requests.map(({ text }) => JSON.parse(text).max_tokens), limits);
      assert(text.includes(surface === "chat" ? '"length"' : '"max_output_tokens"'), text);
      assertEquals((await service.lastRequest()).outputTokens, 100);
      await service.assertBooks();
    });
  }

  Deno.test(`${surface}: a limit that is used up ends the answer before another search`, async () => {
    await using lab = await hostedLab();
    const { service, model, search } = lab;
    model.answer(callingAt(40, searchFor("tides")), callingAt(60, searchFor("boats")));
    const answer = await askHosted(service, surface, { more: { [LIMIT_NAMES[surface]]: 100 } });
    if (surface === "chat") {
      const { choices } = await completionOf(answer);
      assertEquals(choices.map(({ finish_reason: reason }) => reason), ["length"]);
      assertEquals(choices[0]?.message.tool_calls, undefined);
    } else {
      const { status, incomplete_details, output } = await responseOf(answer);
      assertEquals([status, incomplete_details?.reason], ["incomplete", "max_output_tokens"]);
      assertEquals(output.map(({ type }) => type), ["web_search_call"]);
    }
    assertEquals([model.requests.length, search.requests.length], [2, 1]);
    await service.assertBooks();
  });

  Deno.test(`${surface}: calls of the caller's are complete, for any use of the limit`, async () => {
    await using lab = await hostedLab();
    const { service, model } = lab;
    model.answer(callingAt(100, { name: "own", input: {} }));
    const more = { [LIMIT_NAMES[surface]]: 100, tools: [{ type: "web_search" }, OWN[surface]] };
    const answer = await askHosted(service, surface, { more });
    if (surface === "chat") {
      const { choices } = await completionOf(answer);
      assertEquals(choices[0]?.finish_reason, "tool_calls");
    } else {
      const { output, status } = await responseOf(answer);
      assertEquals([status, output.map(({ type }) => type)], ["completed", ["function_call"]]);
    }
  });
}

Deno.test("chat: of two limits both are lowered, and the smaller ends the answer", async () => {
  await using lab = await hostedLab();
  const { service, model } = lab;
  model.answer(callingAt(30, searchFor("tides")), callingAt(20, searchFor("boats")));
  const more = { max_tokens: 50, max_completion_tokens: 80 };
  const { choices } = await completionOf(await askHosted(service, "chat", { more }));
  assertEquals(choices[0]?.finish_reason, "length");
  const limits = model.requests.map(({ text }) => JSON.parse(text))
    .map((body) => [body.max_tokens, body.max_completion_tokens]);
  assertEquals(limits, [[50, 80], [20, 50]]);
});
