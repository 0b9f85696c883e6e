/**
 * Answers of upstreams to image calls: images, addresses, and other values.
 *
 * @module
 */

import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { imagesAnswerSchema } from "../../gateway/http/schemas/images.ts";
import { PNG } from "../../gateway/images/image_fixture.ts";
import { FakeUpstream, fixed, json, type Script } from "../fixtures/fake_upstream.ts";
import { labConfig } from "../fixtures/lab.ts";
import { BOOTSTRAP_KEY, TestService } from "../fixtures/service.ts";

const PICTURE = PNG.toBase64();
const MICROS_AN_IMAGE = 40_000_000n;

const MORE = {
  endpoints: ["images.generations"],
  price: { inputPerMTok: "0", outputPerMTok: "0", perImage: "0.04", currency: "USD" },
};

/** Two models that draw; the better one is asked first. */
async function studio(): Promise<
  AsyncDisposable & { service: TestService; first: FakeUpstream; second: FakeUpstream }
> {
  const first = new FakeUpstream();
  const second = new FakeUpstream();
  second.otherwise(drawn({ b64_json: PICTURE }));
  const config = labConfig(
    { id: "first", baseUrl: first.baseUrl, quality: 0.95, more: MORE },
    { id: "second", baseUrl: second.baseUrl, quality: 0.1, more: MORE },
  );
  const service = await TestService.start({ config });
  return {
    ...{ service, first, second },
    async [Symbol.asyncDispose]() {
      await service[Symbol.asyncDispose]();
      await first[Symbol.asyncDispose]();
      await second[Symbol.asyncDispose]();
    },
  };
}

function drawn(...data: unknown[]): Script {
  return json({ created: 1, data });
}

function picture(bytes: Uint8Array = PNG, status = 200): Script {
  return fixed(bytes, { status, headers: { "content-type": "application/octet-stream" } });
}

async function generate(service: TestService, format?: "b64_json" | "url") {
  const response = await fetch(`${service.openaiUrl}/images/generations`, {
    method: "POST",
    headers: { authorization: `Bearer ${BOOTSTRAP_KEY}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "auto", prompt: "A fox", response_format: format }),
  });
  assertEquals(response.status, 200);
  return imagesAnswerSchema.parse(await response.json());
}

Deno.test("an answer without real images is not passed on nor charged; another model draws", async () => {
  const page = btoa("<html></html>");
  const images: readonly unknown[] = [
    { b64_json: "!!!!" },
    { b64_json: page },
    { url: "javascript:alert(1)" },
    { url: "http://169.254.169.254/a.png" },
    { url: "http://127.0.0.1:1/a.png" },
  ];
  for (const format of ["url", "b64_json"] as const) {
    for (const image of images) {
      await using rooms = await studio();
      const { service, first } = rooms;
      first.answer(drawn({ b64_json: PICTURE }, image));
      const { data, metadata } = await generate(service, format);
      assertEquals(data.length, 1);
      assertEquals(metadata.routing.attempts.map(({ model, outcome }) => [model, outcome]), [
        ["first", "malformed"],
        ["second", "ok"],
      ]);
      assertEquals((await service.wallet()).spent, MICROS_AN_IMAGE);
      await service.assertBooks();
    }
  }
});

Deno.test("pictures at an upstream's own address arrive as requested", async () => {
  await using rooms = await studio();
  const { service, first } = rooms;
  const { origin } = new URL(first.baseUrl);
  first.answer(drawn({ url: `${origin}/a.png`, revised_prompt: "r" }), picture());
  assertEquals((await generate(service, "b64_json")).data, [
    { b64_json: PICTURE, revised_prompt: "r" },
  ]);
  // The operator's key goes to calls of models alone.
  const [, fetched] = first.requests;
  assertEquals([fetched?.target, fetched?.headers.get("authorization")], ["/a.png", null]);

  first.answer(drawn({ url: `${origin}/b.png` }), picture());
  const url = (await generate(service, "url")).data[0]?.url ?? "";
  assertStringIncludes(url, `${service.running.publicUrl}/files/`);
  const file = await fetch(url);
  assertEquals(file.headers.get("content-type"), "image/png");
  assertEquals((await file.bytes()).toBase64(), PICTURE);
  assertEquals((await service.wallet()).spent, 2n * MICROS_AN_IMAGE);
  await service.assertBooks();
});

Deno.test("a response with pictures that cannot be fetched is a failure", async () => {
  const large = new Uint8Array(20 * 1024 * 1024 + 1);
  large.set(PNG);
  const served: readonly Script[] = [
    picture(PNG, 404),
    picture(new TextEncoder().encode("<html>")),
    picture(large),
    fixed("", { status: 302, headers: { location: "http://169.254.169.254/" } }),
    [{ close: true }],
  ];
  for (const script of served) {
    await using rooms = await studio();
    const { service, first } = rooms;
    first.answer(drawn({ url: `${new URL(first.baseUrl).origin}/a.png` }), script);
    const { data, metadata } = await generate(service);
    assertEquals(data, [{ b64_json: PICTURE }]);
    assertEquals(metadata.routing.attempts[0]?.outcome, "malformed");
    assertEquals((await service.wallet()).spent, MICROS_AN_IMAGE);
    await service.assertBooks();
  }
});

Deno.test("a shutdown does not wait for pictures that never come", async () => {
  await using rooms = await studio();
  const { service, first, second } = rooms;
  first.answer(
    drawn({ url: `${new URL(first.baseUrl).origin}/a.png` }),
    [{ stall: true }],
  );
  second.otherwise(json({}, { status: 500 }));
  const answer = fetch(`${service.openaiUrl}/images/generations`, {
    method: "POST",
    headers: { authorization: `Bearer ${BOOTSTRAP_KEY}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "auto", prompt: "A fox" }),
  });
  while (first.requests.length < 2) await new Promise((resolve) => setTimeout(resolve, 5));
  await service.running.stop({ graceMs: 0 });
  const { status, body } = await answer;
  await body?.cancel();
  assertEquals(status >= 500, true);
});

Deno.test("a signed link serves ranges", async () => {
  await using service = await TestService.start();
  const url = (await generate(service, "url")).data[0]?.url ?? "";
  const whole = await fetch(url);
  assertEquals(whole.headers.get("accept-ranges"), "bytes");
  const bytes = await whole.bytes();
  const size = bytes.length;
  const part = async (headers: Record<string, string>) => {
    const response = await fetch(url, { headers });
    const range = response.headers.get("content-range");
    return { status: response.status, range, bytes: await response.bytes() };
  };
  assertEquals(await part({ range: "bytes=1-3" }), {
    status: 206,
    range: `bytes 1-3/${size}`,
    bytes: bytes.slice(1, 4),
  });
  assertEquals(await part({ range: "bytes=-4" }), {
    status: 206,
    range: `bytes ${size - 4}-${size - 1}/${size}`,
    bytes: bytes.slice(-4),
  });
  const beyond = await part({ range: `bytes=${size}-` });
  assertEquals(beyond, { status: 416, range: `bytes */${size}`, bytes: new Uint8Array() });
  for (const more of [{ range: "bytes=0-1,3-4" }, { range: "bytes=0-1", "if-range": '"tag"' }]) {
    assertEquals(await part(more), { status: 200, range: null, bytes });
  }
  assertMatch(url, /\/files\/file_/);
});
