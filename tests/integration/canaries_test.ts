/**
 * Secrets and words of callers, planted where they belong and searched for where they do not: in the
 * log of the process, in refusals, headers and routing, in every byte of the store's files, and in
 * what is exported or scraped: traces, metrics and log lines.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import { join } from "@std/path";
import { FakeUpstream, fixed, json, type Script, sse } from "../fixtures/fake_upstream.ts";
import { calling, saying, searchFor } from "../fixtures/hosted_lab.ts";
import { chunkText, completion, labConfig, usage, usageChunk } from "../fixtures/lab.ts";
import brave from "../fixtures/search/brave.json" with { type: "json" };
import { OtlpCollector } from "../fixtures/otlp_collector.ts";
import { scrape } from "../fixtures/prometheus.ts";
import { ServiceProcess } from "../fixtures/service_process.ts";

/** Secrets: no place but the one that each was given to. */
const SECRETS = {
  key: "svc_canary_key_5f1d9c",
  adminToken: "svc_canary_admin_b71e02",
  pepper: "canary_pepper_93ac41",
  upstreamKey: "sk-canary-upstream-7d20ee",
  searchKey: "canary-search-c04b8f",
  metricsToken: "canary_metrics_token_4f7a",
  unknownKey: "svc_live_canary_unknown_1a6b",
  unknownToken: "svc_admin_canary_unknown_8c2d",
} as const;
/**
 * Texts of callers and models: they belong with the caller, the upstream and, where requested, the
 * store.
 */
const WORDS = {
  prompt: "canary-prompt-alpha",
  answer: "canary-answer-bravo",
  toolInput: "canary-arguments-charlie",
  toolResult: "canary-result-delta",
  query: "canary-query-echo",
  unkept: "canary-unkept-foxtrot",
  broken: "canary-broken-golf",
  url: "canary-url-hotel",
} as const;
/** Kept because the caller asked for it: shows that the search finds what is there. */
const KEPT = { prompt: "canary-kept-juliet", answer: "canary-kept-kilo" } as const;
/** Names of the people that calls are for: they belong with the operator, too. */
const NAMES = {
  user: "canary-user-india",
  safetyIdentifier: "canary-identifier-mike",
} as const;
const IMAGE = btoa("\x89PNG\r\n\x1a\ncanary-image-lima");

const TOOL = { type: "function", function: { name: "f", parameters: { type: "object" } } };
const HI = [{ role: "user", content: WORDS.prompt }];

/** Collected texts of answers, without the bodies of successful ones. */
class Heard {
  readonly refusals: string[] = [];
  readonly headers: string[] = [];
  readonly routing: string[] = [];

  async note(response: Response): Promise<void> {
    const text = await response.text();
    this.headers.push(JSON.stringify([...response.headers]));
    if (!response.ok || text.includes('"error":{')) this.refusals.push(text);
    const bodies = text.startsWith("{") ? [text] : text.split("\n").flatMap((line) => {
      return line.startsWith("data: {") ? [line.slice("data: ".length)] : [];
    });
    for (const body of bodies) {
      const { metadata } = JSON.parse(body);
      const { routing, billing } = metadata ?? {};
      if (routing !== undefined) this.routing.push(JSON.stringify({ routing, billing }));
    }
  }
}

/** A session in progress. */
interface Session {
  readonly service: ServiceProcess;
  readonly model: FakeUpstream;
  readonly search: FakeUpstream;
  readonly heard: Heard;
}

async function post(
  { service, heard }: Session,
  path: string,
  body: unknown,
  key: string = SECRETS.key,
): Promise<void> {
  const response = await fetch(`${service.publicUrl}/openai/v1/${path}`, {
    method: "POST",
    headers: { "x-api-key": key, "content-type": "application/json" },
    body: typeof body === "string" ? body : JSON.stringify({ model: "auto", ...Object(body) }),
  });
  await heard.note(response);
}

