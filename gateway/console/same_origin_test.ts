import { assertEquals } from "@std/assert";
import { isSameOrigin } from "./same_origin.ts";

const CASES: readonly (readonly [Record<string, string>, boolean])[] = [
  [{ host: "127.0.0.1:8788", origin: "http://127.0.0.1:8788" }, true],
  [{ host: "[::1]:8788", origin: "http://[::1]:8788" }, true],
  [{ host: "console.example", origin: "https://console.example" }, true],
  [{ host: "console.example:443", origin: "https://console.example" }, true],
  [{ host: "CONSOLE.example", origin: "https://console.example" }, true],
  [{ host: "127.0.0.1:8788", "sec-fetch-site": "same-origin" }, true],
  // Another port of the same machine is the same site, and still foreign.
  [{ host: "127.0.0.1:8788", origin: "http://127.0.0.1:3000" }, false],
  [{ host: "127.0.0.1:8788", origin: "http://127.0.0.1" }, false],
  [{ host: "127.0.0.1:8788", origin: "http://localhost:8788" }, false],
  [{ host: "127.0.0.1:8788", origin: "https://page.example" }, false],
  [{ host: "console.example", origin: "https://console.example.page.example" }, false],
  [{ host: "console.example", origin: "https://console.example@page.example" }, false],
  [{ host: "127.0.0.1:8788", origin: "null" }, false],
  [{ host: "127.0.0.1:8788", origin: "" }, false],
  [{ host: "127.0.0.1:8788", origin: "ftp://127.0.0.1:8788" }, false],
  [{ host: "127.0.0.1:8788", "sec-fetch-site": "same-site" }, false],
  [{ host: "127.0.0.1:8788", "sec-fetch-site": "cross-site" }, false],
  [{ host: "127.0.0.1:8788", "sec-fetch-site": "none" }, false],
  [{ host: "127.0.0.1:8788" }, false],
  [{ origin: "http://127.0.0.1:8788" }, false],
  // An Origin that is there counts, whatever stands beside it.
  [
    {
      host: "127.0.0.1:8788",
      origin: "https://page.example",
      "sec-fetch-site": "same-origin",
    },
    false,
  ],
];

Deno.test("a change comes from this console, by its Origin or by what the browser says instead", () => {
  for (const [headers, expected] of CASES) {
    assertEquals(isSameOrigin(new Headers(headers)), expected, JSON.stringify(headers));
  }
});
