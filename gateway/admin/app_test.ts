import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { StoreError } from "../ports/store_error.ts";
import { ADMIN_TOKEN, assertRefused, withAdmin } from "./admin_test_support.ts";

const AUTHORIZED = { authorization: `Bearer ${ADMIN_TOKEN}` };
const JSON_TYPE = { ...AUTHORIZED, "content-type": "application/json" };

Deno.test("the admin API asks for a token, before it says whether an address exists", async () => {
  await withAdmin(async ({ app }) => {
    for (const path of ["/admin/v1/wallets", "/admin/v1/nothing"]) {
      const absent = await app.request(path);
      assertEquals(absent.status, 401);
      assertEquals(absent.headers.get("www-authenticate"), 'Bearer realm="admin"');
      assertEquals((await absent.json()).error.code, "missing_api_key");
      for (
        const authorization of ["Bearer wrong", "Bearer ", `Basic ${ADMIN_TOKEN}`, ADMIN_TOKEN]
      ) {
        const wrong = await app.request(path, { headers: { authorization } });
        assertEquals(wrong.status, 401);
        assertEquals((await wrong.json()).error.code, "invalid_api_key");
      }
    }
  });
});

Deno.test("any of the admin tokens is let in, in any spelling of the scheme", async () => {
  await withAdmin(async ({ app }) => {
    for (const authorization of [`bearer ${ADMIN_TOKEN}`, "Bearer another token".slice(0, 14)]) {
      const response = await app.request("/admin/v1/wallets", { headers: { authorization } });
      assertEquals(response.status, authorization.startsWith("bearer") ? 200 : 401);
      await response.body?.cancel();
    }
  });
});

Deno.test("a service key does not open the admin API", async () => {
  await withAdmin(async ({ app, post }) => {
    const { body } = await post("/keys", { name: "app", wallet: "team" });
    const headers = { authorization: `Bearer ${body.key}` };
    const response = await app.request("/admin/v1/wallets", { headers });
    assertEquals((await response.json()).error.code, "invalid_api_key");
  });
});

Deno.test("every answer carries the request's id and is never stored by caches", async () => {
  await withAdmin(async ({ app, get }) => {
    const made = await get("/wallets");
    assertMatch(made.headers.get("x-request-id") ?? "", /^req_\d+$/);
    assertEquals(made.headers.get("cache-control"), "no-store");
    const headers = { ...AUTHORIZED, "x-request-id": "mine-1" };
    for (const path of ["/admin/v1/wallets", "/admin/v1/nothing", "/elsewhere"]) {
      const response = await app.request(path, { headers });
      assertEquals(response.headers.get("x-request-id"), "mine-1");
      await response.body?.cancel();
    }
  });
});

Deno.test("a malformed X-Request-ID is refused under an id made here", async () => {
  await withAdmin(async ({ app }) => {
    const headers = { ...AUTHORIZED, "x-request-id": "x".repeat(129) };
    const response = await app.request("/admin/v1/wallets", { headers });
    const { error } = await response.json();
    assertEquals([response.status, error.param], [400, "X-Request-ID"]);
    assertEquals(response.headers.get("x-request-id"), error.request_id);
  });
});

Deno.test("unknown addresses are 404, known ones with another method 405 with Allow", async () => {
  await withAdmin(async ({ app, get, post }) => {
    assertRefused(await get("/walets"), { status: 404, code: "not_found" });
    const posted = await post("/models", {});
    assertRefused(posted, { status: 405, code: "method_not_allowed" });
    assertEquals(posted.headers.get("allow"), "GET");
    const deleted = await app.request("/admin/v1/wallets", {
      method: "DELETE",
      headers: AUTHORIZED,
    });
    assertEquals(deleted.headers.get("allow"), "GET, POST");
    assertEquals((await deleted.json()).error.code, "method_not_allowed");
  });
});

Deno.test("bodies are JSON in UTF-8 of at most a mebibyte", async () => {
  await withAdmin(async ({ app, post }) => {
    const send = async (headers: Record<string, string>, body: BodyInit) => {
      const response = await app.request("/admin/v1/wallets", { method: "POST", headers, body });
      return (await response.json()).error.code;
    };
    assertEquals(
      await send({ ...AUTHORIZED, "content-type": "text/plain" }, "{}"),
      "unsupported_media_type",
    );
    assertEquals(await send(JSON_TYPE, "{"), "invalid_request");
    assertEquals(await send(JSON_TYPE, ""), "invalid_request");
    assertEquals(await send(JSON_TYPE, new Uint8Array([0x22, 0xff, 0x22])), "invalid_request");
    assertEquals(await send(JSON_TYPE, "[]"), "invalid_request");
    assertEquals(await send(JSON_TYPE, " ".repeat(1024 * 1024 + 1)), "body_too_large");
    assertEquals(await send({ ...JSON_TYPE, "content-length": "2000000" }, "{}"), "body_too_large");
    const type = { "content-type": "application/json; charset=utf-8" };
    assertEquals((await post("/wallets", { id: "typed" }, type)).status, 201);
  });
});

Deno.test("a body of unknown length is cut off as soon as it is too long", async () => {
  await withAdmin(async ({ app }) => {
    let pulled = 0;
    const body = new ReadableStream({
      pull(controller) {
        pulled++;
        controller.enqueue(new Uint8Array(64 * 1024));
      },
    });
    const response = await app.request("/admin/v1/wallets", {
      method: "POST",
      headers: JSON_TYPE,
      body,
    });
    assertEquals((await response.json()).error.code, "body_too_large");
    assert(pulled < 40, `${pulled} pieces were read`);
  });
});

Deno.test("a store that fails is 503 and logged; a bug is 500 without details", async () => {
  const failing = (error: Error) => ({
    verifyLedger: () => {
      throw error;
    },
  });
  await withAdmin(async ({ get, lines }) => {
    const answer = await get("/ledger/verify");
    assertRefused(answer, { status: 503, code: "store_unavailable" });
    assertEquals(answer.headers.get("retry-after"), "1");
    assertStringIncludes(lines.join(), "disk is full");
  }, failing(new StoreError("The disk is full")));
  await withAdmin(async ({ get, lines }) => {
    const answer = await get("/ledger/verify");
    assertRefused(answer, { status: 500, code: "internal" });
    assertEquals(JSON.stringify(answer.body).includes("secret detail"), false);
    assertStringIncludes(lines.join(), "secret detail");
  }, failing(new Error("secret detail")));
});
