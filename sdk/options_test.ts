import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { assertType, type IsExact } from "@std/testing/types";
import { ConfigurationError, MissingAPIKeyError, ServiceClient } from "./mod.ts";
import type { ServiceClientOptions } from "./mod.ts";
import { withEnvironment } from "./environment_test.ts";
import { baseUrl, readEnvironment, transportOptionsOf } from "./options.ts";
import { json, KEY, MESSAGES, scripted } from "./scripted_service_test.ts";

const VARIABLES = ["SERVICE_API_KEY", "SERVICE_API_BASE_URL", "SERVICE_OPENAI_BASE_URL"];

const EVERYWHERE = {
  SERVICE_API_KEY: "from-environment",
  SERVICE_API_BASE_URL: "http://env-api.test/base/",
  SERVICE_OPENAI_BASE_URL: "http://env-models.test/v1/",
};
const LOCAL = "http://127.0.0.1:8787";

Deno.test("defaults are one minute and no retries", async () => {
  await withEnvironment({}, () => {
    const { hasKey, logger, maxRetries, timeoutMs } = transportOptionsOf({});
    assertEquals([hasKey, logger, maxRetries, timeoutMs], [false, undefined, 0, 60_000]);
  });
});

Deno.test("an option that is given never touches the environment", async () => {
  const explicit = { apiKey: "k", apiBaseUrl: "http://a.test" };
  const read = await withEnvironment(EVERYWHERE, () => new ServiceClient(explicit));
  assertEquals(read.filter((name) => VARIABLES.includes(name)), []);

  const keyed = await withEnvironment(EVERYWHERE, () => {
    transportOptionsOf({ openAIBaseUrl: "http://m.test/openai/v1", headers: { "x-api-key": "k" } });
  });
  assertEquals(keyed.filter((name) => VARIABLES.includes(name)), ["SERVICE_API_BASE_URL"]);
});

Deno.test({
  name: "a variable that may not be read counts as absent",
  permissions: { env: ["SVC_TEST_READABLE"] },
  fn: async () => {
    assertEquals(readEnvironment("SVC_TEST_FORBIDDEN"), undefined);
    assertEquals(readEnvironment("SVC_TEST_READABLE"), undefined);
    const client = new ServiceClient();
    await assertRejects(() => client.pricing.retrieve(), MissingAPIKeyError);
  },
});

Deno.test("a variable that cannot be used is named, and not the option that was not given", async () => {
  for (
    const variables of [
      { SERVICE_API_BASE_URL: "svc.test" },
      { SERVICE_OPENAI_BASE_URL: "svc.test" },
      { SERVICE_API_KEY: "key\n" },
    ]
  ) {
    const [[name = ""] = []] = Object.entries(variables);
    await withEnvironment(variables, () => {
      const message = `Cannot use ${name}: it`;
      assertThrows(() => new ServiceClient(), ConfigurationError, message);
    });
  }
});

Deno.test("an unknown option is a type error and an error at run time", () => {
  // No index signature: the compiler refuses in a literal what is not named here.
  assertType<IsExact<string extends keyof ServiceClientOptions ? true : false, false>>(true);
  const misspelt: ServiceClientOptions = JSON.parse('{"apikey":"k"}');
  const error = assertThrows(() => new ServiceClient(misspelt), ConfigurationError);
  assert(error.message.startsWith('Cannot use the option "apikey" of a client: there are '));
  assert(error.message.includes("apiKey"));
});

Deno.test("every documented option is accepted, the deprecated ones without effect", async () => {
  const reply = json({ choices: [] });
  const { client, sent } = scripted(reply, {
    openAIBaseUrl: "http://m.test",
    headers: new Headers({ "x-team": "blue", "Anthropic-Version": "2023-06-01" }),
    timeoutMs: -1,
    maxRetries: 0,
    tools: [],
    toolHandlers: {},
    defaultLocalTools: false,
    defaultBuiltinTools: false,
    withoutDefaultTools: ["shell", "web_search_preview"],
    fileWorkspace: ".",
    fileDeny: [],
    shellWorkspace: ".",
    filePermission: () => true,
    shellPermission: () => true,
    anthropicBaseUrl: "http://nowhere.test",
    anthropicVersion: "2023-06-01",
    logger: undefined,
  });
  await client.chat.completions.create({ messages: MESSAGES });
  const [{ headers, url } = assertSent()] = sent;
  assertEquals(url, "http://m.test/chat/completions");
  assertEquals(headers.get("x-team"), "blue");
  assertEquals([...headers.keys()].filter((name) => name.includes("anthropic")), []);
});

