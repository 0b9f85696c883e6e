import { assertEquals } from "@std/assert";
import { OneTimeBody } from "./one_time_body.ts";

Deno.test("the length is known before it is read, in bytes of UTF-8", async () => {
  for (const text of ["", "{}", '{"a":"é, 网 and 🜁"}', "x".repeat(200_000)]) {
    const body = new OneTimeBody(text);
    const bytes = new TextEncoder().encode(text);
    assertEquals(body.size, bytes.length);
    assertEquals(body.type, "");
    assertEquals(await new Response(body.stream()).bytes(), bytes);
  }
});

Deno.test("as a request's body it is a stream of what it holds, without a type of its own", async () => {
  const request = new Request("http://localhost/", { method: "POST", body: new OneTimeBody("{}") });
  assertEquals(request.headers.get("content-type"), null);
  assertEquals(await request.text(), "{}");
});

Deno.test("a long text is encoded while it is sent, to the same bytes", async () => {
  const units = ["x", "é", "網", "\u{1f701}", "\ud83d", "\ude00", "a\u{1f701}"];
  for (
    const text of units.flatMap((unit) => ["", "-"].map((shift) => shift + unit.repeat(600_000)))
  ) {
    const body = new OneTimeBody(text);
    const bytes = new TextEncoder().encode(text);
    assertEquals(body.size, bytes.length);
    let pieces = 0;
    const sent: Uint8Array<ArrayBuffer>[] = [];
    for await (const piece of body.stream()) {
      sent.push(piece);
      pieces++;
    }
    // Compared by its text: what stands for no character is the same in both.
    assertEquals(await new Blob(sent).text() === new TextDecoder().decode(bytes), true);
    assertEquals(pieces, Math.ceil(text.length / (256 * 1024)));
  }
});

Deno.test("a long body arrives whole, with its length", async () => {
  const text = JSON.stringify({ content: "網\u{1f701}".repeat(500_000) });
  const seen = Promise.withResolvers<string | null>();
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, async (request) => {
    seen.resolve(request.headers.get("content-length"));
    return new Response(`${await request.text() === text}`);
  });
  const url = `http://127.0.0.1:${server.addr.port}/`;
  const response = await fetch(url, { method: "POST", body: new OneTimeBody(text) });
  assertEquals(await response.text(), "true");
  assertEquals(await seen.promise, `${new TextEncoder().encode(text).length}`);
  await server.shutdown();
});
