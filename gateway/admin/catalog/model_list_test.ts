import { assert, assertEquals, assertMatch, assertNotMatch } from "@std/assert";
import type { UpstreamConfig } from "../../domain/catalog/catalog.ts";
import { createUpstream } from "../../upstreams/factory.ts";
import { CONTENT } from "../admin_test_support.ts";
import { askForModels, type ModelList } from "./model_list.ts";

const KEY = "planted-key-12345";
const clock = { nowMs: () => Date.now(), monotonicMs: () => performance.now() };

/** Returns the list that is read from an upstream's answer. */
async function listOf(
  answer: (authorization: string) => Response | Promise<Response>,
  config: Partial<UpstreamConfig> = {},
): Promise<ModelList> {
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    ({ headers }) => answer(headers.get("authorization") ?? ""),
  );
  const [lab] = CONTENT.upstreams;
  assert(lab !== undefined);
  const baseUrl = `http://127.0.0.1:${server.addr.port}/v1`;
  const env = (name: string) => name === "LAB_KEY" ? KEY : undefined;
  try {
    return await askForModels({ ...lab, baseUrl, apiKey: KEY, ...config }, {
      env,
      timeoutMs: 10_000,
      connect: (config) => createUpstream(config, { clock, env }),
    });
  } finally {
    await server.shutdown();
  }
}

Deno.test("any answer that is not a list gives a reason in a sentence without the key", async () => {
  const html = { headers: { "content-type": "text/html" } };
  const answers: [RegExp, (key: string) => Response][] = [
    [/failed: .*: The answer is no list of models$/, () => new Response("<h1>Sign in</h1>", html)],
    [/failed: .*: The answer has status 500$/, (key) => new Response(key, { status: 500 })],
    [/refused: .*: The answer has status 401$/, (key) => Response.json({ key }, { status: 401 })],
    [/unlisted: .*: The answer has status 404$/, () => new Response(null, { status: 404 })],
    [/failed: .*: The answer has status 302$/, () => Response.redirect("http://127.0.0.1:1/")],
    [/failed: .*: The answer is no list of models$/, (key) => Response.json({ data: key })],
  ];
  for (const [expected, answer] of answers) {
    const list = await listOf(answer);
    assert(list.status !== "listed");
    const text = `${list.status}: ${list.reason}`;
    assertMatch(text, expected);
    assertMatch(text, /Cannot list the models of upstream "lab"/);
    assertNotMatch(text, /planted/);
  }
});

Deno.test("a host that refuses the connection is reported as unreachable", async () => {
  // No program is assigned this port; a free one could be taken by another test before it is dialled.
  const refused = await listOf(() => new Response(), { baseUrl: "http://127.0.0.1:2/v1" });
  assert(refused.status === "failed");
  assertMatch(refused.reason, /Connection refused/i);
});

Deno.test("an upstream without an answer is abandoned, with a message that states the limit", async () => {
  const [lab] = CONTENT.upstreams;
  assert(lab !== undefined);
  let closed = 0;
  const models = (signal: AbortSignal) =>
    new Promise<never>((_, reject) => {
      signal.addEventListener("abort", () => reject(new Error("called off")));
    });
  const connect = () => ({ models, close: () => void closed++ });
  const list = await askForModels(lab, { connect, env: () => undefined, timeoutMs: 20 });
  assert(list.status === "timeout");
  assertEquals(list.reason, 'Upstream "lab" did not answer within 0.02 s');
  assertEquals(closed, 1);
});

Deno.test("names that an upstream lists hold no key, and are no longer than a name", async () => {
  const data = (
    key: string,
  ) => [{ id: key }, { id: "" }, { id: 3 }, { id: "mini" }, { id: "x".repeat(5_000) }];
  const expected = ["Bearer [redacted]", "mini", "x".repeat(256)];
  const byVariable = { apiKey: undefined, apiKeyEnv: "LAB_KEY" };
  for (const config of [{}, byVariable]) {
    const list = await listOf((key) => Response.json({ data: data(key) }), config);
    assert(list.status === "listed");
    assertEquals(list.models, expected);
  }
});
