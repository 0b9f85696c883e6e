import { assert, assertEquals, assertMatch } from "@std/assert";
import type { UpstreamCall } from "../../ports/upstream.ts";
import { imageOptionsOf, imagesAskedFor } from "./image_options.ts";
import { Notes } from "./notes.ts";
import { isTranslated, PROVIDERS } from "../providers/provider_kinds.ts";
import { formatOf } from "./translated_fixture.ts";

const IMAGE_FORMATS = new Map(
  PROVIDERS.filter(isTranslated).flatMap(({ kind, protocol }) =>
    protocol.images === undefined ? [] : [[kind, protocol.images] as const]
  ),
);

function translate(
  kind: string,
  fields: Readonly<Record<string, unknown>>,
  more: Partial<UpstreamCall> = {},
) {
  const value = { model: "auto", prompt: "A fox", ...fields };
  const notes = new Notes(formatOf(kind));
  const format = IMAGE_FORMATS.get(kind);
  assert(format !== undefined);
  const options = imageOptionsOf({
    endpoint: "images.generations",
    model: "gemini-3-pro-image-preview",
    body: { text: JSON.stringify(value), value },
    stream: false,
    requestId: "req_1",
    signal: new AbortController().signal,
    ...more,
  }, { format, notes });
  return { options, notes };
}

const SETTINGS = {
  quality: "high",
  background: "opaque",
  style: "vivid",
  moderation: "low",
  output_format: "webp",
  output_compression: 80,
  input_fidelity: "high",
  user: "u1",
};

Deno.test("a plain request needs no options and no warnings", () => {
  const plain = { n: 2, size: "auto", quality: "auto", response_format: "url", stream: false };
  for (const kind of IMAGE_FORMATS.keys()) {
    const { options, notes } = translate(kind, { ...plain, background: null });
    assertEquals(options, {
      prompt: "A fox",
      size: undefined,
      aspectRatio: undefined,
      seed: undefined,
      files: undefined,
      mask: undefined,
      providerOptions: {},
    });
    assertEquals([notes.refusal, notes.warnings], [undefined, []]);
  }
  assertEquals([imagesAskedFor({ n: 3 }), imagesAskedFor({ n: null })], [3, 1]);
});

Deno.test("OpenAI's settings go to OpenAI's models; what an endpoint lacks is reported", () => {
  const generated = translate("azure", SETTINGS);
  assertEquals(generated.options.providerOptions, {
    openai: {
      quality: "high",
      background: "opaque",
      style: "vivid",
      moderation: "low",
      outputFormat: "webp",
      outputCompression: 80,
      user: "u1",
    },
  });
  assertEquals(generated.notes.warnings, ['"input_fidelity" is not supported and was left out']);
  const edited = translate("azure", SETTINGS, { endpoint: "images.edits" });
  assertEquals(edited.options.providerOptions["openai"]?.["inputFidelity"], "high");
  assertEquals(edited.notes.warnings, [
    '"style" is not supported and was left out',
    '"moderation" is not supported and was left out',
  ]);
});

Deno.test("other providers' models receive the options they support, and the answer lists the rest", () => {
  for (const kind of ["google", "google-vertex", "amazon-bedrock"] as const) {
    const { options, notes } = translate(kind, { ...SETTINGS, watermark: true, seed: 7 });
    const quality = kind === "amazon-bedrock";
    assertEquals(options.providerOptions, quality ? { bedrock: { quality: "premium" } } : {});
    assertEquals(options.seed, 7);
    const reported = ["background", "style", "moderation", "output_format", "output_compression"];
    assertEquals(
      notes.warnings,
      [...(quality ? [] : ["quality"]), ...reported, "input_fidelity", "watermark"]
        .map((field) => `"${field}" is not supported and was left out`),
    );
  }
});

Deno.test("a quality that Amazon's models do not have is reported", () => {
  for (const quality of ["xhigh", "toString"]) {
    const { options, notes } = translate("amazon-bedrock", { quality });
    assertEquals(options.providerOptions, {});
    assertEquals(notes.warnings, ['"quality" is not supported and was left out']);
  }
});

Deno.test("an option that would change the picture is refused", () => {
  for (const kind of ["google", "google-vertex", "amazon-bedrock"] as const) {
    assertEquals(translate(kind, { background: "transparent" }).notes.refusal?.param, "background");
    assertEquals(
      translate(kind, { mask: "data:image/png;base64,AAAA" }).notes.refusal?.param,
      "mask",
    );
  }
  assertEquals(translate("azure", { mask: "data:image/png;base64,AAAA" }).notes.refusal, undefined);
});

Deno.test("a size is passed on where the models take pixels", () => {
  for (const kind of ["azure", "amazon-bedrock"] as const) {
    const { options, notes } = translate(kind, { size: "1536x1024" });
    assertEquals([options.size, options.aspectRatio], ["1536x1024", undefined]);
    assertEquals(notes.warnings, []);
  }
});

Deno.test("a size becomes proportions, with a larger drawing where the model has one", () => {
  const rows = [
    ["1024x1024", "gemini-2.5-flash-image", "1:1", undefined],
    ["1536x1024", "gemini-3-pro-image-preview", "3:2", undefined],
    ["1792x1024", "gemini-3-pro-image-preview", "16:9", "2K"],
    ["1024x1792", "gemini-2.5-flash-image", "9:16", undefined],
    ["4096x4096", "gemini-3.1-flash-image-preview", "1:1", "4K"],
    ["512x4096", "gemini-3.1-flash-image-preview", "1:8", "4K"],
  ] as const;
  for (const [size, model, ratio, imageSize] of rows) {
    const { options, notes } = translate("google-vertex", { size }, { model });
    assertEquals([options.size, options.aspectRatio], [undefined, ratio]);
    const own = imageSize === undefined ? {} : { googleVertex: { imageConfig: { imageSize } } };
    assertEquals(options.providerOptions, own);
    const sent = imageSize === undefined ? ratio : `${imageSize} in ${ratio}`;
    assertEquals(notes.warnings, [`"size" was asked for as ${sent}`]);
  }
});

Deno.test("a size between all proportions is refused", () => {
  const { options, notes } = translate("google", { size: "900x1000" });
  assertEquals([options.size, options.aspectRatio], [undefined, undefined]);
  assertEquals(notes.refusal?.param, "size");
  assertMatch(notes.refusal?.message ?? "", /proportions such as 1:1/);
});
