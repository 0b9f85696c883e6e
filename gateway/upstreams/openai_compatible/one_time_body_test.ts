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
