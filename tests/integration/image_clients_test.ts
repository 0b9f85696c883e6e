/**
 * Image calls of common client libraries, against the simulator and against a provider with its own
 * wire format.
 *
 * @module
 */

import { assert, assertEquals, assertRejects } from "@std/assert";
import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { generateImage } from "ai";
import OpenAI from "openai";
import { GIF, JPEG, PNG, WEBP } from "../../gateway/images/image_fixture.ts";
import { readImageFile } from "../../gateway/images/image_file.ts";
import { FakeUpstream, json } from "../fixtures/fake_upstream.ts";
import { labConfig } from "../fixtures/lab.ts";
import { BOOTSTRAP_KEY, TestService } from "../fixtures/service.ts";
import { GOOGLE_IMAGES } from "../fixtures/upstreams/images.ts";

/** A service with one of two image providers. */
interface Studio {
  readonly name: string;
  /** Starts it, with a provider that always returns the same PNG. */
  start(fake: FakeUpstream): Promise<TestService>;
  /** Dimensions of the result for a request of 64x64. */
  readonly drawn: { readonly width: number; readonly height: number };
  /** True when masks and transparent backgrounds are supported. */
  readonly masks: boolean;
}

const STUDIOS: readonly Studio[] = [
  {
    name: "the simulator",
    start: () => TestService.start(),
    drawn: { width: 64, height: 64 },
    masks: true,
  },
  {
    name: "Gemini",
    start: (fake) => {
      fake.otherwise(json(GOOGLE_IMAGES.drawn([PNG.toBase64()])));
      const more = {
        upstreamModel: "gemini-2.5-flash-image",
        endpoints: ["images.generations", "images.edits"],
      };
      const { baseUrl } = fake;
      const upstream = { kind: "google" };
      return TestService.start({ config: labConfig({ id: "painter", baseUrl, upstream, more }) });
    },
    drawn: { width: 3, height: 2 },
    masks: false,
  },
];

const SIZE = "64x64";
const png = () => OpenAI.toFile(PNG, "a.png", { type: "image/png" });

function sizeOf(file: Uint8Array): { width: number; height: number } {
  const image = readImageFile(file);
  assert("type" in image, JSON.stringify(image));
  assertEquals(image.type, "image/png");
  return { width: image.width, height: image.height };
}

async function bytesOf(image: OpenAI.Images.Image): Promise<Uint8Array> {
  if (image.b64_json !== undefined) return Uint8Array.fromBase64(image.b64_json);
  const response = await fetch(image.url ?? "");
  assertEquals([response.status, response.headers.get("content-type")], [200, "image/png"]);
  return await response.bytes();
}

for (const studio of STUDIOS) {
  const on = (
    sentence: string,
    prove: (service: TestService, fake: FakeUpstream) => Promise<void>,
  ) =>
    Deno.test(`images at ${studio.name}: ${sentence}`, async () => {
      await using fake = new FakeUpstream();
      await using service = await studio.start(fake);
      await prove(service, fake);
      await service.assertBooks();
    });

  for (const response_format of ["b64_json", "url"] as const) {
    on(`openai draws two, as ${response_format}`, async (service) => {
      const answer = await service.client().images.generate({
        model: "auto",
        prompt: "A fox",
        n: 2,
        size: SIZE as "256x256",
        response_format,
      });
      assertEquals(answer.data?.length, 2);
      for (const image of answer.data ?? []) {
        assertEquals(Object.keys(image), [response_format]);
        assertEquals(sizeOf(await bytesOf(image)), studio.drawn);
      }
      assert((answer.usage?.output_tokens ?? 0) > 0);
      assert((await service.wallet()).spent > 0n);
    });

    on(`openai edits one file and several, as ${response_format}`, async (service) => {
      const { images } = service.client();
      const base = { model: "auto", prompt: "At night", size: SIZE, response_format } as const;
      const several = [
        await png(),
        await OpenAI.toFile(JPEG, "b.jpg", { type: "image/jpeg" }),
        await OpenAI.toFile(WEBP.lossy, "c.webp", { type: "image/webp" }),
        await OpenAI.toFile(GIF, "d.gif", { type: "image/gif" }),
      ];
      for (const image of [await png(), several, several.slice(1)]) {
        const edited = await images.edit({ ...base, size: SIZE as "256x256", image });
        const [one] = edited.data ?? [];
        assert(one !== undefined);
        assertEquals(sizeOf(await bytesOf(one)), studio.drawn);
        assert((edited.usage?.input_tokens_details.image_tokens ?? 0) > 0);
      }
    });
  }

  on("openai edits with a mask, or receives the reason", async (service, fake) => {
    const editing = service.client().images.edit({
      model: "auto",
      prompt: "At night",
      image: await png(),
      mask: await png(),
    });
    if (studio.masks) {
      assertEquals((await editing).data?.length, 1);
      return;
    }
    const error = await assertRejects(() => editing, OpenAI.BadRequestError);
    assertEquals([error.param, error.requestID !== undefined], ["mask", true]);
    assertEquals(fake.requests.length, 0);
    assertEquals((await service.wallet()).spent, 0n);
  });

  const providers = {
    "@ai-sdk/openai": (baseURL: string) =>
      createOpenAI({ baseURL, apiKey: BOOTSTRAP_KEY }).image("auto"),
    "@ai-sdk/openai-compatible": (baseURL: string) =>
      createOpenAICompatible({ name: "svc", baseURL, apiKey: BOOTSTRAP_KEY }).imageModel("auto"),
  };
  for (const [name, open] of Object.entries(providers)) {
    on(`generateImage() through ${name} draws and edits`, async (service) => {
      const model = open(service.openaiUrl);
      const maxRetries = 0;
      const drawn = await generateImage({ model, prompt: "A fox", n: 2, size: SIZE, maxRetries });
      assertEquals(drawn.images.map((image) => sizeOf(image.uint8Array)), [
        studio.drawn,
        studio.drawn,
      ]);
      assertEquals([drawn.image.mediaType, drawn.warnings], ["image/png", []]);
      assert((drawn.usage.outputTokens ?? 0) > 0);
      const edited = await generateImage({
        model,
        prompt: { text: "At night", images: [drawn.image.uint8Array, JPEG] },
        size: SIZE,
        maxRetries,
      });
      assertEquals(sizeOf(edited.image.uint8Array), studio.drawn);
      assert((await service.wallet()).spent > 0n);
    });
  }
}
