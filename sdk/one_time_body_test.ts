import { assertEquals, assertRejects } from "@std/assert";
import { ServiceClient, ServiceConnectionError } from "./mod.ts";
import { OneTimeBody } from "./one_time_body.ts";
import { serviceProxy } from "./proxy/mod.ts";
import { completion, MESSAGES } from "./scripted_service_test.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/**
 * A service that keeps its connections, and breaks each off when it has read a second request on it:
 * as one that is killed while it works, or a proxy that cuts what has been silent for long.
 */
function breakingService() {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  let requests = 0;
  const serving: Promise<void>[] = [];
  const serve = async (connection: Deno.Conn) => {
    using open = connection;
    for (let second = false;; second = true) {
      if (!await hasRequest(open)) return;
      requests++;
      if (second) return;
      const link = { url: "http://svc.test/me", code: "svc_link_1" };
      const file = { deleted: true, filename: "a.txt" };
      const body = JSON.stringify({ ...completion({ content: "Hi" }), ...link, ...file });
      const head = `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: `;
      await open.write(encoder.encode(`${head}${body.length}\r\n\r\n${body}`));
    }
  };
  const listening = (async () => {
    for await (const connection of listener) serving.push(serve(connection));
  })();
  return {
    apiBaseUrl: `http://127.0.0.1:${listener.addr.port}`,
    requests: () => requests,
    async [Symbol.asyncDispose]() {
      listener.close();
      await Promise.all([listening, ...serving]);
    },
  };
}

/** Reads one request to its end; false: the connection was closed before. */
async function hasRequest(connection: Deno.Conn): Promise<boolean> {
  const buffer = new Uint8Array(16 * 1024);
  for (let text = "";;) {
    const [, head, body = ""] = text.match(/^(.*?)\r\n\r\n(.*)$/s) ?? [];
    const length = head?.match(/^content-length: (\d+)$/im)?.[1];
    if (head !== undefined && body.length >= Number(length)) return true;
    if (body.endsWith("0\r\n\r\n")) return true;
    const read = await connection.read(buffer);
    if (read === null) return false;
    text += decoder.decode(buffer.subarray(0, read));
  }
}

Deno.test("a call whose connection breaks is sent once, also on a connection that was kept", async () => {
  await using service = breakingService();
  using client = Deno.createHttpClient({});
  const { chat: { completions } } = new ServiceClient({
    ...{ apiKey: "key", apiBaseUrl: service.apiBaseUrl, defaultLocalTools: false },
    fetch: (input, init) => fetch(input, { ...init, client }),
  });
  await completions.create({ messages: MESSAGES });
  await assertRejects(() => completions.create({ messages: MESSAGES }), ServiceConnectionError);
  assertEquals(service.requests(), 2);
});

Deno.test("a call without JSON that changes something is sent once, too", async () => {
  const calls: readonly ((client: ServiceClient) => Promise<unknown>)[] = [
    ({ key }) => key.signInLink(),
    ({ files }) => files.delete("file_1"),
    ({ vectorStores }) => vectorStores.delete("vs_1"),
    ({ files }) => files.create({ file: new File(["a"], "a.txt") }),
    ({ files }) => files.create({ file: { name: "a.txt", open: () => [encoder.encode("a")] } }),
  ];
  for (const call of calls) {
    await using service = breakingService();
    using http = Deno.createHttpClient({});
    const client = new ServiceClient({
      ...{ apiKey: "key", apiBaseUrl: service.apiBaseUrl },
      fetch: (input, init) => fetch(input, { ...init, client: http }),
    });
    await call(client);
    await assertRejects(() => call(client), ServiceConnectionError);
    assertEquals(service.requests(), 2);
  }
});

Deno.test("a proxy sends what a browser posts once, also on a connection that was kept", async () => {
  await using service = breakingService();
  using client = Deno.createHttpClient({});
  const handler = serviceProxy({
    ...{ apiKey: "key", apiBaseUrl: service.apiBaseUrl, path: "/openai/v1/chat/completions" },
    authorize: () => true,
    fetch: (input, init) => fetch(input, { ...init, client }),
  });
  const headers = { "content-type": "application/json" };
  const post = () =>
    handler(new Request("http://app.test/", { method: "POST", headers, body: "{}" }));
  const first = await post();
  await first.body?.pipeTo(new WritableStream());
  const second = await post();
  await second.body?.cancel();
  assertEquals([first.status, second.status, service.requests()], [200, 502, 2]);
});

Deno.test("a body keeps its text, and adds no type of its own", async () => {
  for (const text of ["", "{}", '{"a":"é, 网 and 🜁"}', "x".repeat(200_000)]) {
    for (const body of [new OneTimeBody(text), new OneTimeBody(encoder.encode(text))]) {
      const request = new Request("http://svc.test/", { method: "POST", body });
      assertEquals(request.headers.get("content-type"), null);
      assertEquals([await request.text(), String(body)], [text, text]);
    }
  }
});
