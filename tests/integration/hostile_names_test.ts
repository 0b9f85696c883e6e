/**
 * Ill-formed, enormous and ill-typed values in every place that takes an id or a name: a clear
 * refusal or an answer, never an internal error, at every kind of upstream.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import { FAULT_MAX_CHARS } from "../../gateway/domain/fault.ts";
import { FakeUpstream, json } from "../fixtures/fake_upstream.ts";
import { completion, labConfig } from "../fixtures/lab.ts";
import { exchange } from "../fixtures/raw_http.ts";
import { ADMIN_TOKEN, BOOTSTRAP_KEY, TestService } from "../fixtures/service.ts";
import { ANTHROPIC } from "../fixtures/upstreams/anthropic.ts";
import { GOOGLE } from "../fixtures/upstreams/google.ts";

/** JSON texts. */
const HOSTILE: Readonly<Record<string, string>> = {
  "a lone surrogate": '"\\ud800"',
  "half a pair inside": '"a\\udc00b"',
  "NUL": '"a\\u0000b"',
  "a change of direction": '"\\u202eabc\\u2066"',
  "no character": '"\\uffff\\ufdd0"',
  "line breaks": '"a\\r\\nX-Injected: 1\\r\\n\\r\\n"',
  "nothing": '""',
  "a path that climbs": '"../../etc/passwd"',
  "a prototype": '"__proto__"',
  "a constructor": '"constructor"',
  "1 MB": `"${"x".repeat(1_000_000)}"`,
  "1 MB of halves": `"${"\\udfff".repeat(160_000)}"`,
  "an object that is no text": '{"toString":1,"valueOf":1,"length":-1}',
  "an array": "[[[]]]",
  "a number": "-1e308",
  "null": "null",
  "true": "true",
};

/** Bodies in which `§` is every place that takes an id or a name. */
const CHAT: readonly string[] = [
  '{"model":§,"messages":[{"role":"user","content":"Hi"}]}',
  ...[
    '"messages":[{"role":§,"content":"Hi"}]',
    '"messages":[{"role":"user","content":"Hi","name":§}]',
    '"messages":[{"role":"user","content":§}]',
    '"messages":[{"role":"user","content":[{"type":§,"text":"Hi"}]}]',
    '"messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":§}}]}]',
    '"messages":[{"role":"user","content":[{"type":"file","file":{"file_id":§,"filename":§}}]}]',
    '"messages":[{"role":"user","content":"a"},{"role":"tool","tool_call_id":§,"content":"b"}]',
    '"messages":[{"role":"user","content":"a"},{"role":"assistant","tool_calls":[{"id":§,"type":' +
    '"function","function":{"name":"f","arguments":"{}"}}]},{"role":"tool","tool_call_id":§,' +
    '"content":"b"}]',
    '"messages":[{"role":"user","content":"a"},{"role":"assistant","tool_calls":[{"id":"c","type":' +
    '"function","function":{"name":§,"arguments":§}}]},{"role":"tool","tool_call_id":"c","content":§}]',
    ...[
      '"tools":[{"type":"function","function":{"name":§,"description":§}}]',
      '"tools":[{"type":§}]',
      '"tools":[{"type":"file_search","vector_store_ids":[§]}]',
      '"tools":[{"type":"function","function":{"name":"f","parameters":{"type":"object","properties":' +
      '{"a":{"enum":[§]}},"required":[§]}}}],"tool_choice":"required"',
      '"tools":[{"type":"function","function":{"name":"f"}}],"tool_choice":{"type":"function",' +
      '"function":{"name":§}}',
      '"tool_choice":§',
      '"functions":[{"name":§}],"function_call":§',
      '"response_format":{"type":§}',
      '"response_format":{"type":"json_schema","json_schema":{"name":§,"schema":{"const":§}}}',
      '"response_format":{"type":"json_schema","json_schema":{"name":"a","schema":{"$ref":§}}}',
      '"stop":[§]',
      '"user":§,"safety_identifier":§,"prompt_cache_key":§,"service_tier":§',
      '"metadata":{"a":§},"store":§',
      '"modalities":[§],"audio":{"voice":§,"format":§}',
      '"reasoning_effort":§,"verbosity":§',
      '"logit_bias":§,"seed":§,"prediction":§,"stream_options":§,"n":§,"web_search_options":§',
    ].map((field) => `"messages":[{"role":"user","content":"Hi"}],${field}`),
  ].map((fields) => `{"model":"auto",${fields}}`),
];

