/**
 * Images of providers with wires of their own, as an application and its wallet see them.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import { imagesAnswerSchema } from "../../gateway/http/schemas/images.ts";
import { dataUri, PNG } from "../../gateway/images/image_fixture.ts";
import { FakeUpstream, json } from "../fixtures/fake_upstream.ts";
import { INPUT_MICROS, labConfig, type LabModel, OUTPUT_MICROS } from "../fixtures/lab.ts";
import { BOOTSTRAP_KEY, TestService } from "../fixtures/service.ts";
import { BEDROCK_IMAGES, GOOGLE_IMAGES, OPENAI_IMAGES } from "../fixtures/upstreams/images.ts";

const PICTURE = PNG.toBase64();
const ENDPOINTS = ["images.generations", "images.edits"];
/** Five times the price of a token of text. */
const IMAGE_MICROS = 5_000n;
const TOKENS = {
  inputPerMTok: "1.00",
  imageInputPerMTok: "5.00",
  outputPerMTok: "2.00",
  currency: "USD",
};

/** A model that draws, alone at its upstream. */
function painter(
  kind: string,
  upstreamModel: string,
  options: Omit<LabModel, "id"> & { readonly price?: never; readonly cost?: unknown },
): LabModel {
  const { cost = TOKENS, ...rest } = options;
  return {
    id: kind,
    ...rest,
    upstream: { kind, region: "eu-central-1" },
    more: { upstreamModel, endpoints: ENDPOINTS, price: cost },
  };
}

const gemini = (baseUrl: string, quality = 0.5) =>
  painter("google", "gemini-2.5-flash-image", { baseUrl, quality });

