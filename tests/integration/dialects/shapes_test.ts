/**
 * Requests as foreign clients and suites make them: OpenAI's JSON of image edits, a model by its name,
 * addresses that are not offered, input items.
 *
 * @module
 */

import { assert, assertEquals, assertRejects } from "@std/assert";
import OpenAI from "openai";
import { PNG } from "../../../gateway/images/image_fixture.ts";
import { encodeDataUri } from "../../../gateway/images/data_uri.ts";
import { FakeUpstream, json } from "../../fixtures/fake_upstream.ts";
import { labConfig } from "../../fixtures/lab.ts";
import { BOOTSTRAP_KEY, TestService } from "../../fixtures/service.ts";

const IMAGE = encodeDataUri({ mediaType: "image/png", bytes: PNG });

function send(
  service: TestService,
  path: string,
  { method = "POST", body }: { readonly method?: string; readonly body?: unknown } = {},
): Promise<Response> {
  return fetch(`${service.openaiUrl}/${path}`, {
    method,
    headers: { "content-type": "application/json", authorization: `Bearer ${BOOTSTRAP_KEY}` },
    body: body === undefined ? null : JSON.stringify(body),
  });
}

const EDIT = { model: "auto", prompt: "A hat" };
const REFERENCE = { image_url: IMAGE };

Deno.test("images/edits takes images and mask as OpenAI's JSON has them", async () => {
  await using service = await TestService.start();
  const body = { ...EDIT, images: [REFERENCE, REFERENCE], mask: REFERENCE };
  const response = await send(service, "images/edits", { body });
  const { data } = await response.json();
  assertEquals([response.status, data.length], [200, 1]);
  const { input_tokens_details: given } = Object(
    (await (await send(service, "images/edits", { body })).json()).usage,
  );
  assert(given === undefined || given.image_tokens > 0);
  await service.assertBooks();
});

Deno.test("images/edits names what is wrong with them as its caller does", async () => {
  await using service = await TestService.start();
  const rows = [
    [{ images: [REFERENCE, { image_url: "data:image/png;base64,AAAA" }] }, "images.1.image_url"],
    [{ images: [{ image_url: "http://127.0.0.1/a.png" }] }, "images.0.image_url"],
    [{ images: [REFERENCE], mask: { image_url: "ftp://a.example/" } }, "mask.image_url"],
    [{ images: [{ file_id: "file_1" }] }, "images.0.image_url"],
    [{ images: [REFERENCE], image: IMAGE }, "images"],
    [{}, "image"],
  ] as const;
  for (const [fields, param] of rows) {
    const response = await send(service, "images/edits", { body: { ...EDIT, ...fields } });
    const { error } = await response.json();
    assertEquals([response.status, error.param], [400, param], JSON.stringify(fields).slice(0, 80));
  }
  await service.assertBooks();
});

Deno.test("an upstream that takes forms is sent the same form, however the images came", async () => {
  await using upstream = new FakeUpstream();
  const drawn = { created: 1, data: [{ b64_json: PNG.toBase64() }] };
  upstream.otherwise(json(drawn));
  const more = { endpoints: ["images.edits"] };
  await using service = await TestService.start({
    config: labConfig({ id: "painter", baseUrl: upstream.baseUrl, more }),
  });
  const forms: unknown[] = [];
  for (
    const fields of [
      { image: [IMAGE, IMAGE], mask: IMAGE },
      { images: [REFERENCE, REFERENCE], mask: REFERENCE },
    ]
  ) {
    const response = await send(service, "images/edits", { body: { ...EDIT, ...fields } });
    assertEquals(response.status, 200, await response.text());
    const { body, headers } = upstream.last;
    const type = headers.get("content-type") ?? "";
    const form = await new Response(body.slice(), { headers: { "content-type": type } }).formData();
    forms.push([...form].map(([name, value]) => [
      name,
      typeof value === "string" ? value : value.size,
    ]));
  }
  assertEquals(forms[1], forms[0]);
  await service.assertBooks();
});

Deno.test("the one model can be had by its name", async () => {
  await using service = await TestService.start();
  const { models } = service.client();
  const auto = await models.retrieve("auto");
  assertEquals([auto.id, auto.object], ["auto", "model"]);
  const [listed] = (await models.list()).data;
  assertEquals(auto, listed);
  await assertRejects(() => models.retrieve("gpt-5"), OpenAI.NotFoundError);
  const keyless = await fetch(`${service.openaiUrl}/models/auto`);
  assertEquals([keyless.status, (await keyless.json()).error.code], [401, "missing_api_key"]);
});

Deno.test("OpenAI's paths that are not offered answer 404, for any method", async () => {
  await using service = await TestService.start();
  for (const path of ["responses/compact", "responses/input_tokens"]) {
    for (const method of ["POST", "GET", "DELETE"]) {
      const response = await send(service, path, { method });
      assertEquals([response.status, (await response.json()).error.code], [404, "not_found"], path);
    }
  }
});

Deno.test("input items of assistant text carry logprobs, said in short or in parts", async () => {
  await using service = await TestService.start();
  const client = service.client();
  const { id } = await client.responses.create({
    model: "auto",
    input: [
      { role: "user", content: "Hi" },
      { role: "assistant", content: "Hello" },
      {
        type: "message",
        id: "msg_1",
        status: "completed",
        role: "assistant",
        content: [{ type: "output_text", text: "Again", annotations: [] }],
      },
      { role: "user", content: "Say hello" },
    ],
  });
  const { data } = await client.responses.inputItems.list(id, { order: "asc" });
  const parts = data.flatMap((item) =>
    item.type === "message" && String(item.role) === "assistant" ? Object(item.content) : []
  );
  assertEquals(parts.map((part) => Object(part).logprobs), [[], []]);
});
