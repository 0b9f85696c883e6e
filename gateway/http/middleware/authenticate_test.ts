import { assertEquals } from "@std/assert";
import { presentedKey } from "./authenticate.ts";

Deno.test("X-API-Key is read first, then a bearer token", () => {
  const cases: [HeadersInit, string | undefined][] = [
    [{ authorization: "Bearer a" }, "a"],
    [{ authorization: "bearer   a " }, "a"],
    [{ "x-api-key": "b" }, "b"],
    [{ authorization: "Bearer a", "x-api-key": "b" }, "b"],
    [{ authorization: "Bearer a", "x-api-key": "" }, ""],
    [{ authorization: "Basic a" }, undefined],
    [{ authorization: "Bearer" }, undefined],
    [{ authorization: "Bearer a b" }, undefined],
    [{ authorization: "a" }, undefined],
    [{}, undefined],
  ];
  for (const [headers, key] of cases) {
    assertEquals(presentedKey(new Headers(headers)), key, JSON.stringify(headers));
  }
});