const RESPONSES: readonly string[] = [
  ...[
    '"input":§',
    '"input":[{"role":§,"content":"Hi"}]',
    '"input":[{"role":"user","content":§}]',
    '"input":[{"type":§,"id":§}]',
    '"input":[{"type":"item_reference","id":§}]',
    '"input":[{"type":"message","id":§,"role":"user","status":§,"content":[{"type":§,"text":§}]}]',
    '"input":[{"role":"user","content":[{"type":"input_image","image_url":§,"detail":§}]}]',
    '"input":[{"role":"user","content":[{"type":"input_file","file_data":§,"filename":§}]}]',
    '"input":[{"type":"function_call","call_id":§,"name":"f","arguments":"{}"},' +
    '{"type":"function_call_output","call_id":§,"output":"b"}]',
    '"input":[{"type":"function_call","call_id":"c","id":§,"name":§,"arguments":§},' +
    '{"type":"function_call_output","call_id":"c","output":§}]',
    '"input":[{"type":"custom_tool_call","call_id":§,"name":§,"input":§}]',
    '"input":[{"type":"web_search_call","id":§,"status":§,"action":§}]',
    '"input":[{"type":"reasoning","id":§,"summary":§,"encrypted_content":§}]',
    ...[
      '"previous_response_id":§',
      '"conversation":§,"prompt":§,"background":§',
      '"metadata":{"a":§}',
      '"metadata":§',
      '"include":[§]',
      '"instructions":§',
      '"user":§,"safety_identifier":§,"prompt_cache_key":§',
      '"tools":[{"type":"function","name":§,"description":§,"parameters":§}]',
      '"tools":[{"type":"custom","name":§,"format":§}]',
      '"tools":[{"type":"file_search","vector_store_ids":[§],"filters":{"type":"eq","key":§,"value":§}}]',
      '"tools":[{"type":"web_search","filters":{"allowed_domains":[§]},"user_location":§}]',
      '"tools":[{"type":"function","name":"f"}],"tool_choice":{"type":§,"name":§}',
      '"text":{"format":{"type":"json_schema","name":§,"schema":{"const":1}}}',
      '"reasoning":{"effort":§}',
      '"truncation":§,"service_tier":§,"store":§',
    ].map((field) => `"input":"Hi",${field}`),
  ].map((fields) => `{"model":"auto",${fields}}`),
];

const IMAGES: readonly string[] = ["prompt", "user", "size", "quality", "response_format", "style"]
  .map((name) => `{"model":"auto",${name === "prompt" ? "" : '"prompt":"a",'}"${name}":§}`);

const EDITS: readonly string[] = ['"image":§', '"image":[§]', '"image":"a","mask":§']
  .map((fields) => `{"model":"auto","prompt":"a",${fields}}`);

/** The path of votes, from that of the model endpoints. */
const FEEDBACK = "../../api/v1/feedback";

const CALLS: readonly (readonly [string, readonly string[]])[] = [
  ["chat/completions", CHAT],
  ["responses", RESPONSES],
  ["images/generations", IMAGES],
  ["images/edits", EDITS],
];

/** Votes, on a request that there is. */
const VOTES: readonly string[] = [
  '{"request_id":§,"score":1}',
  '{"request_id":"a","score":§}',
  '{"request_id":"a","score":1,"comment":§}',
  '{"request_id":"a","score":1,"source":§}',
];

/** Requests of the operator's API. */
const ADMIN: readonly (readonly [string, string, string])[] = [
  ["POST", "wallets", '{"id":§}'],
  ["POST", "wallets", '{"id":"w","tier":§}'],
  ["POST", "wallets/default/credit", '{"credits":"1","note":§,"opId":§}'],
  ["POST", "wallets/default/credit", '{"credits":§}'],
  ["POST", "keys", '{"name":§,"wallet":"default"}'],
  ["POST", "keys", '{"name":"a","wallet":§}'],
  ["POST", "keys", '{"name":"a","wallet":"default","policy":{"models":[§]}}'],
  ["POST", "keys", '{"name":"a","wallet":"default","policy":{"ipRanges":[§],"expiresAt":§}}'],
  ["POST", "vector-stores", '{"name":§,"wallet":"default"}'],
  ["POST", "vector-stores", '{"name":"a","wallet":§}'],
  ["POST", "catalog", '{"upstreams":[{"id":§,"kind":§}],"models":§,"tiers":§}'],
];

