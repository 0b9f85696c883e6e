/**
 * The listeners of operators as others reach them: by a name, through a container's address, and that
 * of metrics alone.
 *
 * @module
 */

import { assertEquals, assertStringIncludes } from "@std/assert";
import { connect } from "node:net";
import { ADMIN_TOKEN, TestService } from "../fixtures/service.ts";
import { scrape } from "../fixtures/prometheus.ts";

const METRICS_TOKEN = "metrics/token+of-tests=";

/** Status of `GET path` under a name: `fetch` sets `Host` itself. */
async function statusAs(host: string, url: string, path = "/admin/v1/service"): Promise<number> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  let text = "";
  socket.on("error", reject);
  socket.on("data", (chunk) => text += chunk);
  socket.on("close", () => resolve(Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1])));
  socket.write(
    `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${ADMIN_TOKEN}\r\n` +
      "Connection: close\r\n\r\n",
  );
  return await promise;
}

Deno.test("an admin listener answers to each name that it was given, to no other", async () => {
  await using service = await TestService.start({
    settings: {
      adminUrls: ["https://ops.example.com", "http://svc:8788"],
    },
  });
  const { adminUrl, publicUrl } = service.running;
  for (const host of ["ops.example.com", "OPS.example.com:8443", "svc:8788", "localhost:1"]) {
    assertEquals(await statusAs(host, adminUrl), 200, host);
  }
  for (const host of ["evil.example", "example.com", "svc.evil.example:8788"]) {
    assertEquals(await statusAs(host, adminUrl), 400, host);
  }
  // They are names of that listener alone.
  assertEquals(await statusAs("ops.example.com", publicUrl, "/healthz"), 400);
  assertStringIncludes(service.printed, "https://ops.example.com/console");
});

Deno.test("a listener for metrics answers to any name, and to nothing but /metrics", async () => {
  await using service = await TestService.start({
    settings: { metrics: { host: "127.0.0.1", port: 0 } },
  });
  const { metricsUrl = "", adminUrl } = service.running;
  const { origin } = new URL(metricsUrl);
  assertEquals(await statusAs("prometheus-target.example", metricsUrl, "/metrics"), 200);
  const page = await scrape(origin, undefined);
  assertStringIncludes(await page.text(), "svc_requests_in_flight");
  for (const path of ["/admin/v1/service", "/console", "/openapi.json", "/"]) {
    assertEquals(await statusAs("localhost", metricsUrl, path), 404, path);
  }
  // The admin listener goes on asking for a token.
  const closed = await scrape(adminUrl, undefined);
  await closed.body?.cancel();
  assertEquals(closed.status, 401);
});

Deno.test("with a metrics token its listener asks for that one, and takes no operator's", async () => {
  await using service = await TestService.start({
    settings: { metrics: { host: "127.0.0.1", port: 0 }, metricsToken: METRICS_TOKEN },
  });
  const { origin } = new URL(service.running.metricsUrl ?? "");
  for (
    const [token, status] of [
      [undefined, 401],
      ["wrong_token_of_tests", 401],
      [ADMIN_TOKEN, 401],
      [METRICS_TOKEN, 200],
    ] as const
  ) {
    const answer = await scrape(origin, token);
    await answer.body?.cancel();
    assertEquals(answer.status, status, token);
  }
});
