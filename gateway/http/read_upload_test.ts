import { assertEquals, assertRejects } from "@std/assert";
import fc from "fast-check";
import { ServiceFault } from "../domain/fault.ts";
import { CallerDisconnected } from "../flows/request/caller_disconnected.ts";
import { afterMs } from "../system/deadlines.ts";
import { readUpload, type UploadForm } from "./read_upload.ts";

/** Reads a body that arrives in pieces of a size. */
async function read(
  bytes: Uint8Array<ArrayBuffer>,
  { type, size = bytes.length, maxBytes = 1_000_000 }: {
    type: string;
    size?: number;
    maxBytes?: number;
  },
): Promise<UploadForm & { content: Uint8Array }> {
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  for (let at = 0; at < bytes.length; at += size) pieces.push(bytes.slice(at, at + size));
  const request = new Request("http://localhost", {
    method: "POST",
    body: ReadableStream.from(pieces),
    headers: { "content-type": type },
  });
  const parts: number[] = [];
  const form = await readUpload(request, {
    maxBytes,
    onFile: (part) => {
      parts.push(...part);
      return Promise.resolve();
    },
  });
  return { ...form, content: new Uint8Array(parts) };
}

async function encoded(form: FormData) {
  const response = new Response(form);
  return { type: response.headers.get("content-type") ?? "", bytes: await response.bytes() };
}

Deno.test("property: fields and file arrive as they were sent, however the body is cut", async () => {
  const bytes = fc.uint8Array({ maxLength: 2_000 });
  await fc.assert(
    fc.asyncProperty(bytes, fc.integer({ min: 1, max: 300 }), async (file, size) => {
      const form = new FormData();
      form.set("purpose", "assistants");
      form.set("file", new File([new Uint8Array(file), "\r\n--"], '灯 "a".txt'));
      form.set("expires_after[seconds]", "3600");
      const { bytes, type } = await encoded(form);
      const read_ = await read(bytes, { type, size });
      assertEquals([...read_.fields], [["purpose", "assistants"], [
        "expires_after[seconds]",
        "3600",
      ]]);
      assertEquals(read_.filename, '灯 "a".txt');
      assertEquals(read_.content, new Uint8Array([...file, 13, 10, 45, 45]));
    }),
    { numRuns: 100 },
  );
});

const TYPE = "multipart/form-data; boundary=x";
const FILE = '--x\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nabc';

Deno.test("a form that is damaged, without an end or too large is refused", async () => {
  const cases: readonly (readonly [body: string, code: string])[] = [
    ["", "invalid_request"],
    ["abc", "invalid_request"],
    [FILE, "invalid_request"],
    [`${FILE}\r\n--x`, "invalid_request"],
    [`${FILE}\r\n--x!!`, "invalid_request"],
    [`--x\r\nContent-Type: text/plain\r\n\r\na\r\n--x--`, "invalid_request"],
    [
      `--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n${"b".repeat(9_000)}\r\n--x--`,
      "invalid_request",
    ],
    [`${FILE}${FILE.replace("--x", "\r\n--x")}\r\n--x--`, "invalid_request"],
    [`${FILE.replace('"file"', '"other"')}\r\n--x--`, "invalid_request"],
    [`${FILE}${"d".repeat(2_000)}\r\n--x--`, "body_too_large"],
    [`--x\r\n${"A: b\r\n".repeat(3_000)}`, "invalid_request"],
  ];
  for (const [body, code] of cases) {
    const bytes = new TextEncoder().encode(body);
    const maxBytes = code === "body_too_large" ? 1_000 : undefined;
    const fault = await assertRejects(
      () => read(bytes, { type: TYPE, size: 100, ...(maxBytes === undefined ? {} : { maxBytes }) }),
      ServiceFault,
    );
    assertEquals(fault.code, code, body.slice(0, 100));
  }
  const json = await assertRejects(
    () => read(new Uint8Array(), { type: "application/json", size: 1 }),
    ServiceFault,
  );
  assertEquals(json.code, "unsupported_media_type");
});

Deno.test("an upload that stops is refused as too slow, one that breaks off as left by its caller", async () => {
  const start = (body: ReadableStream<Uint8Array>, limits: { maxMs?: number } = {}) =>
    readUpload(
      new Request("http://localhost", { method: "POST", body, headers: { "content-type": TYPE } }),
      { maxBytes: 8_000, patienceMs: 20, ...limits, onFile: () => Promise.resolve() },
    );
  const slow = await assertRejects(() => start(new ReadableStream()), ServiceFault);
  assertEquals(slow.message, "The body did not arrive in time");
  let callOff = () => {};
  const endless = new ReadableStream<Uint8Array>({
    pull: (controller) =>
      new Promise<void>((resolve) => {
        callOff = afterMs(1, () => {
          controller.enqueue(new TextEncoder().encode("a"));
          resolve();
        });
      }),
    // The last piece would come after the test.
    cancel: () => callOff(),
  });
  const trickle = await assertRejects(() => start(endless, { maxMs: 50 }), ServiceFault);
  assertEquals(trickle.message, "The body did not arrive in time");
  const broken = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.error(new Deno.errors.ConnectionReset("gone")),
  });
  await assertRejects(() => start(broken), CallerDisconnected);
});