async function post(service: TestService, path: string, fields: Record<string, unknown>) {
  const response = await fetch(`${service.openaiUrl}/images/${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${BOOTSTRAP_KEY}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "auto", prompt: "A fox", ...fields }),
  });
  return { response, body: await response.json() };
}

Deno.test("an edit is billed by its tokens of text, of images read and of images drawn", async () => {
  await using fake = new FakeUpstream();
  await using service = await TestService.start({ config: labConfig(gemini(fake.baseUrl)) });
  fake.otherwise(json(GOOGLE_IMAGES.drawn([PICTURE])));
  const { response, body } = await post(service, "edits", {
    image: dataUri("image/png", PNG),
    n: 2,
    size: "1536x1024",
    style: "vivid",
  });
  assertEquals(response.status, 200, JSON.stringify(body));
  const answer = imagesAnswerSchema.parse(body);
  assertEquals(answer.data, [{ b64_json: PICTURE }, { b64_json: PICTURE }]);
  assertEquals(answer.upstream_warnings, [
    '"style" is not supported and was left out',
    '"size" was asked for as 3:2',
  ]);
  assertEquals(answer.usage, {
    input_tokens: 20,
    input_tokens_details: { image_tokens: 8, text_tokens: 12 },
    output_tokens: 200,
    total_tokens: 220,
  });
  const charge = 12n * INPUT_MICROS + 8n * IMAGE_MICROS + 200n * OUTPUT_MICROS;
  assertEquals((await service.wallet()).spent, charge);
  const record = await service.lastRequest();
  assertEquals([record.inputTokens, record.outputTokens, record.estimated], [20, 200, false]);
  await service.assertBooks();
});

Deno.test("images of a provider that counts no tokens are billed by the image", async () => {
  await using fake = new FakeUpstream();
  const cost = { inputPerMTok: "0", outputPerMTok: "0", perImage: "0.04", currency: "USD" };
  const { baseUrl } = fake;
  const canvas = painter("amazon-bedrock", "amazon.nova-canvas-v1:0", { baseUrl, cost });
  await using service = await TestService.start({ config: labConfig(canvas) });
  fake.answer(json(BEDROCK_IMAGES.drawn([PICTURE, PICTURE])));
  const { response, body } = await post(service, "generations", { n: 2 });
  assertEquals(response.status, 200, JSON.stringify(body));
  assertEquals(imagesAnswerSchema.parse(body).usage, undefined);
  assertEquals((await service.wallet()).spent, 80_000_000n);
  assertEquals((await service.lastRequest()).estimated, false);
  await service.assertBooks();
});

Deno.test("a provider that cannot draw is replaced by another, and only that one is paid", async () => {
  const failures = [
    json(GOOGLE_IMAGES.error("Overloaded"), { status: 503 }),
    json(GOOGLE_IMAGES.error("Slow down"), { status: 429, headers: { "retry-after": "1" } }),
    json(GOOGLE_IMAGES.empty),
  ];
  for (const script of failures) {
    await using broken = new FakeUpstream();
    await using fine = new FakeUpstream();
    const azure = painter("azure", "our-pictures", { baseUrl: fine.baseUrl, quality: 0.4 });
    const config = labConfig(gemini(broken.baseUrl, 0.9), azure);
    await using service = await TestService.start({ config });
    broken.answer(script);
    fine.answer(json(OPENAI_IMAGES.drawn([PICTURE])));
    const { response, body } = await post(service, "generations", {});
    assertEquals(response.status, 200, JSON.stringify(body));
    const { data, metadata, size } = imagesAnswerSchema.parse(body);
    assertEquals(data, [{ b64_json: PICTURE, revised_prompt: "A red fox" }]);
    assertEquals([size, metadata.routing.model], ["1536x1024", "azure"]);
    assertEquals(metadata.routing.attempts.length, 2);
    const charge = 6n * INPUT_MICROS + 4n * IMAGE_MICROS + 100n * OUTPUT_MICROS;
    assertEquals((await service.wallet()).spent, charge);
    await service.assertBooks();
  }
});

Deno.test("a model that its provider's package cannot draw with gives way to another", async () => {
  await using old = new FakeUpstream();
  await using fine = new FakeUpstream();
  const imagen = painter("google-vertex", "imagen-4.0-generate-001", {
    baseUrl: old.baseUrl,
    quality: 0.9,
  });
  const config = labConfig(imagen, gemini(fine.baseUrl, 0.4));
  await using service = await TestService.start({ config });
  fine.answer(json(GOOGLE_IMAGES.drawn([PICTURE])));
  const { response, body } = await post(service, "generations", {});
  assertEquals([response.status, body.metadata?.routing.model], [200, "google"]);
  assertEquals(old.connections, 0);
  await service.assertBooks();
});

Deno.test("a filter's refusal is the caller's 400 and costs nothing", async () => {
  for (const { body: refusal, status } of GOOGLE_IMAGES.blocked) {
    await using fake = new FakeUpstream();
    await using service = await TestService.start({ config: labConfig(gemini(fake.baseUrl)) });
    fake.answer(json(refusal, { status }));
    const { response, body } = await post(service, "generations", {});
    assertEquals([response.status, body.error.code], [400, "invalid_request"]);
    assertEquals(body.error.param, "prompt");
    assertEquals((await service.wallet()).spent, 0n);
    await service.assertBooks();
  }
});

Deno.test("when all are busy the caller receives Retry-After", async () => {
  await using fake = new FakeUpstream();
  await using service = await TestService.start({ config: labConfig(gemini(fake.baseUrl)) });
  const headers = { "retry-after": "7" };
  fake.otherwise(json(GOOGLE_IMAGES.error("Slow down"), { status: 429, headers }));
  const { response, body } = await post(service, "generations", { n: 2 });
  assertEquals([response.status, body.error.code], [429, "rate_limit_exceeded"]);
  const seconds = Number(response.headers.get("retry-after"));
  assert(seconds > 0 && seconds <= 7, `${seconds}`);
  assertEquals((await service.wallet()).spent, 0n);
  await service.assertBooks();
});

Deno.test("a disconnect cancels every request of the drawing, and costs nothing", async () => {
  await using fake = new FakeUpstream();
  await using service = await TestService.start({ config: labConfig(gemini(fake.baseUrl)) });
  fake.otherwise([{ stall: true }]);
  const caller = new AbortController();
  const drawing = service.client().images.generate(
    { model: "auto", prompt: "A fox", n: 3 },
    { signal: caller.signal },
  ).catch((error) => error);
  await fake.stalling(3);
  caller.abort();
  await drawing;
  await fake.clientLeft(3);
  await service.quiet();
  assertEquals((await service.wallet()).spent, 0n);
  await service.assertBooks();
});
