/**
 * Image requests that cannot be served: each is refused with its field, before anything is charged,
 * sent to a provider or fetched.
 *
 * @module
 */

import { assert, assertEquals, assertMatch } from "@std/assert";
import { PRIVATE_URLS } from "../../gateway/guarded_fetch/private_addresses_fixture.ts";
import { dataUri, GIF, JPEG, PNG, pngSized, WEBP } from "../../gateway/images/image_fixture.ts";
import { FakeUpstream } from "../fixtures/fake_upstream.ts";
import { labConfig } from "../fixtures/lab.ts";
import { BOOTSTRAP_KEY, TestService } from "../fixtures/service.ts";

type Fields = Readonly<Record<string, unknown>>;

const HEADERS = { authorization: `Bearer ${BOOTSTRAP_KEY}` };
const GOOD = dataUri("image/png", PNG);
const HUGE = new Uint8Array(20 * 1024 * 1024 + 1);
HUGE.set(PNG);

/** A service in front of a provider that must not hear of any of this. */
async function withService(
  kind: string,
  prove: (service: TestService, fake: FakeUpstream) => Promise<void>,
): Promise<void> {
  await using fake = new FakeUpstream();
  const more = {
    upstreamModel: "gemini-2.5-flash-image",
    endpoints: ["images.generations", "images.edits"],
  };
  const upstream = { kind, region: "eu-central-1" };
  const { baseUrl } = fake;
  const config = labConfig({ id: "painter", baseUrl, upstream, more });
  await using service = await TestService.start({ config });
  await prove(service, fake);
  assertEquals(fake.connections, 0);
  assertEquals((await service.wallet()).spent, 0n);
  await service.assertBooks();
  assertEquals(service.logs.filter((line) => line.level === "error"), []);
}

async function postJson(service: TestService, path: string, fields: Fields): Promise<Response> {
  return await fetch(`${service.openaiUrl}/images/${path}`, {
    method: "POST",
    headers: { ...HEADERS, "content-type": "application/json" },
    body: JSON.stringify({ model: "auto", prompt: "p", ...fields }),
  });
}

async function postForm(
  service: TestService,
  entries: readonly (readonly [string, string | File])[],
): Promise<Response> {
  const body = new FormData();
  for (const [name, value] of [["model", "auto"], ["prompt", "p"], ...entries] as const) {
    body.append(name, value);
  }
  return await fetch(`${service.openaiUrl}/images/edits`, {
    method: "POST",
    headers: HEADERS,
    body,
  });
}

