import { assert, assertEquals, assertNotEquals, fail } from "@std/assert";
import { Buffer } from "node:buffer";
import { dataUri, GIF, JPEG, PNG, pngSized, WEBP } from "../../images/image_fixture.ts";
import { readImageFile } from "../../images/image_file.ts";
import type { FetchImage } from "../../ports/fetch_image.ts";
import type { UpstreamAnswer, UpstreamCall } from "../../ports/upstream.ts";
import { createSimulator } from "./mod.ts";
import { drawPicture, editPicture } from "./picture.ts";
import { decodePng, encodePng, type Picture } from "./png.ts";

const CONFIG = {
  id: "sim",
  kind: "simulator",
  provider: "sim",
  maxInFlight: 1,
  onDisconnect: "cancel",
  timeouts: { connectMs: 20, firstByteMs: 20, idleMs: 20 },
} as const;
const clock = { nowMs: () => 1_700_000_000_999, monotonicMs: () => 0 };

function send(
  endpoint: UpstreamCall["endpoint"],
  value: Record<string, unknown>,
  options: { fetchImage?: FetchImage; signal?: AbortSignal } = {},
): Promise<UpstreamAnswer> {
  const { fetchImage, signal = new AbortController().signal } = options;
  return createSimulator(CONFIG, { clock, fetchImage }).call({
    endpoint,
    model: "sim-image",
    body: { text: JSON.stringify(value), value },
    stream: false,
    requestId: "req_1",
    signal,
  });
}

async function files(answer: UpstreamAnswer | Promise<UpstreamAnswer>): Promise<Uint8Array[]> {
  const settled = await answer;
  if (settled.kind !== "json") return fail(JSON.stringify(settled));
  const { data } = JSON.parse(settled.body.text);
  return data.map((image: { b64_json: string }) =>
    Uint8Array.from(Buffer.from(image.b64_json, "base64"))
  );
}

async function pictureOf(file: Uint8Array | undefined): Promise<Picture> {
  const picture = await decodePng(file ?? new Uint8Array());
  return picture ?? fail("Expected a PNG");
}

async function failureOf(answer: Promise<UpstreamAnswer>) {
  const settled = await answer;
  return settled.kind === "failure" ? settled : fail(JSON.stringify(settled).slice(0, 200));
}

Deno.test("a generation draws PNG files of the size asked for", async () => {
  const rows = [["64x32", 64, 32], ["1024x16", 1_024, 16], [undefined, 1_024, 1_024]] as const;
  for (const [size, width, height] of rows) {
    const [file] = await files(send("images.generations", { prompt: "A fox", size }));
    assertEquals(readImageFile(file ?? PNG), { type: "image/png", width, height });
  }
});

Deno.test("equal requests draw equal pictures, others and further ones do not", async () => {
  const body = { prompt: "A fox", size: "40x40", n: 3 };
  const first = await files(send("images.generations", body));
  assertEquals(await files(send("images.generations", body)), first);
  assertEquals(new Set(first.map(String)).size, 3);
  const other = await files(send("images.generations", { ...body, prompt: "A cat" }));
  assertNotEquals(other[0], first[0]);
});

Deno.test("the label can be read on every picture", () => {
  const width = 110;
  const picture = drawPicture({ width, height: 60 }, 7);
  const lit = (x: number, y: number) => picture.pixels[(y * width + x) * 3] === 255;
  const rows: string[] = [];
  const dot = 2;
  for (let row = 0; row < 7; row++) {
    let line = "";
    for (let column = 0; column < 11; column++) {
      line += lit(2 + column * dot, 60 - 9 * dot + (row + 1) * dot) ? "#" : ".";
    }
    rows.push(line);
  }
  // The first two letters: S and I.
  assertEquals(rows, [
    ".####..###.",
    "#.......#..",
    "#.......#..",
    ".###....#..",
    "....#...#..",
    "....#...#..",
    "####...###.",
  ]);
  // The smallest pictures have room for some of it, and nothing is written outside.
  for (const [w, h] of [[1, 1], [16, 16], [3, 200]] as const) {
    assertEquals(drawPicture({ width: w, height: h }, 1).pixels.length, w * h * 3);
  }
});

Deno.test("an edit changes the given picture, and keeps its size unless another is requested", async () => {
  const pixels = new Uint8Array(80 * 40 * 3).fill(10);
  // A light half: it must stay the lighter one.
  for (let y = 0; y < 40; y++) pixels.fill(240, (y * 80 + 40) * 3, (y + 1) * 80 * 3);
  const image = dataUri("image/png", await encodePng({ width: 80, height: 40, pixels }));
  const body = { prompt: "Make it blue", image };
  const [kept] = await files(send("images.edits", body));
  const edited = await pictureOf(kept);
  assertEquals([edited.width, edited.height], [80, 40]);
  const [dark = 0, light = 0] = [edited.pixels[0], edited.pixels[79 * 3]];
  assert(dark > 10 && light < 240 && light - dark > 100, `${dark} ${light}`);
  const [resized] = await files(send("images.edits", { ...body, size: "32x64" }));
  const { width, height } = await pictureOf(resized);
  assertEquals([width, height], [32, 64]);
  const [other] = await files(send("images.edits", { ...body, prompt: "Make it red" }));
  assertNotEquals(other, kept);
  const white = { width: 1, height: 1, pixels: Uint8Array.of(255, 255, 255) };
  assertEquals(editPicture(white, { width: 5, height: 90 }, 3).pixels.length, 5 * 90 * 3);
});

