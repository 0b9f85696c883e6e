/**
 * Prints the CPU time that one chunk of a streamed chat answer takes in both client libraries, side
 * by side, without a network: the same answer of a thousand chunks, read to its end. Without Go, the
 * TypeScript library alone.
 *
 * @module
 */

import { ServiceClient } from "@svc/sdk";
import process from "node:process";
import { median } from "./load.ts";

/** Number of chunks of the answer; sdk/go/bench_test.go has the same. */
const CHUNKS = 1_000;
const ROUNDS = 7;
const ANSWERS_PER_ROUND = 100;

const EVENTS = "text/event-stream";
const body = new TextEncoder().encode(answer());

const client = new ServiceClient({
  apiKey: "key",
  defaultLocalTools: false,
  fetch: () => Promise.resolve(new Response(body, { headers: { "content-type": EVENTS } })),
});

/** Returns the events of an answer of that many words. */
function answer(): string {
  const words = Array.from({ length: CHUNKS }, (_, at) => ({
    id: "chatcmpl-1",
    object: "chat.completion.chunk",
    created: 1_700_000_000,
    model: "fast-mini",
    system_fingerprint: "fp_1",
    choices: [{ index: 0, delta: { content: ` word${at}` }, logprobs: null, finish_reason: null }],
    usage: null,
  }));
  const end = { id: "c1", choices: [{ index: 0, delta: {}, finish_reason: "stop" }] };
  const events = [...words, end].map((event) => JSON.stringify(event));
  return [...events, "[DONE]"].map((data) => `data: ${data}\n\n`).join("");
}

/** Reads answers to their end, and returns the CPU time of one chunk in microseconds. */
async function roundMicros(answers: number): Promise<number> {
  const before = process.cpuUsage();
  for (let at = 0; at < answers; at++) {
    const messages = [{ role: "user", content: "Hi" }];
    const { choices } = await client.chat.completions.stream({ messages });
    if (!choices[0]?.message.content?.endsWith(`word${CHUNKS - 1}`)) {
      throw new Error("Cannot measure an answer that is not whole");
    }
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / answers / CHUNKS;
}

/** Returns the CPU time of one chunk in Go in microseconds; `undefined` without Go. */
async function goMicros(): Promise<number | undefined> {
  const args = ["test", "-run", "^$", "-bench", "ChunkOfAStream", "-benchtime", "700x", "."];
  try {
    const command = new Deno.Command("go", { args, cwd: "sdk/go", stderr: "inherit" });
    const { stdout, success } = await command.output();
    const text = new TextDecoder().decode(stdout);
    const [, micros] = /([\d.]+) cpu-µs\/chunk/.exec(text) ?? [];
    if (!success || micros === undefined) throw new Error(`Cannot measure in Go: ${text}`);
    return Number(micros);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

if (import.meta.main) {
  await roundMicros(ANSWERS_PER_ROUND);
  const rounds: number[] = [];
  for (let round = 0; round < ROUNDS; round++) rounds.push(await roundMicros(ANSWERS_PER_ROUND));
  const inGo = await goMicros();
  console.log("CPU time of one chunk of a streamed chat answer");
  console.log(`TypeScript  ${median(rounds).toFixed(1)} µs`);
  console.log(
    inGo === undefined ? "Go          not installed" : `Go          ${inGo.toFixed(1)} µs`,
  );
}
