import type { UpstreamCall } from "../../ports/upstream.ts";
import {
  fileNameOf,
  type LoadedEdit,
  type LoadedImage,
  loadEditImages,
  type RefusedImage,
} from "../../images/edit_images.ts";
import { type FetchImage, isUnreadable } from "../../ports/fetch_image.ts";
import { editMembers } from "../../wire/json/text.ts";

// Models that always answer in base64 and refuse the field `response_format`.
const ALWAYS_BASE64 = /gpt-image|chatgpt-image/;

/** Returns the caller's text with the upstream's model name and a request for base64. */
export function generationRequestText(call: UpstreamCall): string {
  return editMembers(call.body.text, {
    model: JSON.stringify(call.model),
    response_format: ALWAYS_BASE64.test(call.model) ? undefined : '"b64_json"',
    stream: undefined,
  });
}

/** Returns an edit as a form, as OpenAI's wire carries files. Fetches images by address. */
export async function editRequestForm(
  call: UpstreamCall,
  options: { readonly fetchImage: FetchImage | undefined },
): Promise<FormData | RefusedImage> {
  const { body, model, signal } = call;
  const edit = await loadEditImages(body.value, { ...options, signal });
  if (isUnreadable(edit)) return edit;
  const form = new FormData();
  form.set("model", model);
  if (!ALWAYS_BASE64.test(model)) form.set("response_format", "b64_json");
  for (const [name, value] of Object.entries(body.value)) {
    if (NOT_COPIED.has(name) || value === null) continue;
    form.set(name, typeof value === "string" ? value : JSON.stringify(value));
  }
  appendFiles(form, edit);
  return form;
}

const NOT_COPIED = new Set(["model", "response_format", "stream", "image", "images", "mask"]);

function appendFiles(form: FormData, { images, mask }: LoadedEdit): void {
  const name = images.length > 1 ? "image[]" : "image";
  for (const [index, image] of images.entries()) {
    form.append(name, blobOf(image), fileNameOf(`image-${index}`, image.type));
  }
  if (mask !== undefined) form.append("mask", blobOf(mask), fileNameOf("mask", mask.type));
}

function blobOf({ bytes, type }: LoadedImage): Blob {
  return new Blob([new Uint8Array(bytes)], { type });
}
