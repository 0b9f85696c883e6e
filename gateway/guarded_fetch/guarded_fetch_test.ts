import { assert, assertEquals, assertRejects } from "@std/assert";
import { IncomingMessage } from "node:http";
import { Socket } from "node:net";
import { isUnreadable } from "../ports/fetch_image.ts";
import { createGuardedFetch, type GuardedFetchOptions, MAX_REDIRECTS } from "./guarded_fetch.ts";
import type { PinnedRequest } from "./pinned_request.ts";
import { PRIVATE_ADDRESSES, PRIVATE_URLS } from "./private_addresses_fixture.ts";

const PUBLIC = "93.184.215.14";
const IMAGE = Uint8Array.of(0x89, 0x50, 0x4e, 0x47);
const NEVER = new AbortController().signal;

interface Served {
  readonly status?: number;
  readonly headers?: Record<string, string>;
  readonly pieces?: readonly Uint8Array[];
  readonly cut?: boolean;
}

function responseOf(served: Served): IncomingMessage {
  const response = new IncomingMessage(new Socket());
  response.statusCode = served.status ?? 200;
  response.headers = served.headers ?? { "content-type": "image/png" };
  for (const piece of served.pieces ?? [IMAGE]) response.push(piece);
  response.push(null);
  response.complete = served.cut !== true;
  return response;
}

/** A guarded fetch whose connections are written down instead of made. */
function guarded(served: readonly Served[], options: GuardedFetchOptions = {}) {
  const sent: PinnedRequest[] = [];
  const fetchImage = createGuardedFetch({
    resolve: () => Promise.resolve([PUBLIC]),
    send: (request) => {
      sent.push(request);
      return Promise.resolve(responseOf(served[sent.length - 1] ?? {}));
    },
    ...options,
  });
  return { sent, fetch: (url: string, signal = NEVER) => fetchImage(url, signal) };
}

Deno.test("An image is fetched from the address that was checked", async () => {
  let requested = "";
  const { sent, fetch } = guarded([{ headers: { "content-type": "Image/PNG; q=1" } }], {
    resolve: (name) => {
      requested = name;
      return Promise.resolve([PUBLIC, "2606:4700::1"]);
    },
  });
  const file = await fetch("https://images.example./a.png?b=c");
  assertEquals(file, { mediaType: "image/png", bytes: IMAGE });
  assertEquals(requested, "images.example");
  assertEquals(sent.map(({ address, url }) => [address, url.pathname]), [[PUBLIC, "/a.png"]]);
  // Nothing of the caller's or the gateway's own goes along.
  const headers = Object.keys(sent[0]?.headers ?? {});
  assertEquals(headers, ["accept", "accept-encoding", "connection", "user-agent"]);
});

Deno.test("No form of a private address is connected to, nor looked up", async () => {
  let lookups = 0;
  const { sent, fetch } = guarded([], {
    ports: [80, 443, 8080],
    resolve: () => {
      lookups++;
      return Promise.resolve([PUBLIC]);
    },
  });
  for (const url of PRIVATE_URLS) {
    assert(isUnreadable(await fetch(url.replace("PORT", "8080"))), url);
  }
  assertEquals([sent.length, lookups], [0, 0]);
});

Deno.test("A name that resolves to anything private is not connected to", async () => {
  for (const address of PRIVATE_ADDRESSES) {
    for (const resolved of [[address], [PUBLIC, address], [address, PUBLIC]]) {
      const { sent, fetch } = guarded([], { resolve: () => Promise.resolve(resolved) });
      assert(isUnreadable(await fetch("https://images.example/a.png")), resolved.join());
      assertEquals(sent.length, 0);
    }
  }
  const { sent, fetch } = guarded([], { resolve: () => Promise.resolve([]) });
  assert(isUnreadable(await fetch("https://images.example/a.png")));
  assertEquals(sent.length, 0);
});