/** Returns the problem of an answer; nothing where it is correct. */
async function problemOf(
  url: string,
  init: { method: string; body: string; headers: Record<string, string> },
): Promise<string | undefined> {
  const headers = { "content-type": "application/json", ...init.headers };
  const response = await fetch(url, { ...init, headers });
  const text = await response.text();
  if (response.status < 400) return undefined;
  const { error } = JSON.parse(text);
  // A catalog without a model for files is the operator's choice.
  if (response.status >= 500 && error.code !== "no_model_available") return text.slice(0, 300);
  // A refusal is for reading: it does not send a megabyte back.
  const chars = Math.max(error.message.length, (error.param ?? "").length);
  if (chars > FAULT_MAX_CHARS) return `A refusal of ${chars} characters`;
  return error.message.isWellFormed() ? undefined : "An ill-formed message";
}

async function attack(
  service: TestService,
  { calls = CALLS, values = HOSTILE } = {},
): Promise<void> {
  const problems: string[] = [];
  const headers = { "x-api-key": BOOTSTRAP_KEY };
  for (const [path, templates] of calls) {
    const url = `${service.openaiUrl}/${path}`;
    for (const template of templates) {
      // At once: the refusal of a long body waits up to a second, and computes nothing meanwhile.
      await Promise.all(
        Object.entries(values).map(async ([name, value]) => {
          const body = template.replaceAll("§", () => value);
          const problem = await problemOf(url, { method: "POST", body, headers });
          if (problem !== undefined) problems.push(`${path} ${template} with ${name}: ${problem}`);
        }),
      );
    }
  }
  assertEquals(problems, []);
  assertEquals(service.logs.filter(({ level }) => level === "error"), []);
  await service.assertBooks();
}

Deno.test("ids and names of every kind are refused or taken by the simulator", async () => {
  await using service = await TestService.start();
  await attack(service);
});

Deno.test("ids, comments and sources of every kind are refused or stored with a vote", async () => {
  await using service = await TestService.start();
  const headers = { "x-request-id": "a" };
  const chat = await service.chat({ messages: [{ role: "user", content: "Hi" }] }, { headers });
  await chat.body?.cancel();
  for (const template of VOTES) await attack(service, { calls: [[FEEDBACK, [template]]] });
  const { id } = await service.lastRequest();
  const { feedback } = await service.admin("GET", `/requests/${id}`);
  assert((feedback as unknown[]).length > 1);
});

/** Cases for upstreams with other wires: sizes are refused before any of them. */
const AT_UPSTREAMS = {
  calls: CALLS.slice(0, 2),
  values: Object.fromEntries(
    Object.entries(HOSTILE).filter(([, value]) => value.length < 1_000),
  ),
};

Deno.test("ids and names of every kind reach an OpenAI-compatible upstream or are refused", async () => {
  await using fake = new FakeUpstream();
  fake.otherwise(json(completion()));
  const config = labConfig({ id: "only", baseUrl: fake.baseUrl });
  await using service = await TestService.start({ config });
  await attack(service, AT_UPSTREAMS);
});

for (const [kind, wire] of [["anthropic", ANTHROPIC], ["google", GOOGLE]] as const) {
  Deno.test(`ids and names of every kind reach ${kind} or are refused`, async () => {
    await using fake = new FakeUpstream();
    fake.otherwise(json(wire.text.json));
    const config = labConfig({ id: "native", baseUrl: fake.baseUrl, upstream: { kind } });
    await using service = await TestService.start({ config });
    await attack(service, AT_UPSTREAMS);
  });
}

Deno.test("the operator's API takes no ill-formed id either", async () => {
  await using service = await TestService.start();
  const { adminUrl } = service.running;
  const headers = { authorization: `Bearer ${ADMIN_TOKEN}` };
  const problems: string[] = [];
  for (const [method, path, template] of ADMIN) {
    await Promise.all(
      Object.entries(HOSTILE).map(async ([name, value]) => {
        const body = template.replaceAll("§", () => value);
        const problem = await problemOf(`${adminUrl}/admin/v1/${path}`, { method, body, headers });
        if (problem !== undefined) problems.push(`${path} ${template} with ${name}: ${problem}`);
      }),
    );
  }
  assertEquals(problems, []);
  assertEquals(service.logs.filter(({ level }) => level === "error"), []);
  await service.assertBooks();
});