Deno.test("an edit takes every format, and always draws a PNG of the same dimensions", async () => {
  const given = [
    [dataUri("image/jpeg", JPEG), 5, 4],
    [dataUri("image/gif", GIF), 7, 6],
    ...Object.values(WEBP).map((bytes) => [dataUri("image/webp", bytes), 9, 8] as const),
  ] as const;
  const drawn = new Set<string>();
  for (const [image, width, height] of given) {
    const body = { prompt: "Make it blue", image };
    const [file] = await files(send("images.edits", body));
    assert(file !== undefined);
    assertEquals(readImageFile(file), { type: "image/png", width, height });
    assertEquals(await files(send("images.edits", body)), [file]);
    drawn.add((await files(send("images.edits", { ...body, size: "64x64" }))).join());
  }
  assertEquals(drawn.size, given.length, "what is drawn follows from what is given");
});

Deno.test("tokens are counted by pixels, and can be left out", async () => {
  const image = dataUri("image/png", PNG);
  const body = { prompt: "two words", image: [image, image], size: "64x32", n: 2 };
  const answer = await send("images.edits", body);
  assert(answer.kind === "json");
  assertEquals(answer.usage, {
    inputTokens: 4,
    cachedInputTokens: 0,
    imageInputTokens: 2,
    outputTokens: 4,
    images: 2,
  });
  assertEquals(answer.body.value["usage"], {
    input_tokens: 4,
    input_tokens_details: { image_tokens: 2, text_tokens: 2 },
    output_tokens: 4,
    total_tokens: 8,
  });
  assertEquals(answer.body.value["created"], 1_700_000_000);
  const silent = await send("images.edits", { ...body, simulate: { noUsage: true } });
  assert(silent.kind === "json");
  assertEquals([silent.usage, silent.body.value["usage"]], [undefined, undefined]);
});

Deno.test("addresses are fetched, where that is possible", async () => {
  const fetchImage: FetchImage = (url) =>
    Promise.resolve(
      url.endsWith("/a.png")
        ? { mediaType: "image/png", bytes: PNG }
        : { problem: "it is not there" },
    );
  const at = (name: string) => ({ prompt: "p", image: `https://images.example/${name}` });
  const [file] = await files(send("images.edits", at("a.png"), { fetchImage }));
  assertEquals(readImageFile(file ?? JPEG), { type: "image/png", width: 3, height: 2 });
  for (const options of [{ fetchImage }, {}]) {
    const refused = await failureOf(send("images.edits", at("b.png"), options));
    assertEquals([refused.outcome, refused.param], ["refused_input", "image"]);
  }
});

Deno.test("an impossible drawing or edit is refused by field", async () => {
  const damaged = PNG.slice();
  damaged[45] = (damaged[45] ?? 0) ^ 1;
  const base = { prompt: "p", image: dataUri("image/png", PNG) };
  const rows: [Record<string, unknown>, string][] = [
    [{ prompt: 7 }, "prompt"],
    [{ n: 0 }, "n"],
    [{ n: 11 }, "n"],
    [{ n: "2" }, "n"],
    [{ size: "wide" }, "size"],
    [{ size: 7 }, "size"],
    [{ size: "4096x4096", n: 2 }, "size"],
    [{ simulate: { error: 1 } }, "simulate.error"],
    [{ image: undefined }, "image"],
    [{ image: dataUri("image/png", damaged) }, "image"],
    [{ image: dataUri("image/png", pngSized(7_000, 7_000)), size: "9x9" }, "image"],
  ];
  for (const [change, param] of rows) {
    const refused = await failureOf(send("images.edits", { ...base, ...change }));
    assertEquals(
      [refused.outcome, refused.param],
      ["refused_input", param],
      JSON.stringify(change),
    );
    if ("image" in change) continue;
    const { image: _, ...generation } = { ...base, ...change };
    assertEquals((await failureOf(send("images.generations", generation))).param, param);
  }
});

Deno.test("it misbehaves on demand, also by a directive in the prompt", async () => {
  const rows = [
    [{ error: 503 }, "server_error"],
    [{ error: 429 }, "rate_limited"],
    [{ malformedAfter: 0 }, "malformed"],
    [{ delayMs: 1_000 }, "timeout"],
  ] as const;
  for (const [simulate, outcome] of rows) {
    const body = { prompt: "p", size: "16x16" };
    const bodies = [{ ...body, simulate }, {
      ...body,
      prompt: `p [[sim ${JSON.stringify(simulate)}]]`,
    }];
    for (const value of bodies) {
      assertEquals((await failureOf(send("images.generations", value))).outcome, outcome);
    }
  }
  const empty = await send("images.generations", { prompt: "p", simulate: { empty: true } });
  assert(empty.kind === "json");
  assertEquals(empty.body.value["data"], []);
});

Deno.test("a caller that leaves has cancelled", async () => {
  const caller = new AbortController();
  const fetchImage: FetchImage = (_url, signal) => {
    caller.abort();
    return Promise.reject(signal.reason);
  };
  const body = { prompt: "p", image: "https://images.example/a.png" };
  const failure = await failureOf(
    send("images.edits", body, { fetchImage, signal: caller.signal }),
  );
  assertEquals(failure.outcome, "cancelled");
});