function assertSent(): never {
  throw new Error("Nothing was sent");
}

const REFUSED: readonly [options: Readonly<Record<string, unknown>>, message: string][] = [
  [{ maxRetries: -1 }, "Cannot use maxRetries: -1 is no count"],
  [{ maxRetries: 1.5 }, "Cannot use maxRetries: 1.5 is no count"],
  [{ timeoutMs: NaN }, "Cannot use timeoutMs: it is not a number"],
  [{ timeoutMs: "60" }, "Cannot use timeoutMs: it is not a number"],
  [{ withoutDefaultTools: ["bash"] }, 'Cannot leave out the default tool "bash": there are '],
  [{ apiKey: "key\n" }, "Cannot use apiKey: it holds characters that no key has"],
  [
    { apiKey: "k", headers: { Authorization: "Bearer k" } },
    "Cannot send two keys",
  ],
  [{ headers: { "x-api-key": "k", authorization: "Bearer k" } }, "Cannot send two keys"],
  [{ headers: [["x-api-key", "k"]], apiKey: "k" }, "Cannot send two keys"],
  [{ headers: { "x-a": "new\nline" } }, 'Cannot send the header "x-a": it is not valid'],
  [{ apiBaseUrl: "svc" }, "Cannot use apiBaseUrl: it is no http(s) URL"],
  [{ openAIBaseUrl: "ftp://svc" }, "Cannot use openAIBaseUrl: it is no http(s) URL"],
  [{ apiBaseUrl: "http://u:p@svc" }, "Cannot use apiBaseUrl: it holds a password"],
  [{ apiBaseUrl: "http://svc/?key=1" }, "Cannot use apiBaseUrl: a base has no query"],
  [
    { tools: [{ name: "a", parameters: {} }, { name: "a", parameters: {} }] },
    'two tools named "a"',
  ],
  // As other libraries take tools.
  [{ tools: { weather: {} } }, "Cannot register tools that are no list"],
  [{ tools: [{ type: "function", function: {} }] }, "Cannot register a tool without a name"],
  [{ tools: [null] }, "Cannot register a tool without a name"],
  [{ toolHandlers: { weather: {} } }, 'Cannot register a handler for "weather"'],
];

for (const [options, message] of REFUSED) {
  Deno.test(`a client is refused with ${JSON.stringify(options)}`, () => {
    assertThrows(() => new ServiceClient(Object(options)), ConfigurationError, message);
  });
}

Deno.test("headers come as an object, as pairs, or as Headers of another realm", () => {
  const pairs: [string, string][] = [["x-a", "1"], ["x-a", "2"]];
  const foreign = Object(new Map([["x-a", "1, 2"]]));
  for (const headers of [{ "x-a": "1, 2" }, pairs, new Headers(pairs), foreign]) {
    const options = transportOptionsOf({ apiKey: "k", apiBaseUrl: LOCAL, headers });
    assertEquals(options.headers.get("x-a"), "1, 2");
  }
});

Deno.test("an empty key header is ignored", async () => {
  const { client, sent } = scripted(json({}), { apiKey: undefined, headers: { "x-api-key": "" } });
  await assertRejects(() => client.pricing.retrieve(), MissingAPIKeyError);
  assertEquals(sent, []);
});

Deno.test("a base that is refused is not quoted", () => {
  for (const text of ["", "svc.test", "localhost:8787", "file:///etc", KEY]) {
    const error = assertThrows(() => baseUrl(text, "apiBaseUrl"), ConfigurationError);
    assert(text === "" || !error.message.includes(text));
  }
});
