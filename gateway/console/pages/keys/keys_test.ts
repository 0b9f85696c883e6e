import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import type { TestAdmin } from "../../../admin/admin_test_support.ts";
import { type TestBrowser, withConsole } from "../../console_test_support.ts";

const HOSTILE = `<b id="x">&"'</b>`;

/** The hidden field that makes a form count once. */
async function onceOf(browser: TestBrowser, path: string): Promise<string> {
  return /name="once" value="([^"]+)"/.exec((await browser.get(path)).text)?.[1] ?? "";
}

async function madeKey({ post }: TestAdmin, name: string, policy: unknown = {}) {
  const { status, body } = await post("/keys", { name, wallet: "team", policy });
  assertEquals(status, 201, JSON.stringify(body));
  return body;
}

async function policyOf({ get }: TestAdmin, id: string) {
  return (await get(`/keys/${id}`)).body.policy;
}

/** The values of the text fields of a form, as a browser would send them. */
async function fieldsIn(browser: TestBrowser, path: string): Promise<Record<string, string>> {
  const { text } = await browser.get(path);
  const inputs = [...text.matchAll(/<input [^>]*>/g)].map(([tag]) => tag);
  return Object.fromEntries(
    inputs.filter((tag) => !/type="(?:radio|checkbox)"/.test(tag)).map((tag) => {
      const [, name = ""] = /name="([^"]*)"/.exec(tag) ?? [];
      const [, value = ""] = /value="([^"]*)"/.exec(tag) ?? [];
      return [name, value.replaceAll("&quot;", '"')];
    }),
  );
}

async function countOf({ get }: TestAdmin): Promise<number> {
  return (await get("/keys")).body.keys.length;
}

Deno.test("the form makes a key with its policy, shown once, however often it is sent", async () => {
  await withConsole(async (browser, admin) => {
    await browser.signIn();
    const once = await onceOf(browser, "/keys/new");
    const form = {
      ...{ do: "save", once, name: "Shop", wallet: "team", limit_models: "some" },
      ...{ models: "fast-mini", budget_day: "12.5", requestsPerMinute: "60", mode: "off" },
      ...{ stream: "final", ipRanges: "10.0.0.0/8" },
    };
    const made = await browser.post("/keys/new", form);
    assertEquals([made.status, made.headers.get("cache-control")], [200, "no-store"]);
    const [key = ""] = /svc_live_\w{50}/.exec(made.text) ?? [];
    const record = await admin.deps.keyRing.authenticate(key);
    assertEquals(record?.policy, {
      models: ["fast-mini"],
      budget: { day: "12.5" },
      requestsPerMinute: 60,
      ipRanges: ["10.0.0.0/8"],
      orchestration: { mode: "off", stream: "final" },
    });
    assertStringIncludes(made.text, "http://gateway.test:8787/openai/v1/chat/completions");
    const again = await browser.post("/keys/new", form);
    assertEquals([again.status, again.headers.get("location")], [303, "/console/keys"]);
    assertEquals(await countOf(admin), 1);
    const page = await browser.get("/keys");
    assertStringIncludes(page.text, "already created");
    const pages = ["/keys", `/keys/${record?.id}`, `/keys/${record?.id}/rotate`];
    for (const path of pages) assert(!(await browser.get(path)).text.includes(key), path);
    assert(await onceOf(browser, "/keys/new") !== once);
  });
});

Deno.test("a mistake is shown beside its field, and the input is kept", async () => {
  await withConsole(async (browser, admin) => {
    await browser.signIn();
    const refused = async (fields: Record<string, string>, field: string, words: string) => {
      const base = { do: "save", once: "a", name: "Shop", wallet: "team" };
      const { status, text } = await browser.post("/keys/new", { ...base, ...fields });
      assertEquals(status, 422);
      const [, error = ""] = new RegExp(`id="error-${field}">([^<]*)`).exec(text) ?? [];
      assertStringIncludes(error, words);
      assertStringIncludes(text, 'value="Shop"');
    };
    await refused({ requestsPerMinute: "many" }, "requestsPerMinute", "whole number");
    await refused({ budget_month: "1e3" }, "budget_month", "as 12.5");
    await refused({ ipRanges: "10.0.0.0/99" }, "ipRanges", "no CIDR range");
    await refused({ expiresAt: "tomorrow" }, "expiresAt", "ISO 8601");
    await refused({ limit_models: "some", models: "gone" }, "models", "has no model");
    await refused({ wallet: "taem" }, "wallet", "the nearest is");
    assertEquals(await countOf(admin), 0);
  });
});

