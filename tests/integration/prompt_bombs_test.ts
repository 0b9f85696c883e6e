/**
 * Requests that are made to be slow end, one way or the other, and the service goes on. How long each
 * keeps others waiting is measured by `deno task bench --only=attacks`.
 *
 * @module
 */

import { assertEquals } from "@std/assert";
import { type Bomb, BOMBS } from "../fixtures/bombs.ts";
import { FakeUpstream, json } from "../fixtures/fake_upstream.ts";
import { labConfig, QUESTION } from "../fixtures/lab.ts";
import { BOOTSTRAP_KEY, TestService } from "../fixtures/service.ts";
import { ANTHROPIC } from "../fixtures/upstreams/anthropic.ts";
import { GOOGLE } from "../fixtures/upstreams/google.ts";

/** Longest wait for an answer, in milliseconds: what hangs fails by it, and nothing else. */
const PATIENCE_MS = 60_000;

async function drop(service: TestService, bombs: readonly Bomb[]): Promise<void> {
  const problems: string[] = [];
  for (const { name, path, type = "application/json", body } of bombs) {
    const response = await fetch(`${service.openaiUrl}/${path}`, {
      method: "POST",
      headers: { "x-api-key": BOOTSTRAP_KEY, "content-type": type },
      body: new TextEncoder().encode(body()),
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    const text = await response.text();
    if (response.status >= 500) problems.push(`${name}: ${text.slice(0, 300)}`);
  }
  assertEquals(problems, []);
  assertEquals(service.logs.filter(({ level }) => level === "error"), []);
  const good = await service.chat({ messages: QUESTION });
  assertEquals(good.status, 200, await good.text());
  await service.assertBooks();
}

for (const [aim, bombs] of Object.entries(BOMBS)) {
  Deno.test(`bombs in ${aim} end, and the service continues`, async () => {
    await using service = await TestService.start();
    await drop(service, bombs);
  });
}

for (const [kind, wire] of [["anthropic", ANTHROPIC], ["google", GOOGLE]] as const) {
  Deno.test(`schemas that have no end are carried to ${kind} or refused`, async () => {
    await using fake = new FakeUpstream();
    fake.otherwise(json(wire.text.json));
    const config = labConfig({ id: "native", baseUrl: fake.baseUrl, upstream: { kind } });
    await using service = await TestService.start({ config });
    await drop(service, [...BOMBS.schemas, ...BOMBS.chats]);
  });
}