/** Parts of a path or query, as they go over the wire. */
const ENCODED: readonly string[] = [
  ...[
    "%00",
    "%ff",
    "%",
    "%zz",
    "%ed%a0%80",
    "%c0%af",
    "%2f..%2f",
    "..%2f..",
    "%e2%80%ae",
    "%F4%90",
  ],
  ...["a%0d%0aX-Injected:%201", "%f0%9f%98%80", "__proto__", "é", "x".repeat(7_000), "%25%32%66"],
];

Deno.test("paths and queries of every kind are refused or found to name nothing", async () => {
  await using service = await TestService.start();
  const { publicUrl, adminUrl } = service.running;
  const paths: [string, string][] = [
    ...["responses/§", "responses/§/input_items", "responses/a/input_items?after=§&limit=§&order=§"]
      .map((path): [string, string] => [publicUrl, `/openai/v1/${path}`]),
    ...["/files/§", "/files/a?expires=§&signature=§", "/api/v1/models?locale=§", "/§", "/api/v1/§"]
      .map((path): [string, string] => [publicUrl, path]),
    ...[
      ...[
        "keys/§",
        "wallets/§",
        "wallets/§/statement",
        "wallets/default/statement?cursor=§&limit=§",
      ],
      ...["requests?key=§", "requests?since=§", "requests?cursor=§", "requests?status=§&limit=§"],
      ...["requests/§", "vector-stores/§", "usage?by=§", "catalog/§", "§"],
    ].map((path): [string, string] => [adminUrl, `/admin/v1/${path}`]),
  ];
  for (const [url, template] of paths) {
    for (const value of ENCODED) {
      const path = template.replace(/§/g, () => value);
      const { statuses, text } = await exchange(
        url,
        `GET ${path} HTTP/1.1\r\nHost: localhost\r\nX-API-Key: ${BOOTSTRAP_KEY}\r\n` +
          `Authorization: Bearer ${ADMIN_TOKEN}\r\nConnection: close\r\n\r\n`,
      );
      const [status = 0] = statuses;
      assert(statuses.length === 1 && status < 500, `${path}: ${text}`);
      assert(!/^x-injected/im.test(text), path);
    }
  }
  assertEquals(service.logs.filter(({ level }) => level === "error"), []);
});

Deno.test("headers of every kind are refused or taken as text", async () => {
  await using service = await TestService.start();
  const names = [
    ...["X-Request-ID", "X-API-Key", "Authorization", "Content-Type", "Content-Encoding", "Accept"],
    ...["Idempotency-Key", "OpenAI-Organization", "X-Forwarded-For", "X-Orchestration", "Range"],
    ...["If-None-Match", "Traceparent", "Accept-Language", "Cookie", "Expect", "User-Agent"],
  ];
  const values = [
    "\xff\xfe",
    "é",
    "x".repeat(20_000),
    'a,b;c="d',
    "",
    "\t",
    "%00",
    "\\ud800",
    "()",
  ];
  for (const path of ["/openai/v1/models", "/api/v1/models", "/openai/v1/chat/completions"]) {
    for (const name of names) {
      for (const value of values) {
        const post = path.endsWith("completions");
        const body = '{"model":"auto","messages":[{"role":"user","content":"Hi"}]}';
        const head = [
          `${post ? "POST" : "GET"} ${path} HTTP/1.1`,
          ...["Host: localhost", "Connection: close", `${name}: ${value}`],
          ...name === "X-API-Key" || name === "Authorization"
            ? []
            : [`X-API-Key: ${BOOTSTRAP_KEY}`],
          ...post ? [`Content-Length: ${body.length}`] : [],
          ...post && name !== "Content-Type" ? ["Content-Type: application/json"] : [],
        ].join("\r\n");
        // Bytes as they are, not as UTF-8.
        const message = `${head}\r\n\r\n${post ? body : ""}`;
        const bytes = Uint8Array.from(message, (char) => char.charCodeAt(0));
        const { statuses, text } = await exchange(service.running.publicUrl, bytes);
        const answered = statuses.filter((status) => status !== 100);
        assert(answered.length === 1 && Number(answered[0]) < 500, `${name} ${value}: ${text}`);
      }
    }
  }
  assertEquals(service.logs.filter(({ level }) => level === "error"), []);
  await service.assertBooks();
});
