/**
 * Images through the whole service, with OpenAI's own client.
 *
 * @module
 */

import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import OpenAI from "openai";
import { imagesAnswerSchema } from "../../gateway/http/schemas/images.ts";
import { StoreError } from "../../gateway/ports/store_error.ts";
import { TestService } from "../fixtures/service.ts";

const MICROS_AN_IMAGE = 20_000_000n;

function pngSize(base64: string): [number, number] {
  const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
  const view = new DataView(bytes.buffer);
  return [view.getUint32(16), view.getUint32(20)];
}

function post(service: TestService, path: string, body: unknown): Promise<Response> {
  return fetch(`${service.openaiUrl}${path}`, {
    method: "POST",
    headers: {
      authorization: "Bearer svc_test_bootstrap_key",
      "content-type": "application/json",
    },
    body: JSON.stringify(body),
  });
}

Deno.test("OpenAI's client draws and edits images, and each is billed", async () => {
  await using service = await TestService.start();
  const client = service.client();
  const drawn = await client.images.generate({
    model: "auto",
    prompt: "A lighthouse",
    n: 2,
    size: "64x32" as "256x256",
  });
  assertEquals(drawn.data?.map((image) => pngSize(image.b64_json ?? "")), [[64, 32], [64, 32]]);
  assertEquals((await service.wallet()).spent, 2n * MICROS_AN_IMAGE);
  const first = drawn.data?.[0]?.b64_json ?? "";
  const file = Uint8Array.from(atob(first), (letter) => letter.charCodeAt(0));
  const edited = await client.images.edit({
    model: "auto",
    prompt: "At night",
    image: await OpenAI.toFile(file, "lighthouse.png", { type: "image/png" }),
  });
  const second = edited.data?.[0]?.b64_json ?? "";
  assert(second !== first && second !== "");
  assertEquals((await service.wallet()).spent, 3n * MICROS_AN_IMAGE);
  await service.assertBooks();
});

Deno.test("an image by address comes over a signed link, and only by it", async () => {
  await using service = await TestService.start();
  const response = await post(service, "/images/generations", {
    model: "auto",
    prompt: "A lighthouse",
    size: "16x16",
    response_format: "url",
  });
  assertEquals(response.status, 200);
  const answer = imagesAnswerSchema.parse(await response.json());
  const url = answer.data[0]?.url ?? "";
  assertStringIncludes(url, `${service.running.publicUrl}/files/`);
  const file = await fetch(url);
  assertEquals([file.status, file.headers.get("content-type")], [200, "image/png"]);
  assertEquals([...(await file.bytes()).subarray(1, 4)], [0x50, 0x4e, 0x47]);
  for (const changed of [url.slice(0, -1), url.replace(/expires=\d+/, "expires=9999999999")]) {
    const refused = await fetch(changed);
    assertEquals(refused.status, 404);
    await refused.body?.cancel();
  }
});

Deno.test("an image that is paid for arrives, also where the store fails to put it up", async () => {
  await using service = await TestService.start();
  const { blobs } = service.running.stores;
  Object.defineProperty(blobs, "put", { value: () => Promise.reject(new StoreError("full")) });
  const response = await post(service, "/images/generations", {
    model: "auto",
    prompt: "A lighthouse",
    size: "16x16",
    response_format: "url",
  });
  const answer = imagesAnswerSchema.parse(await response.json());
  assertStringIncludes(answer.data[0]?.url ?? "", "data:image/png;base64,");
  assertEquals((await service.wallet()).spent, MICROS_AN_IMAGE);
  await service.assertBooks();
});

Deno.test("an image request that cannot be served is refused before any charge", async () => {
  await using service = await TestService.start();
  const edit = { model: "auto", prompt: "x", image: "data:image/png;base64,AAAA" };
  const cases: [string, Record<string, unknown>, string, string | null][] = [
    ["/images/generations", { prompt: "x" }, "model_not_allowed", "model"],
    ["/images/generations", { model: "auto" }, "invalid_request", "prompt"],
    [
      "/images/generations",
      { model: "auto", prompt: "x", stream: true },
      "invalid_request",
      "stream",
    ],
    ["/images/generations", { model: "auto", prompt: "x", size: "big" }, "invalid_request", "size"],
    ["/images/edits", { model: "auto", prompt: "x" }, "invalid_request", "image"],
    ["/images/edits", edit, "invalid_request", "image"],
    ["/images/edits", { ...edit, image: "http://10.0.0.1/x.png" }, "invalid_request", "image"],
    ["/images/edits", { ...edit, stream: true }, "invalid_request", "stream"],
  ];
  for (const [path, body, code, param] of cases) {
    const response = await post(service, path, body);
    const { error } = await response.json();
    assertEquals([response.status, error.code, error.param], [400, code, param], path);
  }
  assertEquals((await service.wallet()).spent, 0n);
  await service.assertBooks();
});

Deno.test("a key without image endpoints draws nothing", async () => {
  await using service = await TestService.start();
  const { key } = await service.newKey({ policy: { endpoints: ["chat"] } });
  await assertRejects(
    () => service.client({ apiKey: key }).images.generate({ model: "auto", prompt: "x" }),
    OpenAI.PermissionDeniedError,
  );
});