Deno.test("a preview tells what is left, on the page and for the script alike, and saves nothing", async () => {
  await withConsole(async (browser, admin) => {
    const form = { wallet: "team", limit_models: "some", models: "slow-maxi", do: "preview" };
    const stranger = await browser.post("/feeds/keys/preview", form, { accept: "*/*" });
    assertEquals(stranger.status, 401);
    await browser.signIn();
    const page = await browser.post("/keys/new", form);
    const piece = await browser.post("/feeds/keys/preview", form);
    assertEquals([page.status, piece.status], [200, 200]);
    assertStringIncludes(piece.text, "1 of 2 models, 1 of 5 endpoints");
    assertStringIncludes(page.text, piece.text);
    const foreign = { origin: "https://page.example" };
    assertEquals((await browser.post("/feeds/keys/preview", form, foreign)).status, 403);
    const wrong = await browser.post("/feeds/keys/preview", { ...form, tokensPerMinute: "<b>" });
    assertStringIncludes(wrong.text, "cannot be saved");
    assertEquals(await countOf(admin), 0);
  });
});

Deno.test("hostile names show as text on every page of a key", async () => {
  await withConsole(async (browser, admin) => {
    await browser.signIn();
    const { id } = await madeKey(admin, HOSTILE, { industryPacks: [HOSTILE] });
    const pages = ["", `/${id}`, `/${id}/narrow`, `/${id}/rotate`, `/${id}/revoke`];
    for (const path of [...pages, `/${id}/content-log`, `?name=${encodeURIComponent(HOSTILE)}`]) {
      const { status, text } = await browser.get(`/keys${path}`);
      assertEquals([status, text.includes("<b id"), text.includes("&lt;b id")], [200, false, true]);
    }
  });
});

