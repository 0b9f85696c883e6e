/**
 * Image generation and editing of a simulated model: real PNG files, equal for equal requests, with
 * a label.
 *
 * @module
 */

import { crc32 } from "node:zlib";
import type { ImageUsage } from "@svc/sdk/protocol";
import type { Usage } from "../../domain/ledger/pricing.ts";
import { base64Of } from "../../images/data_uri.ts";
import { type LoadedImage, loadEditImages } from "../../images/edit_images.ts";
import { isUnreadable } from "../../ports/fetch_image.ts";
import type { EndpointSimulator, SimulatedAnswer } from "./endpoint.ts";
import { readSimulate, type Simulate, splitDirective } from "./misbehaviour.ts";
import { yieldToEventLoop } from "../../system/yield_to_event_loop.ts";
import { drawPattern, drawPicture, editPicture, type Size } from "./picture.ts";
import { decodePng, encodePng, type Picture } from "./png.ts";
import { isRefusal, type Refusal, refuse } from "./refusal.ts";
import { countTokens } from "./text_tokens.ts";

const DEFAULT_SIZE: Size = { width: 1_024, height: 1_024 };
/** Maximum number of pixels of one request; drawing them takes some tenths of a second. */
const MOST_PIXELS = 16_777_216;
const MOST_IMAGES = 10;
/** Pixels of one token, in input and output. */
const PIXELS_PER_TOKEN = 1_024;

/** Answers `images.generations`. */
export const simulateGeneration: EndpointSimulator = async (call, context) => {
  const settings = readRequest(call.body.value, DEFAULT_SIZE);
  if (isRefusal(settings)) return settings;
  const images: Picture[] = [];
  for (let n = 0; n < settings.count; n++) {
    await yieldToEventLoop();
    images.push(drawPicture(settings.size, settings.seed + n));
  }
  const simulate = context.failures.apply(settings.simulate, call.model);
  return await present(images, { settings, simulate, editedImages: [], created: context.created });
};

/** Answers `images.edits`: changes the first image, and mixes a colour of the request into it. */
export const simulateEdit: EndpointSimulator = async (call, context) => {
  const { fetchImage } = context;
  const edit = await loadEditImages(call.body.value, { fetchImage, signal: call.signal });
  if (isUnreadable(edit)) {
    return refuse(edit.param, `Cannot accept "${edit.param}": ${edit.problem}`);
  }
  const [first] = edit.images;
  if (first === undefined) return refuse("image", "Cannot edit: there is no image");
  const settings = readRequest(call.body.value, first);
  if (isRefusal(settings)) return settings;
  const picture = await pictureOf(first);
  if (isRefusal(picture)) return picture;
  const images: Picture[] = [];
  for (let n = 0; n < settings.count; n++) {
    await yieldToEventLoop();
    images.push(editPicture(picture, settings.size, settings.seed + n));
  }
  const simulate = context.failures.apply(settings.simulate, call.model);
  return await present(images, {
    settings,
    simulate,
    editedImages: edit.images,
    created: context.created,
  });
};

interface ImageAsk {
  readonly prompt: string;
  readonly size: Size;
  readonly count: number;
  readonly seed: number;
  readonly simulate: Simulate;
}

function readRequest(body: Readonly<Record<string, unknown>>, usual: Size): ImageAsk | Refusal {
  const { prompt, n, size: wanted } = body;
  if (typeof prompt !== "string") return refuse("prompt", "Cannot draw without a prompt");
  const { text, directive } = splitDirective(prompt);
  const simulate = readSimulate(body["simulate"], directive);
  if (isRefusal(simulate)) return simulate;
  const count = n ?? 1;
  if (typeof count !== "number" || !Number.isInteger(count) || count < 1 || count > MOST_IMAGES) {
    return refuse("n", `Cannot draw ${JSON.stringify(n)} images: it is not 1 to ${MOST_IMAGES}`);
  }
  const size = readSize(wanted ?? "auto", usual);
  if (size === undefined || size.width * size.height * count > MOST_PIXELS) {
    const most = `at most ${MOST_PIXELS} pixels in all are drawn`;
    return refuse("size", `Cannot draw ${count} times ${JSON.stringify(wanted)}: ${most}`);
  }
  return { prompt: text, size, count, seed: hash(text), simulate };
}

function readSize(size: unknown, usual: Size): Size | undefined {
  if (size === "auto") return { width: usual.width, height: usual.height };
  const match = /^([1-9]\d{0,4})x([1-9]\d{0,4})$/.exec(typeof size === "string" ? size : "");
  return match === null ? undefined : { width: Number(match[1]), height: Number(match[2]) };
}

/** Returns the FNV-1a hash of a text's UTF-16 code units. */
function hash(text: string): number {
  let state = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) {
    state = Math.imul(state ^ text.charCodeAt(at), 0x01000193);
  }
  return state >>> 0;
}

/**
 * Returns a PNG's pixels. Other formats would each need a decoder; a pattern that depends on the
 * file replaces their pixels, at the file's dimensions.
 */
async function pictureOf(image: LoadedImage): Promise<Picture | Refusal> {
  const param = "image";
  if (image.width * image.height > MOST_PIXELS) {
    return refuse(param, `The simulator edits images of at most ${MOST_PIXELS} pixels`);
  }
  if (image.type !== "image/png") return drawPattern(image, crc32(image.bytes));
  return await decodePng(image.bytes) ??
    refuse(param, "The PNG file is damaged, or interlaced, which the simulator does not read");
}

async function present(
  pictures: readonly Picture[],
  answer: {
    readonly settings: ImageAsk;
    readonly simulate: Simulate;
    readonly editedImages: readonly LoadedImage[];
    readonly created: number;
  },
): Promise<SimulatedAnswer> {
  const { settings, simulate, editedImages, created } = answer;
  const data: { b64_json: string }[] = [];
  for (const picture of pictures) {
    await yieldToEventLoop();
    data.push({ b64_json: base64Of(await encodePng(picture)) });
  }
  const tokens = tokensOf(settings, editedImages);
  const usage: Usage = {
    inputTokens: tokens.input_tokens,
    cachedInputTokens: 0,
    imageInputTokens: tokens.input_tokens_details.image_tokens,
    outputTokens: tokens.output_tokens,
    images: data.length,
  };
  const reported = simulate.noUsage === true ? {} : { usage: tokens };
  return {
    simulate,
    json: () => ({ created, data: simulate.empty === true ? [] : data, ...reported }),
    ...(simulate.noUsage === true ? {} : { usage }),
    *chunks() {},
  };
}

function tokensOf({ prompt, size, count }: ImageAsk, editedImages: readonly Size[]): ImageUsage {
  const image_tokens = editedImages.reduce((sum, image) => sum + pixelTokens(image), 0);
  const text_tokens = countTokens(prompt);
  const input_tokens = image_tokens + text_tokens;
  const output_tokens = pixelTokens(size) * count;
  return {
    input_tokens,
    input_tokens_details: { image_tokens, text_tokens },
    output_tokens,
    total_tokens: input_tokens + output_tokens,
  };
}

function pixelTokens({ width, height }: Size): number {
  return Math.ceil(width * height / PIXELS_PER_TOKEN);
}
