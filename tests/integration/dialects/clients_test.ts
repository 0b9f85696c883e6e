/**
 * Independent clients without changes, for a request that is split: none is configured for it, and
 * each reads only the answer.
 *
 * @module
 */

import { assertEquals } from "@std/assert";
import { streamText } from "ai";
import { CLIENTS } from "../../conformance/vercel_lab.ts";
import { COMPARISON, orchestrationLab } from "../../fixtures/orchestrated.ts";
import { BOOTSTRAP_KEY } from "../../fixtures/service.ts";

const messages = [{ role: "user" as const, content: COMPARISON }];

for (const include_usage of [false, true]) {
  const how = include_usage ? "with usage" : "without usage";
  Deno.test(`openai's client: the textbook loop reads a split stream, ${how}`, async () => {
    await using lab = await orchestrationLab();
    const stream = await lab.service.client().chat.completions.create({
      model: "auto",
      messages,
      stream: true,
      ...(include_usage ? { stream_options: { include_usage } } : {}),
    });
    let text = "";
    const totals: unknown[] = [];
    for await (const chunk of stream) {
      // Without usage it takes the first choice of every chunk.
      const [choice] = chunk.choices;
      if (!include_usage) assertEquals(chunk.choices.length, 1);
      text += choice?.delta.content ?? "";
      if (chunk.usage) totals.push(chunk.usage.total_tokens);
    }
    assertEquals(text, "The answer.");
    assertEquals(totals, [120]);
    await lab.service.assertBooks();
  });
}

for (const client of CLIENTS) {
  Deno.test(`${client.name}: streamText() reads a split stream`, async () => {
    await using lab = await orchestrationLab();
    const access = { baseURL: lab.service.openaiUrl, apiKey: BOOTSTRAP_KEY };
    const { textStream, finishReason } = streamText({
      model: client.model(access),
      messages,
      maxRetries: 0,
      ...(client.options === undefined ? {} : { providerOptions: client.options }),
    });
    assertEquals((await Array.fromAsync(textStream)).join(""), "The answer.");
    assertEquals(await finishReason, "stop");
    await lab.service.assertBooks();
  });
}
