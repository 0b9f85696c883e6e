import { assertEquals, assertRejects } from "@std/assert";
import { assertType } from "@std/testing/types";
import {
  ConfigurationError,
  type ImageChangeRequest,
  type ImageGenerateRequest,
  type Images,
  MissingAPIKeyError,
  ServiceAPIError,
} from "../mod.ts";
import { json, metadata, scripted } from "../scripted_service_test.ts";

const ANSWER = { created: 1, data: [{ b64_json: "aGk=" }], metadata: metadata("req-1", "2.0") };

type Takes<Request, Given> = [Given] extends [Request] ? true : false;

assertType<Takes<ImageGenerateRequest, { prompt: string; stream: true }>>(false);
assertType<Takes<ImageGenerateRequest, { prompt: string; stream: boolean }>>(false);
assertType<Takes<ImageGenerateRequest, { prompt: string; stream: false; seed: number }>>(true);
assertType<Takes<ImageChangeRequest, { prompt: string; image: string; stream: true }>>(false);
assertType<Takes<ImageChangeRequest, { prompt: string; image: string }>>(true);

const METHODS: Readonly<
  Record<string, readonly [path: string, call: (images: Images, more?: object) => Promise<unknown>]>
> = {
  generate: [
    "http://svc.test/openai/v1/images/generations",
    (images, more) => images.generate({ prompt: "A cat", size: "64x64", ...more }),
  ],
  edit: [
    "http://svc.test/openai/v1/images/edits",
    (images, more) => images.edit({ prompt: "A cat", image: "https://a.test/b.png", ...more }),
  ],
};

for (const [name, [url, call]] of Object.entries(METHODS)) {
  Deno.test(`images.${name}() sends the whole request as auto, and tells the id`, async () => {
    const { client, sent } = scripted(json(ANSWER));
    const answer = await call(client.images, { unheard_of: 1, stream: false });
    assertEquals(answer, { ...ANSWER, requestId: "req-1" });
    const [request] = sent;
    assertEquals([request?.method, request?.url], ["POST", url]);
    assertEquals(request?.json["model"], "auto");
    assertEquals(request?.json["unheard_of"], 1);
  });

  Deno.test(`images.${name}() sends nothing that cannot be sent`, async () => {
    const { client, sent } = scripted(json(ANSWER));
    await assertRejects(
      () => call(client.images, { stream: true }),
      ConfigurationError,
      "one reply",
    );
    await assertRejects(() => call(client.images, { model: "x" }), ConfigurationError, "model");
    const stranger = scripted(json(ANSWER), { apiKey: "" });
    await assertRejects(() => call(stranger.client.images), MissingAPIKeyError);
    assertEquals([...sent, ...stranger.sent], []);
  });

  Deno.test(`images.${name}() throws the service's error`, async () => {
    const { client } = scripted(json({ error: { code: "policy_denied" } }, { status: 403 }));
    const error = await assertRejects(() => call(client.images), ServiceAPIError);
    assertEquals([error.status, error.code], [403, "policy_denied"]);
  });
}

Deno.test("images.generate() takes the options of a call, and no others", async () => {
  const { client, sent } = scripted(json(ANSWER));
  await client.images.generate({ prompt: "A cat" }, { requestId: "mine" });
  assertEquals(sent[0]?.headers.get("x-request-id"), "mine");
  const unknown = JSON.parse('{"retries":1}');
  await assertRejects(() => client.images.generate({ prompt: "A" }, unknown), ConfigurationError);
});

Deno.test("an answer without its list of images is invalid", async () => {
  for (const other of [{}, { ...ANSWER, data: null }]) {
    const { client: { images } } = scripted(json(other));
    const ask = () => images.generate({ prompt: "A cat" });
    await assertRejects(ask, ServiceAPIError, "something else than images");
  }
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
