import { assertEquals, assertRejects } from "@std/assert";
import type { FetchImage, MediaFile } from "../ports/fetch_image.ts";
import { UpstreamCut } from "../ports/upstream.ts";
import { base64Of } from "./data_uri.ts";
import { DRAWN_FETCHED_BYTES_MAX, drawnImages } from "./drawn_images.ts";
import { fetchDrawnFrom } from "./fetch_drawn.ts";
import { GIF, JPEG, PNG, WEBP } from "./image_fixture.ts";

const NEVER = new AbortController().signal;
const UNASKED: FetchImage = (url) => Promise.reject(new Error(`Nobody asked for ${url}`));

function drawn(data: unknown, fetchImage = UNASKED, signal = NEVER) {
  return drawnImages({ data }, { fetchImage, signal });
}

async function refused(data: unknown, fetchImage?: FetchImage, signal?: AbortSignal) {
  const cut = await assertRejects(() => drawn(data, fetchImage, signal), UpstreamCut);
  return [cut.outcome, cut.message];
}

Deno.test("images in base64 are taken as they came, and nothing is fetched", async () => {
  for (const bytes of [PNG, JPEG, GIF, WEBP.lossy]) {
    const image = {
      b64_json: base64Of(bytes),
      url: "http://169.254.169.254/",
      revised_prompt: "A",
    };
    const [taken] = await drawn([image]);
    assertEquals(taken, { base64: base64Of(bytes), revisedPrompt: "A" });
  }
});

Deno.test("a result that is not an image is not an answer", async () => {
  const page = base64Of(new TextEncoder().encode("<html></html>"));
  const good = { b64_json: base64Of(PNG) };
  const rows: unknown[] = [
    ...[undefined, "x", [], [null], [{}], [7], [{ b64_json: "" }], [{ b64_json: 7 }]],
    ...[[{ b64_json: "!!!!" }], [{ b64_json: page }], [good, { b64_json: page }]],
    [{ b64_json: `${base64Of(PNG).slice(0, 40)}\n${base64Of(PNG).slice(40)}` }],
    ...["javascript:alert(1)", "data:image/png;base64,AAAA", "file:///etc/passwd", "", 7]
      .map((url) => [{ url }]),
  ];
  for (const data of rows) {
    const [outcome] = await refused(data);
    assertEquals(outcome, "malformed", JSON.stringify(data));
  }
});

Deno.test("addresses are fetched, one after the other", async () => {
  const urls: string[] = [];
  let answerInFlight = 0;
  const fetchImage: FetchImage = async (url) => {
    assertEquals(++answerInFlight, 1);
    urls.push(url);
    await Promise.resolve();
    answerInFlight--;
    return { mediaType: "image/png", bytes: PNG };
  };
  const data = [{ url: "https://a.example/1" }, { url: "HTTP://a.example/2", revised_prompt: 7 }];
  const base64 = base64Of(PNG);
  assertEquals(await drawn(data, fetchImage), [
    { base64, revisedPrompt: undefined },
    { base64, revisedPrompt: undefined },
  ]);
  assertEquals(urls, ["https://a.example/1", "HTTP://a.example/2"]);
});

Deno.test("a result that cannot be fetched, is not an image or is too large is not an answer", async () => {
  const image = { url: "https://a.example/1" };
  const gives = (file: MediaFile | { problem: string }) => () => Promise.resolve(file);
  const html = new TextEncoder().encode("<html>");
  const large = new Uint8Array(DRAWN_FETCHED_BYTES_MAX / 4 + 1);
  large.set(PNG);
  const rows: [readonly unknown[], FetchImage, string][] = [
    [[image], gives({ problem: "it is gone" }), "image 0 cannot be fetched: it is gone"],
    [[image], gives({ mediaType: "image/png", bytes: html }), "image 0 is not a PNG"],
    [Array(4).fill(image), gives({ mediaType: "image/png", bytes: large }), "exceed"],
  ];
  for (const [data, fetchImage, words] of rows) {
    const [outcome, message = ""] = await refused(data, fetchImage);
    assertEquals([outcome, message.includes(words)], ["malformed", true], message);
  }
});

Deno.test("an end to fetching is the upstream's time running out; a bug is a bug", async () => {
  const abort = new AbortController();
  const fetchImage: FetchImage = (_url, signal) => {
    abort.abort("timeout");
    return Promise.reject(signal.reason);
  };
  const [outcome] = await refused([{ url: "https://a.example/1" }], fetchImage, abort.signal);
  assertEquals(outcome, "timeout");
  await assertRejects(() => drawn([{ url: "https://a.example/1" }]), Error, "Nobody asked");
});

Deno.test("an image of another origin is fetched through the guarded fetch", async () => {
  const urls: string[] = [];
  const guarded: FetchImage = (url) => {
    urls.push(url);
    return Promise.resolve({ problem: "refused" });
  };
  const foreign = [
    ...["http://10.0.0.1:8081/a.png", "https://10.0.0.1:8080/a.png", "http://10.0.0.1/a.png"],
    ...["http://10.0.0.1:8080.example/a.png", "http://10.0.0.1:8080@evil.example/a.png", "no URL"],
  ];
  for (const url of foreign) await fetchDrawnFrom("http://10.0.0.1:8080/v1", guarded)(url, NEVER);
  await fetchDrawnFrom(undefined, guarded)("http://10.0.0.1:8080/a.png", NEVER);
  assertEquals(urls, [...foreign, "http://10.0.0.1:8080/a.png"]);
  // The default is the guarded fetch: the metadata server is no upstream.
  const refused = await fetchDrawnFrom("http://10.0.0.1:8080/v1")("http://169.254.169.254/", NEVER);
  assertEquals(refused, { problem: "the URL does not lead to a public address" });
});
