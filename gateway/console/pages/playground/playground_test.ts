import { keyRecords } from "../../../flows/keys/key_records_fixture.ts";
import { assert, assertEquals, assertNotMatch, assertStringIncludes } from "@std/assert";
import type { TestAdmin } from "../../../admin/admin_test_support.ts";
import { ORIGIN, withConsole } from "../../console_test_support.ts";
import { callOf } from "./call.ts";
import { KEY_PLACEHOLDER, snippets } from "./snippets.ts";

const HOSTILE = `<script>alert(1)</script>'"\u202e`;

const ANSWER = {
  choices: [{ message: { content: HOSTILE } }],
  metadata: {
    routing: { model: "fast-mini", provider: "lab", tier: "basic", reason: HOSTILE, attempts: [] },
    billing: { charged: "0.412000", input_tokens: 12, output_tokens: 30, estimated: false },
  },
};

const FORM = { kind: "chat", wallet: "team", prompt: "Say hello", do: "send" };

/** A public listener that answers this. */
function answering(body: unknown, status = 200) {
  const sent: Request[] = [];
  const callPublic = (request: Request) => {
    sent.push(request);
    return Promise.resolve(Response.json(body, { status }));
  };
  return { sent, callPublic };
}

async function secretOf(request: Request | undefined): Promise<string> {
  assert(request !== undefined);
  await request.body?.cancel();
  return request.headers.get("authorization")?.slice("Bearer ".length) ?? "";
}

Deno.test("without a script a call brings the whole answer, as text, with route and bill", async () => {
  const { sent, callPublic } = answering(ANSWER);
  await withConsole(async (browser) => {
    await browser.signIn();
    const page = await browser.post("/playground", FORM);
    assertEquals(page.status, 200);
    for (const part of ["0.412000", "fast-mini", "&lt;script&gt;", "/console/requests/req_"]) {
      assertStringIncludes(page.text, part);
    }
    assertNotMatch(page.text, /<script>/);
    assertEquals(page.text.includes(await secretOf(sent[0])), false, "the key stays here");
  }, { callPublic });
});

Deno.test("an error says what it is and what to do", async () => {
  const error = { code: "insufficient_balance", message: HOSTILE };
  const { callPublic } = answering({ error }, 402);
  await withConsole(async (browser) => {
    await browser.signIn();
    const page = await browser.post("/playground", FORM);
    assertStringIncludes(page.text, "Add credits on the wallet");
    assertStringIncludes(page.text, "&lt;script&gt;");
    const nobody = await browser.post("/playground", { ...FORM, wallet: "nobody" });
    assertStringIncludes(nobody.text, "There is no wallet &quot;nobody&quot;");
    const empty = await browser.post("/playground", { ...FORM, prompt: "  " });
    assertEquals(empty.status, 422);
    assertStringIncludes(empty.text, "Enter a message");
  }, { callPublic });
});

Deno.test("the feed relays the gateway's stream to a signed-in operator", async () => {
  const sent: Request[] = [];
  const callPublic = (request: Request) => {
    sent.push(request);
    const headers = { "content-type": "text/event-stream" };
    return Promise.resolve(new Response("data: [DONE]\n\n", { headers }));
  };
  await withConsole(async (browser, admin) => {
    const feed = (origin: string) => browser.post("/feeds/playground", FORM, { origin });
    assertEquals((await browser.post("/feeds/playground", FORM, { accept: "*/*" })).status, 401);
    await browser.signIn();
    assertEquals((await feed("https://page.example")).status, 403);
    assertEquals([sent.length, await keysOf(admin)], [0, []]);
    const answer = await feed(ORIGIN);
    assertEquals([answer.status, answer.text], [200, "data: [DONE]\n\n"]);
    assertEquals(answer.headers.get("content-type"), "text/event-stream");
    assertEquals((await sent[0]?.json()).stream, true);
    assertEquals(sent[0]?.headers.get("x-request-id"), answer.headers.get("x-request-id"));
  }, { callPublic });
});

