import { isJsonObject } from "@svc/tools/json";
import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { ConfigurationError, ServiceClient, type ServiceClientOptions } from "./mod.ts";
import { serviceProxy } from "./proxy/mod.ts";
import {
  completion,
  json,
  KEY,
  MESSAGES,
  scripted,
  sse,
  streamOf,
} from "./scripted_service_test.ts";

const ODD = [null, 5, "odd", true, NaN, [], [5], {}, Symbol("odd"), () => "odd"];
/** Of which of the odd values an option takes. */
const TAKEN: Readonly<Record<string, (odd: unknown) => boolean>> = {
  text: (odd) => typeof odd === "string",
  number: (odd) => odd === 5,
  flag: (odd) => odd === true,
  function: (odd) => typeof odd === "function",
  list: (odd) => Array.isArray(odd) && odd.length === 0,
  object: (odd) => typeof odd === "object" && odd !== null && !(Array.isArray(odd) && odd.length),
  record: isJsonObject,
  toolNames: (odd) => odd === true || Array.isArray(odd) && odd.length === 0,
  anything: () => true,
  nothing: () => false,
};

const OF_CLIENT: Readonly<Record<keyof ServiceClientOptions, keyof typeof TAKEN>> = {
  ...{ apiKey: "text", apiBaseUrl: "nothing", openAIBaseUrl: "nothing", fetch: "function" },
  ...{ headers: "object", timeoutMs: "number", maxRetries: "number", logger: "nothing" },
  ...{ auto: "record", tags: "record" },
  ...{ tools: "list", toolHandlers: "record", defaultLocalTools: "flag" },
  ...{ defaultBuiltinTools: "flag", withoutDefaultTools: "list", fileWorkspace: "text" },
  ...{ fileDeny: "list", fileTrust: "flag", filePermission: "function", shellWorkspace: "text" },
  ...{ shellPermission: "function", anthropicBaseUrl: "anything", anthropicVersion: "anything" },
};

for (const [name, kind] of Object.entries(OF_CLIENT)) {
  Deno.test(`a client refuses an odd value for ${name}`, () => {
    for (const odd of ODD) {
      const options = Object({ apiBaseUrl: "http://svc.test", [name]: odd });
      if (TAKEN[kind]?.(odd)) new ServiceClient(options);
      else assertThrows(() => new ServiceClient(options), ConfigurationError);
    }
  });
}

Deno.test("a refused option of a client is not quoted: it may be a key", () => {
  const { message } = assertThrows(() => new ServiceClient(Object({ apiKey: [KEY] })), Error);
  assertEquals(message, "Cannot use apiKey: it is not a text");
  for (const options of [null, 5]) {
    const make = () => new ServiceClient(JSON.parse(String(options)));
    assertThrows(
      make,
      ConfigurationError,
      "Cannot use the options of a client: they are no object",
    );
  }
});

Deno.test("a header, a tool and a denied file are looked at, too", () => {
  const key = "x-team";
  for (
    const [options, message] of [
      [{ headers: { [key]: undefined } }, 'Cannot send the header "x-team": it is not a text'],
      [{ tools: [{ name: "weather", execute: "rain" }] }, 'tool "weather": its execute is not'],
      [{ fileDeny: ["**/a/**/b/**"] }, 'Cannot deny the files "**/a/**/b/**"'],
      // Nothing in it would be found, and the defaults would be run in its place.
      [{ toolHandlers: new Map([["weather", () => "rain"]]) }, "toolHandlers: it is not a plain"],
      [{ fileWorkspace: "" }, "Cannot use fileWorkspace: it is not a path"],
    ] as const
  ) {
    assertThrows(() => new ServiceClient(Object(options)), ConfigurationError, message);
  }
});

const OF_CALL = {
  ...{ requestId: "text", signal: "nothing", timeoutMs: "number", auto: "record", tags: "record" },
};
const OF_RUN = {
  ...OF_CALL,
  ...{ tools: "list", toolHandlers: "record", maxSteps: "number", toolTimeoutMs: "number" },
  ...{ maxToolCallsPerStep: "number", maxParallelToolCalls: "number", maxResultChars: "number" },
  ...{ maxArgumentChars: "number", budget: "nothing", stopWhen: "function" },
  ...{ manualTools: "toolNames", onIntermediateText: "function" },
  ...{ onTextDelta: "function", onToolResult: "function", onStep: "function", onTask: "function" },
};

for (const method of ["create", "stream", "run", "runStream"] as const) {
  const isWhole = method === "create" || method === "run";
  const kinds = method === "run" || method === "runStream" ? OF_RUN : OF_CALL;
  const reply = isWhole ? json(completion({ content: "Hi" })) : sse(...streamOf({ content: "Hi" }));

  Deno.test(`${method} refuses odd options before anything is sent`, async () => {
    for (const [name, kind] of Object.entries(kinds)) {
      for (const odd of ODD.filter((odd) => !TAKEN[kind]?.(odd))) {
        const { client, sent } = scripted(reply);
        const ask = async () =>
          await client.chat.completions[method]({ messages: MESSAGES }, Object({ [name]: odd }));
        await assertRejects(ask, ConfigurationError);
        assertEquals(sent, [], name);
      }
    }
  });

  Deno.test(`${method} refuses invalid options`, async () => {
    const { client, sent } = scripted(reply);
    const ask = async () =>
      await client.chat.completions[method]({ messages: MESSAGES }, JSON.parse("null"));
    await assertRejects(ask, ConfigurationError, "they are no object");
    assertEquals(sent, []);
  });
}

Deno.test("the catalog, images and a proxy refuse odd options", async () => {
  const { client, sent } = scripted(json({}));
  for (const options of [null, { locale: 5 }, { signal: {} }, { requestId: 5 }, { lang: "en" }]) {
    const odd = JSON.parse(JSON.stringify(options));
    await assertRejects(() => client.models.list(odd), ConfigurationError);
    await assertRejects(() => client.models.meta(odd), ConfigurationError);
    await assertRejects(() => client.pricing.retrieve(odd), ConfigurationError);
    await assertRejects(() => client.images.generate({ prompt: "A cat" }, odd), ConfigurationError);
  }
  assertEquals(sent, []);
  const proxy = { apiKey: KEY, path: "/openai/v1/responses", authorize: () => true };
  for (const odd of [{ transform: {} }, { fetch: "fetch" }, { maxBodyBytes: "1" }]) {
    assertThrows(() => serviceProxy(Object({ ...proxy, ...odd })), ConfigurationError);
  }
  assert(serviceProxy(Object(proxy)));
});