async function goodCalls(at: Session): Promise<void> {
  const { model, search } = at;
  model.answer(json(completion({}, { content: WORDS.answer })));
  await post(at, "chat/completions", {
    messages: HI,
    user: NAMES.user,
    safety_identifier: NAMES.safetyIdentifier,
  });
  const words = [chunkText({ role: "assistant", content: WORDS.answer }), chunkText({}, "stop")];
  model.answer(sse([...words, usageChunk(usage(3, 4))]));
  await post(at, "chat/completions", { messages: HI, stream: true });
  const call = { name: "f", arguments: JSON.stringify({ a: WORDS.toolInput }) };
  const called = { role: "assistant", tool_calls: [{ id: "c", type: "function", function: call }] };
  const result = { role: "tool", tool_call_id: "c", content: WORDS.toolResult };
  await post(at, "chat/completions", { messages: [...HI, called, result], tools: [TOOL] });
  const picture = { type: "image_url", image_url: { url: `data:image/png;base64,${IMAGE}` } };
  await post(at, "chat/completions", { messages: [{ role: "user", content: [picture] }] });
  model.answer(json(completion({}, { content: KEPT.answer })));
  await post(at, "responses", { input: KEPT.prompt, store: true });
  model.answer(json(completion({}, { content: WORDS.unkept })));
  await post(at, "responses", { input: WORDS.unkept, store: false });
  // A search that works, and two that do not.
  const tools = [{ type: "web_search_preview" }];
  for (const script of [json(brave), json({ message: ECHO }, { status: 401 }), fixed(ECHO)]) {
    search.answer(script);
    model.answer(calling(searchFor(WORDS.query)), saying(WORDS.answer));
    await post(at, "chat/completions", { messages: HI, tools });
  }
}

/**
 * Upstream errors repeat parts of the request and of its headers. Their other words are the
 * upstream's own, and are stored for the operator.
 */
const ECHO = `Bad ${SECRETS.upstreamKey} for ${WORDS.prompt}, said the provider`;
const BAD_ANSWERS: readonly Script[] = [
  ...[401, 403, 404, 429, 500].map((status) => json({ error: { message: ECHO } }, { status })),
  json({ error: { message: `No, ${SECRETS.upstreamKey}` } }, { status: 400 }),
  fixed(`<html>${ECHO}`, { headers: { "content-type": "text/html" } }),
  fixed(`{"choices":"${ECHO}`),
  sse([chunkText({ content: "Well" }), `{"broken ${ECHO}`]),
  sse([chunkText({ content: "Well" }), JSON.stringify({ error: { message: ECHO } })]),
  [{ reset: true }],
];

/** Each at a model of its own, by a key that may use this model alone: none cools another down. */
async function badCalls(at: Session): Promise<void> {
  for (const [n, script] of BAD_ANSWERS.entries()) {
    const made = await operate(at, "POST", "keys", {
      name: `bad-${n}`,
      wallet: "default",
      policy: { models: [`bad-${n}`] },
    });
    const { key } = JSON.parse(made);
    at.model.answer(script);
    const stream = n >= BAD_ANSWERS.length - 3;
    await post(at, "chat/completions", { messages: HI, stream }, key);
  }
}

/** Requests that the gateway itself refuses. */
async function refusedCalls(at: Session): Promise<void> {
  const unended = `{"model":"auto","messages":[{"role":"user","content":"${WORDS.broken}`;
  await post(at, "chat/completions", unended);
  const odd = { [WORDS.broken]: WORDS.broken };
  await post(at, "chat/completions", { messages: [{ role: "user", content: odd }] });
  await post(at, "chat/completions", { messages: HI }, SECRETS.unknownKey);
  const url = `responses/${WORDS.url}?api_key=${WORDS.url}`;
  const response = await fetch(`${at.service.publicUrl}/openai/v1/${url}`, {
    headers: { "x-api-key": SECRETS.key },
  });
  await at.heard.note(response);
}

async function operate(
  { service }: Session,
  method: string,
  path: string,
  body?: unknown,
  token: string = SECRETS.adminToken,
): Promise<string> {
  const response = await fetch(`${service.adminUrl}/admin/v1/${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: body === undefined ? null : JSON.stringify(body),
  });
  return await response.text();
}

/** Of the operator's own answers nothing may be secret, refused or not. */
async function operatorsAnswers(at: Session): Promise<string[]> {
  const answers: string[] = [];
  for (const token of [SECRETS.adminToken, SECRETS.unknownToken]) {
    for (const path of ["keys", "catalog", "requests", "wallets", "models", "usage", "nothing"]) {
      answers.push(await operate(at, "GET", path, undefined, token));
    }
  }
  return answers;
}

/** Which canaries a text has in it, as it is or in two bytes a character. */
function canariesIn(canaries: Readonly<Record<string, string>>, text: string): string[] {
  return Object.entries(canaries)
    .filter(([, canary]) => text.includes(canary) || text.includes([...canary].join("\0")))
    .map(([name]) => name);
}

/** Every byte of the store's files, free pages and the log ahead included. */
async function storeBytes(folder: string): Promise<string> {
  let text = "";
  for await (const { name } of Deno.readDir(folder)) {
    if (!/^svc\.kv(?:-wal|-shm|\.lock)?$/.test(name)) continue;
    text += new TextDecoder("latin1").decode(await Deno.readFile(join(folder, name)));
  }
  return text;
}

const CONFIG = (model: FakeUpstream, search: FakeUpstream) => {
  const upstream = { apiKey: undefined, apiKeyEnv: "OPENAI_API_KEY" };
  const at = { baseUrl: model.baseUrl, upstream };
  const bad = BAD_ANSWERS.map((_, n) => ({ id: `bad-${n}`, quality: 0.1, ...at }));
  return {
    ...labConfig({ id: "only", quality: 1, ...at }, ...bad),
    search: {
      kind: "brave",
      apiKeyEnv: "BRAVE_API_KEY",
      baseUrl: `http://127.0.0.1:${search.port}`,
    },
  };
};

