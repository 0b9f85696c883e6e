import { assert, assertEquals, assertThrows } from "@std/assert";
import { ServiceFault } from "../domain/fault.ts";
import { isUnreadable } from "../ports/fetch_image.ts";
import { decodeDataUri, encodeDataUri } from "./data_uri.ts";
import { checkEditImages, loadEditImages, MAX_IMAGE_BYTES } from "./edit_images.ts";
import { dataUri, GIF, JPEG, PNG, pngSized, WEBP } from "./image_fixture.ts";

const GOOD = dataUri("image/png", PNG);
const signal = new AbortController().signal;

Deno.test("Images of every kind, and public addresses, are taken", () => {
  const images = [
    GOOD,
    dataUri("image/jpeg", JPEG),
    dataUri("image/jpg", JPEG),
    dataUri("IMAGE/GIF;name=a.gif", GIF),
    dataUri("image/webp", WEBP.lossy),
    "https://images.example/a.png",
  ];
  checkEditImages({ image: images, mask: GOOD });
  for (const image of images) checkEditImages({ image });
  checkEditImages({ image: GOOD, mask: null });
});

const letters = dataUri("", PNG).replace(/^.*,|=+$/g, "").length;
// So many more letters leave one over after the fours.
const SPARE = (5 - letters % 4) % 4;
const long = "A".repeat(Math.ceil(MAX_IMAGE_BYTES / 3 + 2) * 4);

const REFUSED: [name: string, image: string, problem: RegExp][] = [
  ["truncated", dataUri("image/png", PNG.slice(0, -1)), /truncated/],
  ["mistyped", dataUri("image/png", JPEG), /declared as "image\/png" and is image\/jpeg/],
  ["untyped", `data:;base64,${GOOD.split(",")[1]}`, /declared as ""/],
  ["no image", dataUri("image/svg+xml", new TextEncoder().encode("<svg/>")), /not a PNG/],
  ["too large", `data:image/png;base64,${long}`, /larger than/],
  ["too many pixels", dataUri("image/png", pngSized(16_000, 16_000)), /16000x16000 pixels/],
  ["too long a side", dataUri("image/png", pngSized(20_000, 1)), /pixels/],
  ["not base64", "data:image/png,abc", /not in base64/],
  ["bad letters", `${GOOD.slice(0, 40)}*${GOOD.slice(41)}`, /not valid base64/],
  ["base64url", GOOD.replace("iVBO", "iV-_"), /not valid base64/],
  ["white space", `${GOOD} `, /not valid base64/],
  ["padding inside", GOOD.replace("iVBO", "iV=="), /not valid base64/],
  ["bad length", `${GOOD.replace(/=+$/, "")}${"A".repeat(SPARE)}`, /not valid base64/],
  ["empty", "data:image/png;base64,", /empty/],
  ["no comma", "data:image/png;base64", /no data URI/],
  ["private address", "http://169.254.169.254/latest/meta-data/", /public/],
  ["another scheme", "file:///etc/passwd", /http\(s\)/],
  ["bare base64", "iVBORw0KGgo", /http\(s\)/],
  ["nothing", "", /http\(s\)/],
];

for (const [name, image, problem] of REFUSED) {
  Deno.test(`An image is refused by name: ${name}`, async () => {
    const forms = [
      [{ image }, "image"],
      [{ image: [GOOD, image] }, "image.1"],
      [{ image: GOOD, mask: image }, "mask"],
    ] as const;
    for (const [edit, param] of forms) {
      const fault = assertThrows(() => checkEditImages(edit), ServiceFault);
      assertEquals([fault.code, fault.param], ["invalid_request", param]);
      assert(problem.test(fault.message), fault.message);
      if (!image.startsWith("data:")) continue;
      const loaded = await loadEditImages(edit, { fetchImage: undefined, signal });
      assert(isUnreadable(loaded) && loaded.param === param);
    }
  });
}

Deno.test("Bytes are decoded, or fetched where they are elsewhere", async () => {
  const fetched: string[] = [];
  const fetchImage = (url: string) => {
    fetched.push(url);
    return Promise.resolve({ mediaType: "image/jpeg", bytes: JPEG });
  };
  const edit = { image: [GOOD, "https://images.example/a"], mask: "https://images.example/m" };
  const loaded = await loadEditImages(edit, { fetchImage, signal });
  assert("images" in loaded);
  assertEquals(loaded.images.map(({ type, width }) => [type, width]), [
    ["image/png", 3],
    ["image/jpeg", 5],
  ]);
  assertEquals(loaded.mask?.bytes, JPEG);
  assertEquals(fetched, ["https://images.example/a", "https://images.example/m"]);
});

Deno.test("fetched images are held to the same limits, and failures name their field", async () => {
  const edit = { image: ["https://images.example/a"] };
  const mistyped = () => Promise.resolve({ mediaType: "image/png", bytes: JPEG });
  const missing = () => Promise.resolve({ problem: "its server answers with status 404" });
  for (const fetchImage of [mistyped, missing, undefined]) {
    const loaded = await loadEditImages(edit, { fetchImage, signal });
    assert(isUnreadable(loaded) && loaded.param === "image.0");
  }
});

Deno.test("a data URI is decoded exactly", () => {
  for (const length of [1, 2, 3, 4, 1_000]) {
    const bytes = Uint8Array.from({ length }, (_, at) => at % 256);
    const file = { mediaType: "image/png", bytes };
    const read = decodeDataUri(encodeDataUri(file), { maxBytes: length });
    assert("bytes" in read);
    assertEquals([read.mediaType, [...read.bytes]], ["image/png", [...bytes]]);
    const unpadded = encodeDataUri(file).replace(/=+$/, "");
    assert("bytes" in decodeDataUri(unpadded, { maxBytes: length }));
    assert("problem" in decodeDataUri(encodeDataUri(file), { maxBytes: length - 1 }));
  }
});
