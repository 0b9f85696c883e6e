import { assert, assertEquals } from "@std/assert";
import { createGuardedFetch, DOCUMENTS } from "../../gateway/guarded_fetch/mod.ts";
import { PRIVATE_URLS } from "../../gateway/guarded_fetch/private_addresses_fixture.ts";
import { isUnreadable } from "../../gateway/ports/fetch_image.ts";

const NEVER = new AbortController().signal;
const IMAGE = Uint8Array.from({ length: 300_000 }, (_, at) => at % 251);

/** Counts connections before anything is read of them. */
function listen(): { port: number; connections: () => number; close(): Promise<void> } {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  let connections = 0;
  const accepting = (async () => {
    for await (const connection of listener) {
      connections++;
      connection.close();
    }
  })();
  const close = async () => {
    listener.close();
    await accepting;
  };
  return { port: listener.addr.port, connections: () => connections, close };
}

Deno.test("No form of a private address makes a connection", async () => {
  const server = listen();
  const { port } = server;
  const fetchImage = createGuardedFetch({ ports: [80, 443, port] });
  for (const url of PRIVATE_URLS) {
    assert(isUnreadable(await fetchImage(url.replace("PORT", String(port)), NEVER)), url);
  }
  const rebound = createGuardedFetch({
    ports: [port],
    resolve: () => Promise.resolve(["127.0.0.1"]),
  });
  assert(isUnreadable(await rebound(`http://images.example:${port}/`, NEVER)));
  assertEquals(server.connections(), 0);
  // The server would have been reached: this is no proof by a dead port.
  const open = createGuardedFetch({
    ports: [port],
    allows: () => true,
    resolve: () => Promise.resolve(["127.0.0.1"]),
  });
  assert(isUnreadable(await open(`http://images.example:${port}/`, NEVER)));
  assertEquals(server.connections(), 1);
  await server.close();
});

/** Serves by path, and writes down the hosts asked for. */
async function withServer(
  handler: (path: string) => Response,
  use: (url: (path: string) => string, hosts: string[], fetch: Fetch) => Promise<void>,
): Promise<void> {
  const hosts: string[] = [];
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, (request) => {
    hosts.push(request.headers.get("host") ?? "");
    return handler(new URL(request.url).pathname);
  });
  const { port } = server.addr;
  const fetchImage = createGuardedFetch({
    ports: [port],
    // None of these names exists: they are reached because they are not resolved again.
    allows: (address) => address === "127.0.0.1",
    resolve: () => Promise.resolve(["127.0.0.1"]),
    timeoutMs: 2_000,
    maxBytes: 400_000,
  });
  try {
    await use((path) => `http://images.example:${port}${path}`, hosts, fetchImage);
  } finally {
    await server.shutdown();
  }
}

type Fetch = ReturnType<typeof createGuardedFetch>;

Deno.test("An image comes from the checked address, under the name that was asked for", async () => {
  const headers = { "content-type": "image/png" };
  await withServer(
    (path) =>
      path === "/moved"
        ? new Response(null, { status: 302, headers: { location: "/a.png" } })
        : new Response(IMAGE, { headers }),
    async (url, hosts, fetchImage) => {
      assertEquals(await fetchImage(url("/moved"), NEVER), {
        mediaType: "image/png",
        bytes: IMAGE,
      });
      assertEquals(hosts, [new URL(url("/")).host, new URL(url("/")).host]);
    },
  );
});

Deno.test("A body beyond the limit is left, however it comes", async () => {
  const headers = { "content-type": "image/png" };
  const endless = () =>
    new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(65_536)) });
  await withServer(
    (path) => new Response(path === "/endless" ? endless() : new Uint8Array(500_000), { headers }),
    async (url, _hosts, fetchImage) => {
      for (const path of ["/endless", "/long"]) {
        const refused = await fetchImage(url(path), NEVER);
        assertEquals(refused, { problem: "it is larger than 400000 bytes" });
      }
    },
  );
});

Deno.test("A caller that leaves closes the connection", async () => {
  const caller = new AbortController();
  let hasLeft = false;
  const stalled = () => {
    caller.abort();
    return new ReadableStream({ cancel: () => void (hasLeft = true) });
  };
  await withServer(
    () => new Response(stalled(), { headers: { "content-type": "image/png" } }),
    async (url, _hosts, fetchImage) => {
      const outcome = await fetchImage(url("/"), caller.signal).catch((error) => error.name);
      assertEquals(outcome, "AbortError");
    },
  );
  assertEquals(hasLeft, true);
});

Deno.test("TLS speaks to the checked address, and asks it for the name", async () => {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr;
  const hello = (async () => {
    using connection = await listener.accept();
    const bytes = new Uint8Array(4_096);
    const length = await connection.read(bytes) ?? 0;
    return new TextDecoder("latin1").decode(bytes.subarray(0, length));
  })();
  const fetchImage = createGuardedFetch({
    ports: [port],
    allows: () => true,
    resolve: () => Promise.resolve(["127.0.0.1"]),
  });
  const refused = await fetchImage(`https://images.example:${port}/a.png`, NEVER);
  assertEquals(refused, { problem: "it could not be fetched" });
  assert((await hello).includes("images.example"));
  listener.close();
});

Deno.test("Documents come where documents are asked for, and nothing else does", async () => {
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, (request) => {
    const type = decodeURIComponent(new URL(request.url).pathname.slice(1));
    return new Response("%PDF-1.4", {
      headers: { "content-type": type, "x-accept": request.headers.get("accept") ?? "" },
    });
  });
  const { port } = server.addr;
  const open = { ports: [port], allows: () => true, timeoutMs: 2_000, maxBytes: 400_000 };
  const fetchFile = createGuardedFetch({ ...open, media: DOCUMENTS });
  const url = (type: string) => `http://127.0.0.1:${port}/${encodeURIComponent(type)}`;
  const bytes = new TextEncoder().encode("%PDF-1.4");
  for (const type of ["application/pdf", "text/plain; charset=utf-8", "Text/Markdown"]) {
    const mediaType = type.split(";")[0]?.toLowerCase() ?? "";
    assertEquals(await fetchFile(url(type), NEVER), { mediaType, bytes });
  }
  for (const type of ["image/png", "application/octet-stream", "application/x-sh"]) {
    const refused = await fetchFile(url(type), NEVER);
    assertEquals(refused, { problem: "its server does not send a document" });
  }
  const guarded = createGuardedFetch({ ports: [port], media: DOCUMENTS });
  assert(isUnreadable(await guarded(url("application/pdf"), NEVER)));
  await server.shutdown();
});
