/**
 * `svc catalog check` against real listeners: upstreams that list the model, lack it, refuse the
 * key, hang, have no list, and are not there at all.
 */

import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { labConfig, UPSTREAM_KEY } from "../fixtures/lab.ts";
import { TestService } from "../fixtures/service.ts";
import { svcOn } from "../fixtures/svc.ts";
import { freePort } from "../fixtures/free_port.ts";

/** Runs the command line against a service. */
async function svc(service: TestService, command: string) {
  const { code, out, err } = await svcOn(service, command.split(" "));
  return { code, out, err };
}

/** Upstreams of every temper on one listener, told apart by the first part of the path. */
class Upstreams implements AsyncDisposable {
  /** Paths that were asked for. */
  readonly requests: string[] = [];
  readonly baseUrl: string;
  readonly #server: Deno.HttpServer<Deno.NetAddr>;
  readonly #hanging = Promise.withResolvers<Response>();

  constructor() {
    const options = { hostname: "127.0.0.1", port: 0, onListen() {} };
    this.#server = Deno.serve(options, (request) => this.#answer(new URL(request.url).pathname));
    this.baseUrl = `http://127.0.0.1:${this.#server.addr.port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#hanging.resolve(new Response());
    await this.#server.shutdown();
  }

  #answer(path: string): Response | Promise<Response> {
    this.requests.push(path);
    const list = (...ids: string[]) => Response.json({ data: ids.map((id) => ({ id })) });
    switch (path) {
      case "/fine/models":
        return list("real-fine", "real-twin-2026-11-01", "other");
      case "/lacking/models":
        return list("real-other");
      case "/refusing/models":
        return Response.json({ error: { message: `Bad key ${UPSTREAM_KEY}` } }, { status: 401 });
      case "/hanging/models":
        return this.#hanging.promise;
      default:
        return new Response("Not found", { status: 404 });
    }
  }
}

Deno.test("svc catalog check: on the simulator all is well", async () => {
  await using service = await TestService.start();
  const { code, out, err } = await svc(service, "catalog check");
  assertEquals([code, err], [0, ""]);
  assertMatch(out, /\nsvc\/sim-vision +ok +own +yes\n/);
});

Deno.test("svc catalog check: each upstream is asked once, and each failure has its name", async () => {
  await using upstream = new Upstreams();
  const { requests, baseUrl } = upstream;
  const names = ["fine", "lacking", "refusing", "hanging", "unlisted"];
  const lab = labConfig(
    ...names.map((id) => ({ id, baseUrl: `${baseUrl}/${id}` })),
    { id: "keyless", baseUrl: "http://127.0.0.1:9/v1" },
    { id: "native", baseUrl: "http://127.0.0.1:9/v2", upstream: { kind: "azure" } },
    { id: "twin", baseUrl: "http://127.0.0.1:9/v1", more: { upstream: "at-fine" } },
  );
  const config = JSON.parse(JSON.stringify(lab), (_, value) => {
    if (value?.id !== "at-keyless") return value;
    const { apiKey: _apiKey, ...upstream } = value;
    return { ...upstream, apiKeyEnv: "LAB_KEY" };
  });
  await using service = await TestService.start({ config });
  const { code, out, err } = await svc(service, "catalog check --timeout 1 --json");
  const body = JSON.parse(out);
  const statuses = Object.fromEntries(
    body.upstreams.map(({ id, status }: { id: string; status: string }) => [id, status]),
  );
  assertEquals(statuses, {
    "at-fine": "listed",
    "at-lacking": "listed",
    "at-refusing": "refused",
    "at-hanging": "timeout",
    "at-unlisted": "unlisted",
    "at-keyless": "no credentials",
    "at-native": "unlisted",
  });
  assertEquals(
    body.models.map(({ id, status, listed }: Record<string, unknown>) => [id, status, listed]),
    [
      ["fine", "ok", true],
      ["lacking", "stale", false],
      ["refusing", "unreachable", null],
      ["hanging", "unreachable", null],
      ["unlisted", "ok", null],
      ["keyless", "unreachable", null],
      ["native", "ok", null],
      ["twin", "ok", true],
    ],
  );
  assertEquals(requests.toSorted(), names.map((id) => `/${id}/models`).toSorted());
  assertEquals(code, 1);
  assertMatch(err, /^4 of 8 models need attention: set LAB_KEY and restart the gateway, or leave /);
  assertStringIncludes(err, 'replace the refused key of "at-refusing"');
  assertStringIncludes(err, 'see why "at-hanging" cannot be asked');
  assertEquals(out.includes(UPSTREAM_KEY), false);
});

Deno.test("svc catalog check: an unreachable upstream is reported, and nothing hangs", async () => {
  const config = labConfig({ id: "gone", baseUrl: `http://127.0.0.1:${freePort()}/v1` });
  await using service = await TestService.start({ config });
  const { code, out } = await svc(service, "catalog check");
  assertEquals(code, 1);
  assertMatch(out, /\ngone +unreachable +own +unknown\n/);
  assertStringIncludes(out, 'Cannot list the models of upstream "at-gone"');
});

Deno.test("svc catalog default: what it prints starts a gateway, and the check names its keys", async () => {
  const io = await TestService.start();
  const printed = await svc(io, "catalog default --only openai,anthropic");
  await io[Symbol.asyncDispose]();
  await using service = await TestService.start({ config: JSON.parse(printed.out) });
  const { code, out, err } = await svc(service, "catalog check");
  assertEquals(code, 1);
  assertMatch(
    err,
    /set OPENAI_API_KEY, ANTHROPIC_API_KEY and restart the gateway, or leave their models out\n$/,
  );
  assertMatch(out, /\nopenai\/gpt-6-sol +unreachable +list +unknown +openai\/gpt-6-sol\n/);
});
