import { Hono } from "@hono/hono";
import { assertEquals, assertStringIncludes } from "@std/assert";
import type { LogFields } from "../ports/logger.ts";
import { createSystemRng } from "../system/rng.ts";
import { systemClock } from "../system/clock.ts";
import { listen, type ListenOptions } from "./listen.ts";
import { RefusalLog } from "./refusal_log.ts";

/** The answer to a request that says it is meant for `host`; `fetch` would not say so. */
async function ask(port: number, host: string, method = "GET"): Promise<string> {
  using connection = await Deno.connect({ hostname: "127.0.0.1", port });
  const head = `${method} / HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`;
  await connection.write(new TextEncoder().encode(head));
  return await new Response(connection.readable).text();
}

const OPTIONS: ListenOptions = {
  hostname: "127.0.0.1",
  port: 0,
  trustedProxies: [],
  rng: createSystemRng(systemClock),
};

Deno.test("a name that is not the listener's own is refused before the application hears of it", async () => {
  let heard = 0;
  const app = { fetch: () => new Response(`heard ${++heard}`) };
  const server = listen(app, OPTIONS);
  try {
    const { port } = server.addr;
    for (const host of [`localhost:${port}`, `127.0.0.1:${port}`, "LOCALHOST", "[::1]:1"]) {
      assertStringIncludes(await ask(port, host), "HTTP/1.1 200", host);
    }
    for (const host of ["rebound.example", `rebound.example:${port}`, "localhost.evil", "a/b"]) {
      const answer = await ask(port, host);
      assertStringIncludes(answer, "HTTP/1.1 400", host);
      assertStringIncludes(answer, '"param":"Host"');
    }
    assertEquals(heard, 4);
  } finally {
    await server.shutdown();
  }
});

Deno.test("a listener that takes any name takes only names", async () => {
  const server = listen({ fetch: () => new Response() }, { ...OPTIONS, allowedHosts: "any" });
  try {
    assertStringIncludes(await ask(server.addr.port, "models.example"), "HTTP/1.1 200");
    assertStringIncludes(await ask(server.addr.port, "a?b"), "HTTP/1.1 400");
  } finally {
    await server.shutdown();
  }
});

Deno.test("HEAD returns the status and the length of GET, without a body", async () => {
  const app = new Hono().get("/", (c) => c.text("fourteen bytes"));
  const server = listen(app, OPTIONS);
  try {
    const [head = "", body] = (await ask(server.addr.port, "localhost", "HEAD")).split("\r\n\r\n");
    assertStringIncludes(head, "HTTP/1.1 200");
    assertStringIncludes(head.toLowerCase(), "content-length: 14");
    assertEquals(body, "");
  } finally {
    await server.shutdown();
  }
});

Deno.test("answers with status 401 leave a line without the key", async () => {
  const lines: unknown[] = [];
  const warn = (event: string, fields?: LogFields) => void lines.push([event, fields]);
  const refusals = new RefusalLog("public", {
    logger: { info: () => {}, warn, error: () => {} },
    clock: { nowMs: () => 0, monotonicMs: () => 0 },
  });
  const app = {
    fetch: (request: Request) => {
      const status = request.headers.has("x-api-key") ? 401 : 200;
      return new Response(null, { status, headers: { "x-request-id": "req_1" } });
    },
  };
  const server = listen(app, { ...OPTIONS, refusals });
  try {
    const url = `http://127.0.0.1:${server.addr.port}/`;
    await (await fetch(url)).body?.cancel();
    assertEquals(lines, []);
    for (let n = 0; n < 2; n++) {
      await (await fetch(url, { headers: { "x-api-key": "secret" } })).body?.cancel();
    }
    const fields = {
      listener: "public",
      count: 1,
      requestId: "req_1",
      remoteAddress: "127.0.0.1",
    };
    assertEquals(lines, [["unauthorized", fields]]);
  } finally {
    await server.shutdown();
  }
});