Deno.test("Every redirect is checked like the first address", async () => {
  for (const target of PRIVATE_URLS) {
    const location = target.replace("PORT", "80").trim();
    // Some, read against the address before, only lead back to it.
    const to = URL.parse(location, "http://images.example/a.png");
    if (to?.host === "images.example" && to.username === "") continue;
    const { sent, fetch } = guarded([{ status: 302, headers: { location } }]);
    assert(isUnreadable(await fetch("http://images.example/a.png")), target);
    assertEquals(sent.length, 1, target);
  }
});

Deno.test("A name is resolved and checked again on every redirect", async () => {
  const answers = [[PUBLIC], ["127.0.0.1"]];
  const { sent, fetch } = guarded([{ status: 302, headers: { location: "/b.png" } }], {
    resolve: () => Promise.resolve(answers.shift() ?? []),
  });
  assert(isUnreadable(await fetch("https://images.example/a.png")));
  assertEquals(sent.length, 1);
});

Deno.test("Redirects are followed so far and no further", async () => {
  const redirect = { status: 307, headers: { location: "https://b.example/next" } };
  for (const count of [1, MAX_REDIRECTS]) {
    const { sent, fetch } = guarded(Array(count).fill(redirect));
    assertEquals(isUnreadable(await fetch("http://a.example/")), false);
    assertEquals(sent.length, count + 1);
  }
  const { sent, fetch } = guarded(Array(10).fill(redirect));
  assert(isUnreadable(await fetch("http://a.example/")));
  assertEquals(sent.length, MAX_REDIRECTS + 1);
  for (const headers of [{}, { location: "http://[" }, { location: "http://a.example/" }]) {
    const broken = guarded([{ status: 301, headers: { ...headers } }]);
    assert(isUnreadable(await broken.fetch("https://a.example/")), JSON.stringify(headers));
    assertEquals(broken.sent.length, 1);
  }
});

Deno.test("a response that is not an image, too large, compressed or truncated is refused", async () => {
  const type = { "content-type": "image/png" };
  const rows: [Served, RegExp][] = [
    [{ status: 404 }, /status 404/],
    [{ status: 206 }, /status 206/],
    [{ headers: {} }, /does not send an image/],
    [{ headers: { "content-type": "text/html" } }, /does not send an image/],
    [{ headers: { "content-type": "image/svg+xml" } }, /does not send an image/],
    [{ headers: { ...type, "content-encoding": "gzip" } }, /compresses/],
    [{ headers: { ...type, "content-length": "11" } }, /larger than 10 bytes/],
    [{ pieces: [new Uint8Array(6), new Uint8Array(6)] }, /larger than 10 bytes/],
    [{ cut: true }, /broke off/],
  ];
  for (const [served, problem] of rows) {
    const { fetch } = guarded([served], { maxBytes: 10 });
    const refused = await fetch("https://images.example/a.png");
    assert(isUnreadable(refused) && problem.test(refused.problem), JSON.stringify(refused));
  }
});

Deno.test("network failures have one message, so that they do not reveal the network", async () => {
  const troubles: GuardedFetchOptions[] = [
    { send: () => Promise.reject(new Error("connection refused by 93.184.215.14:443")) },
    { resolve: () => Promise.reject(new Error("ENOTFOUND")) },
  ];
  for (const trouble of troubles) {
    const refused = await guarded([], trouble).fetch("https://images.example/a.png");
    assertEquals(refused, { problem: "it could not be fetched" });
  }
});

Deno.test("Time is limited, for the resolver too", async () => {
  const stalled = new Promise<never>(() => {});
  for (const slow of [{ resolve: () => stalled }, { send: abortable }]) {
    const { fetch } = guarded([], { ...slow, timeoutMs: 5 });
    const refused = await fetch("https://images.example/a.png");
    assertEquals(refused, { problem: "its server takes too long" });
  }
});

Deno.test("A caller that leaves ends it", async () => {
  const caller = new AbortController();
  const { fetch } = guarded([], { send: abortable });
  const fetching = fetch("https://images.example/a.png", caller.signal);
  caller.abort(new DOMException("left", "AbortError"));
  await assertRejects(() => fetching, DOMException, "left");
  await assertRejects(() => fetch("https://images.example/a.png", caller.signal), DOMException);
});

function abortable({ signal }: PinnedRequest): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener("abort", () => reject(signal.reason));
  });
}
