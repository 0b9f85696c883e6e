import { assert, assertEquals } from "@std/assert";
import { Extractor } from "./extractor.ts";

const encoder = new TextEncoder();

/** Returns a PDF of one page whose text is stored deflated. */
async function deflatedPdf(content: string): Promise<Uint8Array<ArrayBuffer>> {
  const stream = new Blob([content]).stream().pipeThrough(new CompressionStream("deflate"));
  const packed = await new Response(stream).bytes();
  const objects = "1 0 obj\n<< /Type /Catalog /Pages 2 0 R >>\nendobj\n" +
    "2 0 obj\n<< /Type /Pages /Kids [4 0 R] /Count 1 >>\nendobj\n" +
    "3 0 obj\n<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>\nendobj\n" +
    "4 0 obj\n<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 5 0 R " +
    "/Resources << /Font << /F1 3 0 R >> >> >>\nendobj\n";
  const head = `%PDF-1.4\n${objects}5 0 obj\n` +
    `<< /Length ${packed.length} /Filter /FlateDecode >>\nstream\n`;
  const tail = "\nendstream\nendobj\ntrailer\n<< /Size 6 /Root 1 0 R >>\n%%EOF\n";
  return await new Blob([head, packed, tail]).bytes();
}

function read(extractor: Extractor, bytes: Uint8Array<ArrayBuffer>, mediaType = "application/pdf") {
  return extractor.extract({ mediaType, bytes, ownerId: "team" });
}

Deno.test("files are read in a thread, one after the other", async () => {
  const extractor = new Extractor();
  const pdf = await deflatedPdf("BT /F1 12 Tf 72 720 Td (Below the lamp) Tj ET");
  const both = await Promise.all([
    read(extractor, pdf),
    read(extractor, encoder.encode("plain"), "text/plain"),
  ]);
  assertEquals(both, [
    { ok: true, passages: ["Below the lamp"] },
    { ok: true, passages: ["plain"] },
  ]);
});

Deno.test("a stream that unpacks to more than the budget is refused, and the next file is read", async () => {
  const extractor = new Extractor({ bufferBytes: 1024 * 1024, totalBytes: 16 * 1024 * 1024 });
  const bomb = await deflatedPdf("(a) Tj ".repeat(1_000_000));
  assertEquals(await read(extractor, bomb), {
    ok: false,
    problem: "it takes too much memory to get its text out",
  });
  assertEquals(await read(extractor, encoder.encode("next"), "text/plain"), {
    ok: true,
    passages: ["next"],
  });
});

Deno.test("a file whose text needs more heap than there is is refused at once", async () => {
  const extractor = new Extractor({ heapMib: 20 });
  const bytes = new TextEncoder().encode("<p>word</p>".repeat(400_000));
  assertEquals(await extractor.extract({ mediaType: "text/html", bytes, ownerId: "team" }), {
    ok: false,
    problem: "it takes too much memory to get its text out",
  });
});

Deno.test("a file that takes too long is refused", async () => {
  const extractor = new Extractor({ timeMs: 0 });
  const long = await deflatedPdf("BT /F1 9 Tf (a) Tj ET ".repeat(10_000));
  assertEquals(await read(extractor, long), {
    ok: false,
    problem: "it takes too much time to get its text out",
  });
});

Deno.test("a file of nearly 32 MiB is read without blocking the gateway", async () => {
  const pdf = await deflatedPdf("BT /F1 12 Tf 72 720 Td (Below the lamp) Tj ET");
  const [size, at] = [
    Math.floor(31.9 * 1024 * 1024),
    new TextDecoder().decode(pdf)
      .indexOf("trailer"),
  ];
  assert(at > 0);
  // Blanks before the trailer, which readers skip.
  const large = new Uint8Array(size).fill(0x20);
  large.set(pdf.subarray(0, at));
  large.set(pdf.subarray(at), size - (pdf.length - at));
  let turns = 0;
  const timer = setInterval(() => turns++, 1);
  assertEquals(await read(new Extractor(), large), { ok: true, passages: ["Below the lamp"] });
  clearInterval(timer);
  assert(turns > 10, String(turns));
});
