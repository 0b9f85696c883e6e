/**
 * `svc bridge anthropic` as an operator starts it, with the permissions of the task, between
 * Anthropic's client and the real service.
 *
 * @module
 */

import Anthropic from "@anthropic-ai/sdk";
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { platformEnv } from "../fixtures/child_env.ts";
import { BOOTSTRAP_KEY, TestService } from "../fixtures/service.ts";
import { flagsOfTask } from "../fixtures/task_flags.ts";

const MAIN = fromFileUrl(import.meta.resolve("../../gateway/main.ts"));
const FLAGS = await flagsOfTask("svc");
const TOKEN = "token-of-the-bridge-0123";

/** Starts the command. */
function bridge(args: readonly string[], env: Readonly<Record<string, string>>): Deno.ChildProcess {
  return new Deno.Command(Deno.execPath(), {
    args: ["run", "--quiet", "--cached-only", ...FLAGS, MAIN, "bridge", "anthropic", ...args],
    env: { ...platformEnv(), ...env },
    clearEnv: true,
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
}

Deno.test("it serves Anthropic's client until it is interrupted, and exits with 130", async () => {
  await using service = await TestService.start();
  const { publicUrl } = service.running;
  const child = bridge(["--port", "0", "--json", "--url", publicUrl], {
    SERVICE_API_KEY: BOOTSTRAP_KEY,
    SERVICE_BRIDGE_TOKEN: TOKEN,
  });
  const complaints = new Response(child.stderr).text();
  const output = child.stdout.pipeThrough(new TextDecoderStream());
  let text = "";
  for await (const piece of output.values({ preventCancel: true })) {
    text += piece;
    if (text.endsWith("}\n")) break;
  }
  const client = new Anthropic({
    authToken: TOKEN,
    apiKey: null,
    baseURL: JSON.parse(text || "{}").url,
    maxRetries: 0,
  });
  const ask = {
    ...{ model: "claude-opus-5-5", max_tokens: 100 },
    messages: [{ role: "user" as const, content: "Say hello" }],
  };
  const message = await client.messages.stream(ask).finalMessage();
  assertStringIncludes(JSON.stringify(message.content), "Say hello");
  const { input_tokens } = await client.messages.countTokens(ask);
  assert(input_tokens > 0);
  child.kill("SIGINT");
  assertEquals((await child.status).code, 130);
  assertEquals(await complaints, "");
  await output.cancel();
  await service.assertBooks();
});

Deno.test("without a terminal and without a token it does not start", async () => {
  const child = bridge([], { SERVICE_API_KEY: BOOTSTRAP_KEY });
  const { code, stderr, stdout } = await child.output();
  assertEquals([code, stdout.length], [1, 0]);
  assertStringIncludes(new TextDecoder().decode(stderr), "set SERVICE_BRIDGE_TOKEN");
});
