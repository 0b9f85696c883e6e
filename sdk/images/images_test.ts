import { assertEquals, assertRejects } from "@std/assert";
import { assertType } from "@std/testing/types";
import { ConfigurationError, type ImageChangeRequest, type ImageGenerateRequest } from "../mod.ts";
import { json, metadata, scripted } from "../scripted_service_test.ts";

const ANSWER = { created: 1, data: [{ b64_json: "aGk=" }], metadata: metadata("req-1", "2.0") };

type Takes<Request, Given> = [Given] extends [Request] ? true : false;

assertType<Takes<ImageGenerateRequest, { prompt: string; stream: true }>>(false);
assertType<Takes<ImageGenerateRequest, { prompt: string; stream: boolean }>>(false);
assertType<Takes<ImageGenerateRequest, { prompt: string; stream: false; seed: number }>>(true);
assertType<Takes<ImageChangeRequest, { prompt: string; image: string; stream: true }>>(false);
assertType<Takes<ImageChangeRequest, { prompt: string; image: string }>>(true);

Deno.test("images.generate() takes the options of a call, and no others", async () => {
  const { client, sent } = scripted(json(ANSWER));
  await client.images.generate({ prompt: "A cat" }, { requestId: "mine" });
  assertEquals(sent[0]?.headers.get("x-request-id"), "mine");
  const unknown = JSON.parse('{"retries":1}');
  await assertRejects(() => client.images.generate({ prompt: "A" }, unknown), ConfigurationError);
});

Deno.test("images refuse a value that is not a request", async () => {
  const { client: { images }, sent } = scripted(json(ANSWER));
  for (const method of [images.generate, images.edit]) {
    await assertRejects(
      // As plain JavaScript may call it.
      () => Reflect.apply(method, images, ["A cat"]),
      ConfigurationError,
      "no object",
    );
  }
  assertEquals(sent, []);
});