/** Everything at once, exported or not; what was found and where is compared as a whole. */
async function plantAndSearch(exported: OtlpCollector | undefined): Promise<void> {
  const folder = await Deno.makeTempDir();
  try {
    await using model = new FakeUpstream();
    await using search = new FakeUpstream();
    model.otherwise(json(completion()));
    const config = join(folder, "svc.json");
    await Deno.writeTextFile(config, JSON.stringify(CONFIG(model, search)));
    const env = {
      SERVICE_BOOTSTRAP_KEY: SECRETS.key,
      SERVICE_ADMIN_TOKEN: SECRETS.adminToken,
      SERVICE_KEY_PEPPER: SECRETS.pepper,
      OPENAI_API_KEY: SECRETS.upstreamKey,
      BRAVE_API_KEY: SECRETS.searchKey,
      SERVICE_METRICS_TOKEN: SECRETS.metricsToken,
      ...exported === undefined ? {} : { ...exported.env, SERVICE_TRACE_RATIO: "1" },
    };
    await using service = await ServiceProcess.start(join(folder, "svc.kv"), env, { config });
    const banner = service.stdout.length;
    const heard = new Heard();
    const at = { service, model, search, heard };
    await goodCalls(at);
    await badCalls(at);
    await refusedCalls(at);
    const operators = await operatorsAnswers(at);
    // The keys were used: else their absence would show nothing.
    assertEquals(model.requests.length, 12 + BAD_ANSWERS.length);
    assert(model.requests.every(({ head }) => head.includes(SECRETS.upstreamKey)));
    assert(search.requests.some(({ head }) => head.includes(SECRETS.searchKey)));
    const page = await (await scrape(service.adminUrl, SECRETS.metricsToken)).text();
    const { stdout, stderr } = await service.end("SIGTERM");

    const everything = { ...SECRETS, ...WORDS, ...KEPT, ...NAMES, image: IMAGE };
    assert(page.includes("svc_requests_total{"));
    assertEquals(canariesIn(everything, page), [], "the metrics");
    if (exported !== undefined) {
      assert(exported.spans.length > 60 && exported.lines.length > 5 && exported.metrics.size > 1);
      assertEquals(canariesIn(everything, exported.everything), [], "what is exported");
    }
    assert(stderr.length > 0, "The failures have left no line");
    assertEquals(canariesIn(everything, stderr), [], "the log");
    assertEquals(canariesIn(everything, stdout.slice(banner)), [], "standard output");
    assertEquals(canariesIn(everything, heard.headers.join("\n")), [], "headers");
    assert(heard.routing.length > 15);
    assertEquals(canariesIn(everything, heard.routing.join("\n")), [], "routing and billing");
    assertEquals(canariesIn(everything, heard.refusals.join("\n")), [], "refusals");
    assertEquals(
      canariesIn(everything, operators.join("\n")),
      Object.keys(NAMES),
      "the operator's API",
    );
    const store = await storeBytes(folder);
    assertEquals(canariesIn({ ...SECRETS, ...WORDS, image: IMAGE }, store), [], "the store");
    assertEquals(canariesIn(KEPT, store), ["prompt", "answer"]);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

Deno.test("secrets and words are nowhere but where they belong", () => plantAndSearch(undefined));

Deno.test("exported traces, metrics and lines hold no secrets and no words either", async () => {
  await using collector = new OtlpCollector();
  await plantAndSearch(collector);
});
