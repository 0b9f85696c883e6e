/**
 * OpenAI's own client for edits, against the gateway.
 *
 * @module
 */

import { assertEquals } from "@std/assert";
import OpenAI, { toFile } from "openai";
import { readImageEdit } from "../../gateway/http/read_multipart.ts";
import { imageEditSchema } from "../../gateway/http/schemas/images.ts";
import { validate } from "../../gateway/http/validation.ts";
import { checkEditImages } from "../../gateway/images/edit_images.ts";
import { dataUri, JPEG, PNG } from "../../gateway/images/image_fixture.ts";

function clientOf(read: (request: Request) => Promise<void>): OpenAI {
  return new OpenAI({
    apiKey: "svc_test",
    baseURL: "http://gateway.test/openai/v1",
    maxRetries: 0,
    fetch: async (url, init) => {
      await read(new Request(String(url), init));
      return Response.json({ created: 1, data: [{ b64_json: "AAAA" }] });
    },
  });
}

Deno.test("images.edit() of the openai package arrives as the JSON form would", async () => {
  const values: unknown[] = [];
  const client = clientOf(async (request) => {
    const { value } = await readImageEdit(request);
    validate(imageEditSchema, value);
    checkEditImages(value);
    values.push(value);
  });
  const png = () => toFile(PNG, "a.png", { type: "image/png" });
  const jpeg = () => toFile(JPEG, "b.jpg");
  const base = { model: "auto", prompt: "Make it blue" };
  await client.images.edit({ ...base, image: await png(), n: 2, size: "1024x1024" });
  await client.images.edit({ ...base, image: [await png(), await jpeg()], mask: await png() });
  await client.post("/images/edits", { body: { ...base, image: dataUri("image/png", PNG) } });
  const [first, second] = [dataUri("image/png", PNG), dataUri("image/jpeg", JPEG)];
  assertEquals(values, [
    { ...base, image: first, n: 2, size: "1024x1024" },
    { ...base, image: [first, second], mask: first },
    { ...base, image: first },
  ]);
});
