import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { ForbiddenAddress, Outgoing, type OutgoingOptions } from "./outgoing.ts";

const MAPPED = "::ffff:169.254.169.254";

interface Lab extends AsyncDisposable {
  readonly port: number;
  /** Host headers as received by the server. */
  readonly hosts: string[];
  readonly resolved: string[];
  outgoing(addresses: readonly string[], more?: Partial<OutgoingOptions>): Outgoing;
}

function lab(): Lab {
  const hosts: string[] = [];
  const resolved: string[] = [];
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, (request) => {
    hosts.push(request.headers.get("host") ?? "");
    return new Response(request.headers.get("accept-encoding"));
  });
  return {
    port: server.addr.port,
    hosts,
    resolved,
    outgoing: (addresses, more) =>
      new Outgoing({
        env: () => undefined,
        resolve: (name) => {
          resolved.push(name);
          return Promise.resolve(addresses);
        },
        ...more,
      }),
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

for (
  const address of [
    ...["169.254.169.254", MAPPED, "64:ff9b::a9fe:a9fe", "2002:a9fe:a9fe::1", "fe80::1%eth0"],
    ...["100.100.100.200", "::ffff:100.100.100.200", "fd00:ec2::254", "168.63.129.16"],
  ]
) {
  Deno.test(`a name that leads to ${address} is refused, also beside good ones`, async () => {
    await using there = lab();
    for (const scheme of ["http", "https"]) {
      using outgoing = there.outgoing(["127.0.0.1", address]);
      const error = await assertRejects(
        () => outgoing.fetch(`${scheme}://models.example:${there.port}/`),
        ForbiddenAddress,
      );
      assertStringIncludes(error.message, `"models.example" leads to ${address}`);
    }
    assertEquals(there.hosts, []);
  });
}

Deno.test("a denied address in a URL is refused", async () => {
  using outgoing = new Outgoing({ env: () => undefined });
  for (const host of ["169.254.169.254", `[${MAPPED}]`, "[64:ff9b::a9fe:a9fe]"]) {
    await assertRejects(() => outgoing.fetch(`http://${host}/`), ForbiddenAddress);
  }
});

Deno.test("plain HTTP goes to the checked address, with the name as its host", async () => {
  await using there = lab();
  using outgoing = there.outgoing(["127.0.0.1"], { pool: { poolMaxIdlePerHost: 2 } });
  for (let call = 0; call < 3; call++) {
    const answer = await outgoing.fetch(`http://localhost:${there.port}/v1`);
    assertEquals(await answer.text(), "identity");
  }
  assertEquals(there.hosts, Array(3).fill(`localhost:${there.port}`));
  assertEquals(there.resolved, ["localhost"], "it is not resolved for each request");
});

Deno.test("after a failure another address of the name is tried", async () => {
  await using there = lab();
  using outgoing = there.outgoing(["127.0.0.2", "127.0.0.1"]);
  const url = `http://localhost:${there.port}/`;
  await assertRejects(() => outgoing.fetch(url), Error);
  assertEquals(await (await outgoing.fetch(url)).text(), "identity");
});

Deno.test("a name that the operator trusts, and a proxy's, is not looked at", async () => {
  await using there = lab();
  const url = `http://localhost:${there.port}/`;
  using trusting = there.outgoing([MAPPED], { trustedHost: "localhost" });
  assertEquals(await (await trusting.fetch(url)).text(), "identity");
  using proxied = there.outgoing([MAPPED], { env: (name) => name === "HTTP_PROXY" ? "p" : "" });
  assertEquals(await (await proxied.fetch(url)).text(), "identity");
  assertEquals(there.resolved, []);
});

Deno.test("a resolver that does not answer ends with the request", async () => {
  const pending = Promise.withResolvers<readonly string[]>();
  using outgoing = new Outgoing({ env: () => undefined, resolve: () => pending.promise });
  const leaving = new AbortController();
  const answer = outgoing.fetch("http://localhost/", { signal: leaving.signal });
  leaving.abort(new Error("left"));
  await assertRejects(() => answer, Error, "left");
  pending.resolve([]);
});

Deno.test("a name without addresses cannot be asked", async () => {
  using outgoing = new Outgoing({ env: () => undefined, resolve: () => Promise.resolve([]) });
  await assertRejects(() => outgoing.fetch("http://localhost/"), TypeError, "no address");
});
