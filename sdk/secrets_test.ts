import { assert, assertEquals, assertFalse, assertRejects } from "@std/assert";
import { ServiceAPIError, type ServiceClient, type ServiceClientOptions } from "./mod.ts";
import {
  call,
  completion,
  json,
  KEY,
  type Reply,
  scripted,
  sse,
  streamOf,
} from "./scripted_service_test.ts";

const PROMPT = 'My password is\n"correct horse" and my name is Ada';
const INPUT = "4111-1111-1111-1111";
const REASONING = "opaque-signature-of-a-provider";
const HEADER = "value-of-a-private-header";
const SECRETS = [
  KEY,
  PROMPT,
  INPUT,
  REASONING,
  HEADER,
  "correct horse",
  "password is",
  "4111-1111",
];

const PAYING = { tool_calls: [call("call_2", "pay", { card: INPUT })] };
const REQUEST = {
  messages: [
    { role: "user", content: [{ type: "text", text: PROMPT }] },
    {
      role: "assistant",
      tool_calls: [{ ...call("call_1", "pay", { card: INPUT }), thought_signature: REASONING }],
    },
    { role: "tool", tool_call_id: "call_1", content: INPUT },
  ],
};

const echo: Reply = ({ headers, text }) =>
  new Response(`${text} ${[...headers].join()}`, { status: 502 });

const echoing = (status: number): Reply => ({ headers, text }) => {
  const all = `${text} ${JSON.parse(text).messages[0].content[0].text} ${[...headers].join()}`;
  return Response.json({ error: { message: `Cannot take ${all}`, code: "no" } }, { status });
};

/** Ways in which a service, or an intermediate server, may echo a request. */
const SPILLS: Readonly<Record<string, Reply | readonly Reply[]>> = {
  "a page that echoes the request": echo,
  "an answer that is no JSON": ({ text }) => new Response(`<${text}`),
  "an answer that is a text": ({ text }) => Response.json(text),
  "an error that is a text": ({ text }) => Response.json({ error: text }),
  "an error object that quotes it all": echoing(400),
  "an error object in a good answer": echoing(200),
  "an event that is no JSON": ({ text }) => new Response(`data: ${text.slice(1)}\n\n`),
  "an error event": (sent) => sse({ choices: [] }, { error: { message: sent.text } })(sent),
  "a redirect": ({ text }) => new Response(text, { status: 302, headers: { location: "/" } }),
  "a tool call, then a page": [
    (sent) => (sent.json["stream"] ? sse(...streamOf(PAYING)) : json(completion(PAYING)))(sent),
    echo,
  ],
  "a connection that fails": [echo, () => {
    throw new TypeError("connection refused");
  }],
};

const METHODS: Readonly<Record<string, (client: ServiceClient) => Promise<unknown>>> = {
  create: (client) => client.chat.completions.create(REQUEST),
  stream: (client) => client.chat.completions.stream(REQUEST).final(),
  run: (client) => client.chat.completions.run(REQUEST),
  runStream: (client) => client.chat.completions.runStream(REQUEST).final(),
};

/** A client that spills nothing by itself, and everything it logs. */
function client(reply: Reply | readonly Reply[]) {
  const log: unknown[] = [];
  const tell = (...line: unknown[]) => void log.push(line);
  const options: ServiceClientOptions = {
    headers: { "x-private": HEADER },
    logger: { debug: tell, warn: tell },
    maxRetries: 1,
    tools: [{
      name: "pay",
      parameters: {},
      execute: (input) => {
        throw new Error(`No money on ${JSON.stringify(input)}`);
      },
    }],
  };
  const once = { "retry-after": "0" };
  const hurry = (one: Reply): Reply => async (sent) => {
    const response = await one(sent);
    return new Response(response.body, {
      status: response.status,
      headers: { ...once, ...Object.fromEntries(response.headers) },
    });
  };
  const replies = typeof reply === "function" ? hurry(reply) : reply.map(hurry);
  return { log, client: scripted(replies, options).client };
}

for (const [spill, reply] of Object.entries(SPILLS)) {
  for (const [name, method] of Object.entries(METHODS)) {
    Deno.test(`${name} spills no secret of ${spill}`, async () => {
      const at = client(reply);
      const error = await method(at.client).then(() => undefined, (error) => error);
      // One request runs no tools that the application registered: its first answer is its last.
      assertEquals(error === undefined, /tool call/.test(spill) && !name.startsWith("run"));
      const causes: unknown[] = [];
      for (let one: unknown = error; one instanceof Error; one = one.cause) causes.push(one);
      const texts = [...causes.map((one) => `${one} ${Deno.inspect(one)}`), Deno.inspect(at.log)];
      // Escaped or not, a secret is one.
      const shown = texts.join("\n").replaceAll("\\n", "\n").replaceAll('\\"', '"');
      assertEquals(SECRETS.filter((secret) => shown.includes(secret)), []);
      assert(at.log.length > 0);
    });
  }
}

Deno.test("a wrong base address is not quoted, for any content", () => {
  for (const text of [KEY, `http://user:${KEY}@svc.test`, `http://svc.test/?k=${KEY}`]) {
    for (const option of ["apiBaseUrl", "openAIBaseUrl"]) {
      try {
        scripted([], { [option]: text });
        throw new Error("It was taken");
      } catch (error) {
        assertFalse(String(error).includes(KEY));
        assertFalse(String(error).includes("taken"));
      }
    }
  }
});

Deno.test("a message that quotes a piece of a prompt does not show it, however long the prompt", async () => {
  const pin = "my pin is 9876 5432 1098, and my cat's";
  for (const before of [30, 70_000]) {
    const prompt = `${"Please keep. ".repeat(before / 10)}${pin} is Ada. Thank you`;
    const message = `Cannot take the word near "${pin}"`;
    const { client } = scripted(json({ error: { message } }, { status: 400 }));
    const request = { messages: [{ role: "user", content: prompt }] };
    const error = await assertRejects(
      () => client.chat.completions.create(request),
      ServiceAPIError,
    );
    assert(error.message.startsWith("Cannot take the"), error.message);
    for (const word of ["pin", "9876", "1098", "cat"]) assertFalse(error.message.includes(word));
  }
});
