import { assertEquals } from "@std/assert";
import { ServiceFault } from "../../domain/fault.ts";
import { validate } from "../validation.ts";
import { imageEditSchema, imageGenerationSchema, imagesAnswerSchema } from "./images.ts";

const BASE = { model: "auto", prompt: "A red fox" };
const IMAGE = "https://images.example/a.png";

function paramOf(schema: typeof imageEditSchema | typeof imageGenerationSchema, value: unknown) {
  try {
    validate(schema, value);
  } catch (error) {
    if (error instanceof ServiceFault) return error.param ?? "";
    throw error;
  }
  return "accepted";
}

Deno.test("Image requests are accepted, or refused by field", () => {
  const rows: [Record<string, unknown>, string][] = [
    [{}, "accepted"],
    [{ n: null, size: null, response_format: null, stream: null }, "accepted"],
    [{ n: 10, size: "4096x16", response_format: "url", stream: false }, "accepted"],
    [{ size: "auto", quality: "high", unknown: { a: 1 } }, "accepted"],
    [{ model: "gpt-image-1" }, "model"],
    [{ prompt: "" }, "prompt"],
    [{ prompt: 7 }, "prompt"],
    [{ prompt: "x".repeat(32_001) }, "prompt"],
    [{ n: 0 }, "n"],
    [{ n: 11 }, "n"],
    [{ n: 1.5 }, "n"],
    [{ n: "1" }, "n"],
    [{ size: "large" }, "size"],
    [{ size: "0x10" }, "size"],
    [{ size: "1024" }, "size"],
    [{ size: "1024x" }, "size"],
    [{ size: "8x1024" }, "size"],
    [{ size: "9999x9999" }, "size"],
    [{ size: "1024X1024" }, "size"],
    [{ size: "99999999999x1" }, "size"],
    [{ response_format: "png" }, "response_format"],
    [{ stream: true }, "stream"],
  ];
  for (const [change, param] of rows) {
    const what = JSON.stringify(change).slice(0, 60);
    assertEquals(paramOf(imageGenerationSchema, { ...BASE, ...change }), param, what);
    assertEquals(paramOf(imageEditSchema, { ...BASE, image: IMAGE, ...change }), param, what);
  }
});

Deno.test("Edits have images, and few enough", () => {
  const rows: [unknown, string][] = [
    [IMAGE, "accepted"],
    [[IMAGE, IMAGE], "accepted"],
    [undefined, "image"],
    [null, "image"],
    [7, "image"],
    [[], "image"],
    [[IMAGE, 7], "image.1"],
    [Array(17).fill(IMAGE), "image"],
  ];
  for (const [image, param] of rows) {
    assertEquals(paramOf(imageEditSchema, { ...BASE, image }), param, JSON.stringify(image));
  }
  assertEquals(paramOf(imageEditSchema, { ...BASE, image: IMAGE, mask: 7 }), "mask");
});

Deno.test("Edits take OpenAI's JSON form of images, or their own, and not both", () => {
  const one = { image_url: IMAGE };
  const rows: [Record<string, unknown>, string][] = [
    [{ images: [one] }, "accepted"],
    [{ images: [one, { ...one, detail: "low" }], mask: one }, "accepted"],
    [{ image: IMAGE, mask: one }, "accepted"],
    [{ image: IMAGE, images: [one] }, "images"],
    [{ images: [] }, "images"],
    [{ images: Array(17).fill(one) }, "images"],
    [{ images: [IMAGE] }, "images.0"],
    [{ images: [one, { file_id: "file_1" }] }, "images.1.image_url"],
    [{ images: null }, "images"],
    [{ images: [one], mask: { file_id: "file_1" } }, "mask.image_url"],
  ];
  for (const [fields, param] of rows) {
    assertEquals(paramOf(imageEditSchema, { ...BASE, ...fields }), param, JSON.stringify(fields));
  }
});

Deno.test("Answers are held to every field", () => {
  const metadata = {
    request_id: "req_1",
    routing: {
      ...{ model: "m", provider: "p", tier: "t", reason: "r", considered: 1, attempts: [] },
      ...{ dial: 0.5, plan: "value", difficulty: 0.25, p: 0.8, p_error: 0.05 },
      ...{ outcomes: 0, snapshot: 0, task: "0123456789abcdef" },
    },
  };
  const answer = { created: 1, data: [{ b64_json: "AAAA" }], metadata };
  const ok = (value: unknown) => imagesAnswerSchema.safeParse(value).success;
  assertEquals(ok(answer), true);
  assertEquals(ok({ ...answer, data: [{ url: "https://g.example/files/a?b=c" }] }), true);
  const { created: _, ...dateless } = answer;
  for (
    const wrong of [
      dateless,
      { ...answer, model: "m" },
      { ...answer, metadata: undefined },
      { ...answer, data: [] },
      { ...answer, data: [{}] },
      { ...answer, data: [{ b64_json: "AAAA", url: "https://g.example/" }] },
      { ...answer, data: [{ b64_json: "?" }] },
      { ...answer, data: [{ url: "ftp://g.example/" }] },
      { ...answer, usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 } },
    ]
  ) assertEquals(ok(wrong), false, JSON.stringify(wrong));
});
