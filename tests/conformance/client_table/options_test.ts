/**
 * The table of client options of section 4.1, as far as each can be seen from outside. Go's
 * `WithHTTPClient` is `fetch`, by which every test here looks on. Tools and their handlers are rules 2
 * and 5, workspaces and permissions rule 6.
 *
 * @module
 */

import { assert, assertEquals, assertMatch, assertRejects, assertThrows } from "@std/assert";
import {
  ConfigurationError,
  ServiceAPIError,
  ServiceClient,
  type ServiceClientOptions,
  ServiceTimeoutError,
} from "@svc/sdk";
import { BOOTSTRAP_KEY } from "../../fixtures/service.ts";
import { Stage, toolsIn } from "./stage.ts";
import { ROWS } from "./surfaces.ts";

const HELLO = { text: "Say hello" };

for (const row of ROWS) {
  Deno.test(`apiKey | ${row.name}: is sent as a bearer token, and alone`, async () => {
    await using at = await Stage.open();
    await row.create(at.client, HELLO);
    assertEquals(at.last.headers.get("authorization"), `Bearer ${BOOTSTRAP_KEY}`);
    assert(!at.last.headers.has("x-api-key"));
  });

  Deno.test(`apiBaseUrl, openAIBaseUrl | ${row.name}: the one derives, the other overrides`, async () => {
    await using at = await Stage.open();
    const elsewhere = new ServiceClient({
      apiKey: BOOTSTRAP_KEY,
      apiBaseUrl: "http://127.0.0.1:1",
      openAIBaseUrl: `${at.service.openaiUrl}/`,
    });
    const { text } = await row.create(elsewhere, HELLO);
    assertMatch(text, /Say hello/);
    await row.create(at.client, HELLO);
    assertEquals(at.last.url.pathname, row.path);
  });

  Deno.test(`headers | ${row.name}: are sent with each request, a key among them`, async () => {
    const headers = { "x-api-key": BOOTSTRAP_KEY, "x-orchestration": "off" };
    await using at = await Stage.open({ apiKey: undefined, headers });
    await row.create(at.client, HELLO);
    assertEquals(at.last.headers.get("x-orchestration"), "off");
    assert(!at.last.headers.has("authorization"));
  });

  Deno.test(`auto | ${row.name}: is sent as X-Auto, a call's own in place of the client's`, async () => {
    await using at = await Stage.open({ auto: { verify: true } });
    const header = () => at.last.headers.get("x-auto");
    await row.create(at.client, HELLO);
    assertEquals(header(), "verify");
    await row.stream(at.client, HELLO).final();
    assertEquals(header(), "verify");
    await row.run(at.client, HELLO);
    assertEquals(header(), "verify");
    await row.create(at.client, HELLO, { auto: {} });
    assertEquals(header(), null);
    await row.create(at.client, HELLO, { auto: { quality: "best" } });
    assertEquals(header(), "quality=best");
  });

  Deno.test(`timeoutMs | ${row.name}: covers a whole answer, and the life of a stream`, async () => {
    await using at = await Stage.open({ timeoutMs: 300 });
    const slow = { text: 'Hi [[sim {"delayMs": 2000}]]' };
    const dripping = { text: 'Hi [[sim {"repeat": 1000, "chunkDelayMs": 50}]]' };
    await assertRejects(() => row.create(at.client, slow), ServiceTimeoutError, "300 ms");
    const stream = row.stream(at.client, dripping);
    await assertRejects(() => Array.fromAsync(stream), ServiceTimeoutError);
    await assertRejects(() => stream.final(), ServiceTimeoutError);
    const { text } = await row.create(at.client, HELLO, { timeoutMs: 0 });
    assertMatch(text, /Say hello/);
    await at.service.assertBooks();
  });

  Deno.test(`maxRetries | ${row.name}: 429, 5xx and broken transport are tried again`, async () => {
    const refused = (status: number) => () =>
      Promise.resolve(Response.json({}, { status, headers: { "retry-after": "0" } }));
    const broken = () => Promise.reject(new TypeError("broken"));
    const before = [broken, refused(429), refused(503)];
    const again: typeof fetch = (input, init) => before.shift()?.() ?? fetch(input, init);
    await using at = await Stage.open({ maxRetries: 3, fetch: again });
    const { text } = await row.create(at.client, HELLO);
    assertMatch(text, /Say hello/);
    assertEquals(at.sent.length, 4);
    before.push(refused(500));
    assertMatch((await row.stream(at.client, HELLO).final()).text, /Say hello/);
    before.push(refused(429), refused(429), refused(429), refused(429));
    await assertRejects(() => row.create(at.client, HELLO), ServiceAPIError);
    assertEquals([at.sent.length, before.length], [10, 0]);
  });

  Deno.test(`maxRetries | ${row.name}: by default nothing is tried again`, async () => {
    await using at = await Stage.open();
    const failing = { text: 'Hi [[sim {"error": 503}]]' };
    await assertRejects(() => row.create(at.client, failing));
    await assertRejects(() => row.stream(at.client, failing).final());
    assertEquals(at.sent.length, 2);
  });

  Deno.test(`defaultLocalTools | ${row.name}: off, no tool is declared`, async () => {
    await using at = await Stage.open({ defaultLocalTools: false });
    await row.run(at.client, HELLO);
    assertEquals(toolsIn(at.last), undefined);
  });

  Deno.test(`defaultBuiltinTools | ${row.name}: on, hosted search is declared too`, async () => {
    await using at = await Stage.open({ defaultBuiltinTools: true });
    await row.run(at.client, HELLO);
    assertEquals(toolsIn(at.last)?.slice(-2), ["shell", "web_search_preview"]);
  });

  Deno.test(`withoutDefaultTools | ${row.name}: leaves out defaults, never what is registered`, async () => {
    const options: ServiceClientOptions = {
      defaultBuiltinTools: true,
      withoutDefaultTools: ["shell", "file_write", "calculator", "web_search_preview"],
    };
    await using at = await Stage.open(options);
    await row.run(at.client, HELLO);
    assertEquals(toolsIn(at.last), ["datetime", "file_read", "list_dir", "file_search"]);
    const shell = { name: "shell", parameters: { type: "object" }, execute: () => "mine" };
    await using other = await Stage.open({ ...options, tools: [shell] });
    await row.run(other.client, HELLO);
    assertEquals(toolsIn(other.last), ["shell"]);
  });

  Deno.test(`anthropicBaseUrl, anthropicVersion | ${row.name}: do nothing`, async () => {
    const anthropic = { anthropicBaseUrl: "http://127.0.0.1:1", anthropicVersion: "2023-06-01" };
    await using at = await Stage.open(anthropic);
    await row.create(at.client, HELLO);
    assertEquals(at.last.url.pathname, row.path);
    assertEquals([...at.last.headers.keys()].filter((name) => name.includes("anthropic")), []);
  });
}

Deno.test("an unknown option is an error", () => {
  const misspelt = JSON.parse('{"apiKey": "k", "maxRetrys": 2}');
  assertThrows(() => new ServiceClient(misspelt), ConfigurationError, "maxRetrys");
});
