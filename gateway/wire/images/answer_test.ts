import { assert, assertEquals } from "@std/assert";
import type { ServiceMetadata } from "@svc/sdk/protocol";
import { imagesAnswerSchema } from "../../http/schemas/images.ts";
import { base64Of } from "../../images/data_uri.ts";
import { drawnImages } from "../../images/drawn_images.ts";
import { dataUri, JPEG, PNG } from "../../images/image_fixture.ts";
import type { MediaFile } from "../../ports/fetch_image.ts";
import { countImages, imageAnswer } from "./answer.ts";

const metadata: ServiceMetadata = {
  request_id: "req_1",
  routing: {
    ...{ model: "m", provider: "p", tier: "t", reason: "r", considered: 1, attempts: [] },
    ...{ dial: 0.5, plan: "value", difficulty: 0.25, p: 0.8, p_error: 0.05 },
    ...{ outcomes: 0, snapshot: 0, task: "0123456789abcdef" },
  },
};

async function answered(
  value: Record<string, unknown>,
  format: "b64_json" | "url",
  publish: (file: MediaFile) => Promise<string | undefined> = () => Promise.resolve(undefined),
  isUsageTrue = true,
) {
  const body = { text: JSON.stringify(value), value };
  const { signal } = new AbortController();
  const fetchImage = () => Promise.resolve({ mediaType: "image/jpeg", bytes: JPEG });
  const images = await drawnImages(value, { fetchImage, signal });
  const dialect = "service" as const;
  const options = { images, format, created: 9, metadata, dialect, publish, isUsageTrue };
  const answer = JSON.parse(await imageAnswer(body, options));
  const checked = imagesAnswerSchema.safeParse(answer);
  assert(checked.success, JSON.stringify(checked.error?.issues));
  return answer;
}

const png = base64Of(PNG);
const jpeg = base64Of(JPEG);

Deno.test("images come in base64, with the bill and without unknown members", async () => {
  const answer = await answered({
    created: 5,
    data: [{ b64_json: png, revised_prompt: "A fox", url: null, seed: 3 }, { b64_json: jpeg }],
    size: "1024x1024",
    quality: null,
    upstream_warnings: ['"style" is not supported and was left out'],
    model: "secret-name",
    usage: {
      input_tokens: 50,
      input_tokens_details: { image_tokens: 40, cached_tokens: 1 },
      output_tokens: 272,
      extra: 1,
    },
  }, "b64_json");
  assertEquals(answer, {
    created: 5,
    data: [{ b64_json: png, revised_prompt: "A fox" }, { b64_json: jpeg }],
    size: "1024x1024",
    usage: {
      input_tokens: 50,
      input_tokens_details: { image_tokens: 40, text_tokens: 10 },
      output_tokens: 272,
      total_tokens: 322,
    },
    upstream_warnings: ['"style" is not supported and was left out'],
    metadata,
  });
});

Deno.test("Usage that could not be true is not passed on", async () => {
  const usage = { input_tokens: 50, output_tokens: 1_000_000 };
  const value = { data: [{ b64_json: png }], usage };
  const answer = await answered(value, "b64_json", () => Promise.resolve(undefined), false);
  assertEquals(answer.usage, undefined);
});

Deno.test("members that the upstream omits are filled in or left out", async () => {
  const answer = await answered({ data: [{ b64_json: png }], usage: {} }, "b64_json");
  assertEquals(answer, { created: 9, data: [{ b64_json: png }], metadata });
});

Deno.test("Images are published where addresses are wanted", async () => {
  const files: MediaFile[] = [];
  const publish = (file: MediaFile) =>
    Promise.resolve(`https://g.example/files/${files.push(file)}`);
  const data = [{ b64_json: png }, { b64_json: jpeg, revised_prompt: "r" }];
  const answer = await answered({ data }, "url", publish);
  assertEquals(answer.data, [
    { url: "https://g.example/files/1" },
    { url: "https://g.example/files/2", revised_prompt: "r" },
  ]);
  assertEquals(files.map(({ mediaType }) => mediaType), ["image/png", "image/jpeg"]);
  assertEquals(files.map(({ bytes }) => [...bytes]), [[...PNG], [...JPEG]]);
});

Deno.test("images that cannot be published are sent as data URIs", async () => {
  const answer = await answered({ data: [{ b64_json: png }] }, "url");
  assertEquals(answer.data, [{ url: dataUri("image/png", PNG) }]);
});

Deno.test("an upstream's own address is replaced by base64 or by the gateway's address", async () => {
  const data = [{ url: "https://cdn.example/a.png", revised_prompt: "r" }];
  const inBase64 = await answered({ data }, "b64_json");
  assertEquals(inBase64.data, [{ b64_json: jpeg, revised_prompt: "r" }]);
  const publish = () => Promise.resolve("https://g.example/files/1");
  const byAddress = await answered({ data }, "url", publish);
  assertEquals(byAddress.data, [{ url: "https://g.example/files/1", revised_prompt: "r" }]);
});

Deno.test("Images are counted", () => {
  assertEquals(countImages({ data: [1, 2] }), 2);
  assertEquals(countImages({}), 0);
});
