import { assert, assertEquals, assertNotMatch, assertStringIncludes } from "@std/assert";
import { CONTENT, type TestAdmin } from "../../../admin/admin_test_support.ts";
import { ServiceFault } from "../../../domain/fault.ts";
import { formOf, type TestBrowser, unescaped, withConsole } from "../../console_test_support.ts";

const MODEL = "/catalog/model/edit?id=fast-mini";
const ROLLBACK = "/catalog/rollback?number=1";
const SECRET = /provider-secret|search-secret/;

/** The review of another quality. */
async function reviewOf(browser: TestBrowser): Promise<Record<string, string>> {
  const form = formOf((await browser.get(MODEL)).text);
  return formOf((await browser.post(MODEL, { ...form, quality: "0.9" })).text);
}

async function removeMaxi({ post }: TestAdmin): Promise<void> {
  await post("/catalog/apply", { content: { ...CONTENT, models: CONTENT.models.slice(0, 1) } });
}

const full = () =>
  Promise.reject(new ServiceFault("store_unavailable", { message: "The disk is full" }));

Deno.test("a change that the store does not take is shown again, with the reason", async () => {
  await withConsole(async (browser, admin) => {
    await browser.signIn();
    const fields = await reviewOf(browser);
    const late = await browser.post("/catalog/apply", { ...fields, do: "apply", note: "Why" });
    assertEquals(late.status, 503);
    assertStringIncludes(late.text, "The disk is full");
    const again = formOf(late.text);
    assertEquals([again.note, again.content, again.base], ["Why", fields.content, "1"]);
    assertEquals(admin.stores.catalogs.current().version, 1);
  }, { applyCatalog: full });
});

Deno.test("a rollback that the store does not take keeps its note, and so does a late one", async () => {
  let isFull = false;
  let stores: TestAdmin["stores"] | undefined;
  const applyCatalog: TestAdmin["deps"]["applyCatalog"] = async (content, options) =>
    isFull ? await full() : await stores?.catalogs.apply(content, { ...options, atMs: 0 });
  await withConsole(async (browser, admin) => {
    stores = admin.stores;
    await browser.signIn();
    await removeMaxi(admin);
    const form = formOf((await browser.get(ROLLBACK)).text);
    const sent = { ...form, note: "As it was" };
    isFull = true;
    const refused = await browser.post(ROLLBACK, sent);
    assertEquals([refused.status, formOf(refused.text).note], [503, "As it was"]);
    assertStringIncludes(refused.text, "The disk is full");
    isFull = false;
    await admin.post("/catalog/apply", {
      content: { ...CONTENT, models: CONTENT.models.slice(1) },
    });
    const late = await browser.post(ROLLBACK, sent);
    assertEquals([late.status, formOf(late.text).note], [409, "As it was"]);
    const long = await browser.post(ROLLBACK, { ...formOf(late.text), note: "n".repeat(501) });
    assertStringIncludes(long.text, 'id="error-note"');
  }, { applyCatalog });
});

Deno.test("a note that is too long is reported at its field", async () => {
  await withConsole(async (browser) => {
    await browser.signIn();
    const fields = { ...await reviewOf(browser), do: "apply", note: "n".repeat(501) };
    const refused = await browser.post("/catalog/apply", fields);
    assertEquals([refused.status, formOf(refused.text).note], [400, fields.note]);
    assertStringIncludes(refused.text, 'id="error-note"');
    assertStringIncludes(refused.text, "Write at most 500 characters");
  });
});

Deno.test("applying an edit twice makes one version, and the second page says so", async () => {
  await withConsole(async (browser, admin) => {
    await browser.signIn();
    const fields = { ...await reviewOf(browser), do: "apply" };
    assertEquals((await browser.post("/catalog/apply", fields)).status, 303);
    const twice = await browser.post("/catalog/apply", fields);
    assertStringIncludes(twice.text, "Nothing differs from the version in force");
    assertEquals(admin.stores.catalogs.current().version, 2);
  });
});