async function assertRefused(response: Response, param: string, message?: RegExp): Promise<void> {
  const { error } = await response.json();
  assertEquals([response.status, error.code, error.param], [400, "invalid_request", param]);
  assertMatch(error.message, message ?? /^[A-Z"].{8,}[^.]$/);
}

/** Files with the type they are declared to have. */
const FILES: readonly (readonly [string, string, Uint8Array, RegExp])[] = [
  ["oversized", "image/png", HUGE, /larger than 20971520 bytes/],
  ["of too many pixels", "image/png", pngSized(16_000, 16_000), /16000x16000 pixels/],
  ["of too long a side", "image/png", pngSized(20_000, 1), /20000x1 pixels/],
  ["a truncated PNG", "image/png", PNG.slice(0, -1), /PNG file is truncated/],
  ["a truncated JPEG", "image/jpeg", JPEG.slice(0, -2), /JPEG file is truncated/],
  ["a truncated WebP", "image/webp", WEBP.lossy.slice(0, -1), /WEBP file is truncated/],
  ["a truncated GIF", "image/gif", GIF.slice(0, -1), /GIF file is truncated/],
  [
    "a JPEG that says it is a PNG",
    "image/png",
    JPEG,
    /declared as "image\/png" and is image\/jpeg/,
  ],
  ["no image", "image/svg+xml", new TextEncoder().encode("<svg/>"), /not a PNG/],
  ["empty", "image/png", new Uint8Array(), /empty/],
];

Deno.test("bad image files are refused by field, as JSON and in a form", async (t) => {
  await withService("google", async (service) => {
    for (const [name, type, bytes, message] of FILES) {
      await t.step(name, async () => {
        const image = dataUri(type, bytes);
        await assertRefused(await postJson(service, "edits", { image }), "image", message);
        const listed = await postJson(service, "edits", { image: [GOOD, image] });
        await assertRefused(listed, "image.1", message);
        const masked = await postJson(service, "edits", { image: GOOD, mask: image });
        await assertRefused(masked, "mask", message);
        const file = new File([new Uint8Array(bytes)], "a", { type });
        const good = new File([new Uint8Array(PNG)], "b.png", { type: "image/png" });
        await assertRefused(await postForm(service, [["image", file]]), "image", message);
        const several = [["image[]", good], ["image[]", file]] as const;
        await assertRefused(await postForm(service, several), "image.1", message);
        const form = await postForm(service, [["image", good], ["mask", file]]);
        await assertRefused(form, "mask", message);
      });
    }
  });
});

Deno.test("badly encoded images and invalid addresses are refused by field", async (t) => {
  await withService("azure", async (service) => {
    const texts: readonly (readonly [string, RegExp])[] = [
      [`${GOOD.slice(0, 40)}*${GOOD.slice(41)}`, /not valid base64/],
      [GOOD.replace("iVBO", "iV-_"), /not valid base64/],
      [GOOD.replace("iVBO", "iV=="), /not valid base64/],
      [`${GOOD}\n`, /not valid base64/],
      [GOOD.replace(";base64", ""), /not in base64/],
      ["data:image/png;base64", /no data URI/],
      ["data:;base64,AAAA", /not a PNG/],
      [PNG.toBase64(), /http\(s\) URL or a base64 data URI/],
      ["file:///etc/passwd", /http\(s\) URL or a base64 data URI/],
      ["gs://bucket/a.png", /http\(s\) URL or a base64 data URI/],
      ["https://user:secret@images.example/a.png", /user name or password/],
      ["https://images.example:8443/a.png", /port 8443/],
      [`https://images.example/${"a".repeat(5_000)}`, /longer than 4096/],
      ["", /./],
    ];
    for (const [image, message] of texts) {
      await t.step(image.slice(0, 30), async () => {
        await assertRefused(await postJson(service, "edits", { image }), "image", message);
        const edit = { image: [GOOD, GOOD], mask: image };
        await assertRefused(await postJson(service, "edits", edit), "mask", message);
        const form = await postForm(service, [["image", image]]);
        await assertRefused(form, "image", message);
      });
    }
  });
});

Deno.test("fields of the wrong kind are refused by name, at either endpoint", async (t) => {
  await withService("amazon-bedrock", async (service) => {
    const both: readonly (readonly [string, unknown])[] = [
      ["stream", true],
      ["stream", "yes"],
      ["n", 0],
      ["n", 11],
      ["n", 1.5],
      ["n", "2"],
      ["size", "big"],
      ["size", "0x64"],
      ["size", "99999x16"],
      ["response_format", "png"],
      ["prompt", ""],
      ["prompt", 7],
      ["prompt", "p".repeat(32_001)],
    ];
    for (const [field, value] of both) {
      await t.step(`${field}: ${JSON.stringify(value).slice(0, 20)}`, async () => {
        const fields = { image: GOOD, [field]: value };
        await assertRefused(await postJson(service, "edits", fields), field);
        await assertRefused(await postJson(service, "generations", { [field]: value }), field);
      });
    }
    const edits: readonly Fields[] = [
      {},
      { image: null },
      { image: 7 },
      { image: [] },
      { image: Array(17).fill(GOOD) },
    ];
    for (const fields of edits) {
      await t.step(JSON.stringify(fields).slice(0, 30), async () => {
        await assertRefused(await postJson(service, "edits", fields), "image");
      });
    }
    const file = new File([new Uint8Array(PNG)], "a.png", { type: "image/png" });
    const forms: readonly (readonly [string, string | File])[] = [
      ["stream", "true"],
      ["n", "0"],
      ["n", "many"],
      ["size", "big"],
      ["prompt", "again"],
      ["size", file],
    ];
    for (const [field, value] of forms) {
      await t.step(`in a form: ${field}`, async () => {
        const form = await postForm(service, [["image", file], [field, value]]);
        await assertRefused(form, field);
      });
    }
  });
});

Deno.test("a body larger than any request is refused before it is read", async () => {
  await withService("google", async (service) => {
    const large = "A".repeat(33 * 1024 * 1024);
    for (const path of ["generations", "edits"]) {
      const response = await postJson(service, path, { image: GOOD, large });
      const { error } = await response.json();
      assertEquals([response.status, error.code], [413, "body_too_large"]);
    }
    const response = await postForm(service, [["image", new File([large], "a.png")]]);
    assertEquals([response.status, (await response.json()).error.code], [413, "body_too_large"]);
  });
});

for (const kind of ["google", "google-vertex", "azure", "amazon-bedrock", "openai"] as const) {
  Deno.test(`no spelling of a private address is fetched for ${kind}`, async () => {
    assert(PRIVATE_URLS.length >= 60);
    await withService(kind, async (service, fake) => {
      for (const port of [80, fake.port]) {
        for (const url of PRIVATE_URLS) {
          const image = url.replace("PORT", String(port));
          await assertRefused(await postJson(service, "edits", { image }), "image");
          const listed = await postJson(service, "edits", { image: [GOOD, image], mask: GOOD });
          await assertRefused(listed, "image.1");
          const masked = await postJson(service, "edits", { image: GOOD, mask: image });
          await assertRefused(masked, "mask");
        }
      }
    });
  });
}
