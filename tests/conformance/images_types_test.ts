/**
 * Our image shapes held against OpenAI's own: what does not fit does not compile.
 *
 * @module
 */

import { assertEquals } from "@std/assert";
import { assertType } from "@std/testing/types";
import type {
  GeneratedImage,
  ImageEditRequest,
  ImageGenerationRequest,
  ImagesResponse,
  ImageUsage,
} from "@svc/sdk/protocol";
import type OpenAI from "openai";

type Fits<From, To> = [From] extends [To] ? true : false;
/**
 * The named members of a type: OpenAI's own interfaces take no others, and name more of the fields
 * that pass through.
 */
type Named<T> = { [Key in keyof T as string extends Key ? never : Key]: T[Key] };

assertType<
  Fits<Omit<Named<ImagesResponse>, "metadata" | "upstream_warnings">, OpenAI.Images.ImagesResponse>
>(true);
assertType<Fits<GeneratedImage, OpenAI.Images.Image>>(true);
assertType<Fits<ImageUsage, OpenAI.Images.ImagesResponse.Usage>>(true);
type Asked = Omit<Named<ImageGenerationRequest>, "size">;
assertType<Fits<Asked, Omit<OpenAI.Images.ImageGenerateParamsNonStreaming, "size">>>(true);

Deno.test("An answer of ours is one of OpenAI's", () => {
  const ours: ImagesResponse = { created: 1, data: [{ b64_json: "AAAA" }] };
  const theirs: OpenAI.Images.ImagesResponse = { created: ours.created, data: ours.data };
  assertEquals(theirs.data?.[0]?.b64_json, "AAAA");
  // Their client takes files, which become data URIs: the JSON form is the specification's own.
  const edit: ImageEditRequest = { model: "auto", prompt: "p", image: ["https://a.example/"] };
  assertEquals(Object.keys(edit), ["model", "prompt", "image"]);
});