Deno.test("the losses of keys are shown before an edit is applied and before a rollback", async () => {
  await withConsole(async (browser, admin) => {
    await browser.signIn();
    await removeMaxi(admin);
    await admin.post("/catalog/rollback", { version: 1 });
    const { id } = (await admin.post("/keys", { name: "app", wallet: "team" })).body;
    const warning = `Key "app" (${id}) loses the model "slow-maxi"`;
    const page = await browser.get("/catalog/rollback?number=2");
    assertStringIncludes(unescaped(page.text), warning);
    const edit = "/catalog/model/edit?id=slow-maxi";
    const form = formOf((await browser.get(edit)).text);
    const review = await browser.post(edit, { ...form, disabled: "on" });
    assertStringIncludes(unescaped(review.text), warning);
  });
});

Deno.test("a changed field is shown under its own entry, even if an id contains dots", async () => {
  await withConsole(async (browser, admin) => {
    await browser.signIn();
    const [mini, maxi] = CONTENT.models;
    assert(mini !== undefined && maxi !== undefined);
    const models = [{ ...mini, id: "a" }, { ...maxi, id: "a.price" }];
    await admin.post("/catalog/apply", { content: { ...CONTENT, models } });
    const form = formOf((await browser.get("/catalog/model/edit?id=a")).text);
    const changed = { ...form, "price.inputPerMTok": "7" };
    const { text } = await browser.post("/catalog/model/edit?id=a", changed);
    assertStringIncludes(text, "<code>a</code>");
    assertNotMatch(text, /<code>a\.price<\/code>/);
    assertStringIncludes(text, "<dt>price.inputPerMTok</dt>");
  });
});

Deno.test("keys of providers are on no page, in no form and in no difference, and survive them", async () => {
  await withConsole(async (browser, admin) => {
    await browser.signIn();
    const [lab] = CONTENT.upstreams;
    const { apiKey: _, ...keyless } = lab ?? {};
    const search = { kind: "brave", baseUrl: "http://127.0.0.1:9", apiKey: "search-secret" };
    const apply = (content: object) =>
      admin.post("/catalog/apply", { content: { ...CONTENT, ...content } });
    await apply({ search });
    await apply({ upstreams: [{ ...keyless, apiKeyEnv: "LAB_KEY" }] });
    await apply({ search: { ...search, pricePerSearch: "0.01" } });
    const number = (version: number) => `?number=${version}`;
    const paths = [
      ...["", "/tiers", "/json", "/history", "/check", "/model?id=fast-mini"],
      ...[1, 2, 3, 4].flatMap((each) => [`/version${number(each)}`, `/rollback${number(each)}`]),
      "/version?number=4&since=1",
      "/model/edit?id=fast-mini",
    ].map((path) => `/catalog${path}`);
    const edit = "/upstreams/upstream/edit?id=lab";
    for (const path of [...paths, "/upstreams", "/upstreams/upstream?id=lab", edit]) {
      const { status, text } = await browser.get(path);
      assertEquals(status, 200, path);
      assertNotMatch(text, SECRET, path);
    }
    const form = formOf((await browser.get(edit)).text);
    const review = await browser.post(edit, { ...form, maxInFlight: "7" });
    const wrong = await browser.post(edit, { ...form, maxInFlight: "many" });
    const done = await browser.post("/catalog/apply", { ...formOf(review.text), do: "apply" });
    const as = { ...formOf(review.text), do: "edit" };
    for (const { text } of [review, wrong, done, await browser.post("/catalog/apply", as)]) {
      assertNotMatch(text, SECRET);
    }
    const { upstreams, search: kept } = admin.stores.catalogs.current();
    assertEquals([upstreams[0]?.apiKey, upstreams[0]?.maxInFlight], ["provider-secret", 7]);
    assert(kept?.kind === "brave");
    assertEquals(kept.apiKey, "search-secret");
    assertEquals(admin.lines.filter((line) => SECRET.test(line)), []);
  }, { env: (name) => name === "LAB_KEY" ? "provider-secret" : undefined });
});