Deno.test("no name in a policy turns the text around it", async () => {
  await withConsole(async (browser, admin) => {
    await browser.signIn();
    const pack = "gold\u202e\u0007\u200bdlog";
    const { id } = await madeKey(admin, "app", { industryPacks: [pack] });
    for (const path of ["", `/${id}`, `/${id}/narrow`, `/${id}/rotate`]) {
      const { text } = await browser.get(`/keys${path}`);
      assert(!/[\u202e\u200b]|(?!\s)\p{Cc}/u.test(text.replace(/="[^"]*"/g, "")), path);
    }
    assertStringIncludes((await browser.get(`/keys/${id}`)).text, "gold\\u{202e}\\u{7}");
    // What goes back to the API keeps its bytes.
    assertStringIncludes((await browser.get(`/keys/${id}/narrow`)).text, `value="${pack}"`);
    const form = { do: "save", seen: "", limit_industryPacks: "some", industryPacks: pack };
    const sent = await browser.post(`/keys/${id}/narrow`, { ...form, budget_day: "5\u202e" });
    assertEquals(sent.status, 422);
    assert(!/\u202e/.test(sent.text.replace(/="[^"]*"/g, "")));
    const piece = await browser.post("/feeds/keys/preview", { ...form, wallet: "team" });
    assertStringIncludes(piece.text, "gold\\u{202e}");
    assert(!piece.text.includes("\u202e"));
    assertEquals((await browser.post(`/keys/${id}/narrow`, form)).status, 303);
    assertEquals((await policyOf(admin, id)).industryPacks, [pack]);
  });
});

Deno.test("a key's expiry is shown in UTC for any input format", async () => {
  await withConsole(async (browser, admin) => {
    await browser.signIn();
    const { id } = await madeKey(admin, "app", { expiresAt: "2027-06-30T23:30:00+02:00" });
    assertStringIncludes((await browser.get(`/keys/${id}`)).text, "<dd>2027-06-30 21:30</dd>");
    assertStringIncludes((await browser.get("/keys")).text, "Expires (UTC): 2027-06-30 21:30");
  });
});

Deno.test("a stale form widens nothing: it is refused, and keeps what was entered", async () => {
  await withConsole(async (browser, admin) => {
    await browser.signIn();
    const { id } = await madeKey(admin, "app", { requestsPerMinute: 10 });
    const opened = (await browser.get(`/keys/${id}/narrow`)).text;
    const seen = (/name="seen" value="([^"]*)"/.exec(opened)?.[1] ?? "").replaceAll("&quot;", '"');
    const other = { requestsPerMinute: 5, maxChargePerRequest: "2" };
    await admin.post(`/keys/${id}/narrow`, { policy: other });
    const form = { do: "save", seen, requestsPerMinute: "8", tokensPerMinute: "77" };
    const refused = await browser.post(`/keys/${id}/narrow`, form);
    assertEquals(refused.status, 422);
    assertStringIncludes(refused.text, "was changed after you opened");
    assertMatch(refused.text, /id="error-requestsPerMinute"/);
    assertMatch(refused.text, /id="error-maxChargePerRequest"/);
    assertStringIncludes(refused.text, 'value="77"');
    assertEquals(await policyOf(admin, id), other);
    const stricter = { ...form, requestsPerMinute: "5", maxChargePerRequest: "1" };
    assertEquals((await browser.post(`/keys/${id}/narrow`, stricter)).status, 303);
    assertEquals((await policyOf(admin, id)).tokensPerMinute, 77);
  });
});

Deno.test("a narrowed key keeps the room for files that the form does not change", async () => {
  await withConsole(async (browser, admin) => {
    await browser.signIn();
    const files = { files: 1_000, bytes: 1_000_000_000, stores: 20 };
    const { id } = await madeKey(admin, "app", { files });
    const fields = await fieldsIn(browser, `/keys/${id}/narrow`);
    const saved = await browser.post(`/keys/${id}/narrow`, {
      ...{ ...fields, do: "save", requestsPerMinute: "5" },
    });
    assertEquals(saved.status, 303, saved.text);
    const { requestsPerMinute, files: kept } = await policyOf(admin, id);
    assertEquals([requestsPerMinute, kept], [5, files]);
    const { text } = await browser.get(`/keys/${id}`);
    assertStringIncludes(text, "<dd>1,000,000,000</dd>");
    const wider = await browser.post(`/keys/${id}/narrow`, {
      ...{ ...fields, do: "save", requestsPerMinute: "5", files_bytes: "2000000000" },
    });
    assertMatch(wider.text, /id="error-files_bytes"/);
  });
});

Deno.test("the embedding model of a key shows, and a wrong one is refused beside its field", async () => {
  await withConsole(async (browser, admin) => {
    await browser.signIn();
    const { id } = await madeKey(admin, "app");
    await admin.deps.embeddingPins.replace(id, {
      from: undefined,
      to: { lineId: id, model: "vectors", dimensions: 64, source: "first_call", atMs: 1 },
    });
    assertStringIncludes((await browser.get(`/keys/${id}`)).text, "vectors, 64 dimensions");
    const wrong = await browser.post(`/keys/${id}/narrow`, {
      ...{ do: "save", embeddings_model: "gone", embeddings_dimensions: "many" },
    });
    assertMatch(wrong.text, /id="error-embeddings_dimensions"/);
  });
});

Deno.test("no change of a key is made for another site", async () => {
  await withConsole(async (browser, admin) => {
    await browser.signIn();
    const { id } = await madeKey(admin, "app", { requestsPerMinute: 10 });
    const before = (await admin.get(`/keys/${id}`)).body;
    const forms: readonly (readonly [string, Record<string, string>])[] = [
      ["/keys/new", { do: "save", once: "a", name: "x", wallet: "team" }],
      [`/keys/${id}`, { do: "disable" }],
      [`/keys/${id}/narrow`, { do: "save", requestsPerMinute: "1" }],
      [`/keys/${id}/rotate`, { do: "copy", once: "b", name: "x" }],
      [`/keys/${id}/revoke`, {}],
      [`/keys/${id}/content-log`, { on: "yes" }],
    ];
    for (const [path, fields] of forms) {
      const answer = await browser.post(path, fields, { origin: "https://page.example" });
      assertEquals(answer.status, 403, path);
    }
    assertEquals((await admin.get(`/keys/${id}`)).body, before);
    assertEquals(await countOf(admin), 1);
  });
});

Deno.test("a key is disabled, enabled, and ends for good after a question", async () => {
  await withConsole(async (browser, admin) => {
    await browser.signIn();
    const { id } = await madeKey(admin, "app");
    const status = async () => (await admin.get(`/keys/${id}`)).body.status;
    await browser.post(`/keys/${id}`, { do: "disable" });
    assertEquals(await status(), "disabled");
    await browser.post(`/keys/${id}`, { do: "enable" });
    assertEquals(await status(), "active");
    await browser.get(`/keys/${id}/revoke`);
    assertEquals(await status(), "active");
    const ended = await browser.post(`/keys/${id}/revoke`);
    assertEquals(ended.headers.get("location"), `/console/keys/${id}`);
    assertEquals(await status(), "revoked");
    const { text } = await browser.get(`/keys/${id}`);
    assertStringIncludes(text, "is permanently revoked");
    for (const verb of ["rotate", "narrow", "revoke", "content-log"]) {
      assert(!text.includes(`/console/keys/${id}/${verb}`), verb);
    }
    assertEquals((await browser.post(`/keys/${id}`, { do: "enable" })).status, 409);
    for (const path of ["narrow", "revoke", "content-log"]) {
      const { status, text } = await browser.get(`/keys/${id}/${path}`);
      assertEquals([status, text.includes('action="/console/keys')], [409, false], path);
      assertStringIncludes(text, "it can no longer be changed");
    }
  });
});

Deno.test("content is logged only after a warning, and the page says so", async () => {
  await withConsole(async (browser, admin) => {
    await browser.signIn();
    const { id } = await madeKey(admin, "app");
    const isOn = async () => (await admin.get(`/keys/${id}`)).body.logContent;
    assertStringIncludes((await browser.get(`/keys/${id}/content-log`)).text, "personal data");
    assertEquals(await isOn(), false);
    await browser.post(`/keys/${id}/content-log`, { on: "yes" });
    assertEquals(await isOn(), true);
    assertStringIncludes((await browser.get(`/keys/${id}`)).text, "On: prompts and answers");
    await browser.post(`/keys/${id}/content-log`, { on: "no" });
    assertEquals(await isOn(), false);
  });
});

Deno.test("a rotation makes one copy, and never sends a pasted key back", async () => {
  await withConsole(async (browser, admin) => {
    await browser.signIn();
    const old = await madeKey(admin, "app");
    const path = `/keys/${old.id}/rotate`;
    const once = await onceOf(browser, path);
    const copy = { do: "copy", once, name: "app 2" };
    const made = await browser.post(path, copy);
    const [key = ""] = /svc_live_\w{50}/.exec(made.text) ?? [];
    const again = await browser.post(path, copy);
    assertEquals([again.status, await countOf(admin)], [303, 2]);
    const { id } = await admin.deps.keyRing.authenticate(key) ?? {};
    const wrong = await browser.post(path, {
      ...{ do: "verify", copy: String(id), request_id: "verify_1", key: old.key },
    });
    assertEquals(wrong.status, 422);
    assertStringIncludes(wrong.text, "This is not key");
    assert(!wrong.text.includes(old.key));
    const page = await browser.get(path);
    assert(!page.text.includes(key));
    assertStringIncludes(page.text, "step-now");
  });
});