async function keysOf({ deps }: TestAdmin): Promise<string[]> {
  return (await keyRecords(deps.keys)).map(({ status }) => status);
}

Deno.test("a script receives as JSON the message that a page shows in words", async () => {
  await withConsole(async (browser, { lines }) => {
    await browser.signIn();
    const ask = async (fields: Record<string, string>) => {
      const headers = { accept: "text/event-stream" };
      const { status, text } = await browser.post("/feeds/playground", fields, headers);
      return [status, JSON.parse(text).error.code];
    };
    assertEquals(await ask({ ...FORM, prompt: "x".repeat(1024 * 1024) }), [413, "body_too_large"]);
    assertEquals(await ask({ ...FORM, wallet: "nobody" }), [400, "invalid_request"]);
    assertEquals(lines, []);
    assertEquals(await ask(FORM), [500, "internal"]);
    assertEquals(lines.length > 0, true);
  }, {
    callPublic: () => Promise.reject(new Error("planted")),
  });
});

Deno.test("signing out revokes the keys that the playground made", async () => {
  const { callPublic } = answering(ANSWER);
  await withConsole(async (browser, admin) => {
    await browser.signIn();
    await browser.post("/playground", FORM);
    assertEquals(await keysOf(admin), ["active"]);
    await browser.post("/sign-out");
    assertEquals(await keysOf(admin), ["revoked"]);
  }, { callPublic });
});

Deno.test("code is shown without a call, with a placeholder for the key", async () => {
  const { sent, callPublic } = answering(ANSWER);
  await withConsole(async (browser, admin) => {
    await browser.signIn();
    const page = await browser.post("/playground", { ...FORM, prompt: HOSTILE, do: "code" });
    assertEquals([sent.length, await keysOf(admin)], [0, []]);
    assertStringIncludes(page.text, KEY_PLACEHOLDER);
    assertStringIncludes(page.text, "http://gateway.test:8787/openai/v1/chat/completions");
    assertNotMatch(page.text, /<script>/);
  }, { callPublic });
});

Deno.test("the input is a literal in each language and cannot escape it", () => {
  const prompt = `it's "$(id)" \`id\` \\ ${"${1}"}\nsecond line\u2028`;
  const fields = new URLSearchParams({
    kind: "chat",
    wallet: "team",
    prompt,
    orchestration: "off",
  });
  const call = callOf(fields, { stream: false });
  assert(!("problem" in call));
  const code = snippets(call, "http://127.0.0.1:8787");
  // Single quotes end nowhere but where a quote was meant.
  assertStringIncludes(code.curl, `it'\\''s`);
  assertStringIncludes(code.curl, "'X-Orchestration: off'");
  assertStringIncludes(code.openai, JSON.stringify(prompt));
  assertStringIncludes(code.python, JSON.stringify(prompt));
  assertStringIncludes(code.python, 'extra_headers={"X-Orchestration": "off"}');
  assertEquals(code.sdk.includes('"model"'), false, "the SDK says it itself");
});

Deno.test("each kind is sent as its endpoint takes it; an image is never streamed", () => {
  const common = { wallet: "team", prompt: "A fox", system: "Be brief", maxTokens: "50" };
  const body = (kind: string) => {
    const call = callOf(new URLSearchParams({ ...common, kind, size: "256x256" }), {
      stream: true,
    });
    assert(!("problem" in call));
    return call.body;
  };
  assertEquals(body("chat"), {
    model: "auto",
    messages: [{ role: "system", content: "Be brief" }, { role: "user", content: "A fox" }],
    max_completion_tokens: 50,
    stream: true,
  });
  assertEquals(body("responses"), {
    model: "auto",
    instructions: "Be brief",
    input: "A fox",
    max_output_tokens: 50,
    store: false,
    stream: true,
  });
  assertEquals(body("images"), {
    model: "auto",
    prompt: "A fox",
    size: "256x256",
    response_format: "b64_json",
  });
  const odd = new URLSearchParams({ ...common, maxTokens: "1e9" });
  assertEquals(callOf(odd, { stream: true }), { problem: "badTokens" });
});
