import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { CONTENT } from "../../../admin/admin_test_support.ts";
import { formOf, unescaped, withConsole } from "../../console_test_support.ts";

const MODEL = "/catalog/model/edit?id=fast-mini";
const TIER = "/catalog/tier/edit?id=basic";
const LAB = "/upstreams/upstream/edit?id=lab";
const TIERS = CONTENT.tiers.map((tier) => ({ ...tier, models: ["fast-mini"] }));

/** The sentence at each field that has one. */
function errorsOf(html: string): Record<string, string> {
  const errors = html.matchAll(/<p class="error" id="error-([^"]*)">([^<]*)/g);
  return Object.fromEntries(
    [...errors].map(([, name = "", text = ""]) => [name, unescaped(text)]),
  );
}

/** The head of a form that was refused. */
function headOf(html: string): string {
  const notice = /<div class="notice notice-problem"[^>]*>(.*?)<\/div>/.exec(html)?.[1] ?? "";
  return unescaped(notice.replaceAll(/<[^>]*>/g, ""));
}

Deno.test("every field that is wrong has its own sentence, and keeps what was entered", async () => {
  await withConsole(async (browser) => {
    await browser.signIn();
    const form = formOf((await browser.get(MODEL)).text);
    const dollars = "Write dollars as a decimal string with at most 9 places after at most 15 " +
      'digits, such as "0.25"';
    const wrong = {
      "price.inputPerMTok": "-1",
      "price.outputPerMTok": "9".repeat(60),
      "price.perImage": "0.1234567891",
      quality: "7",
      contextTokens: "400,000",
      "description.zh": "",
    };
    const { status, text } = await browser.post(MODEL, { ...form, ...wrong });
    assertEquals(status, 400);
    assertEquals(errorsOf(text), {
      "price.inputPerMTok": dollars,
      "price.outputPerMTok": dollars,
      "price.perImage": dollars,
      quality: "Write a number from 0 to 1",
      contextTokens: "Write a whole number from 1 to 1000000000",
      "description.zh": "Write a text",
    });
    assertEquals(headOf(text), "Please correct the marked fields.");
    const kept = formOf(text);
    for (const [name, value] of Object.entries(wrong)) assertEquals(kept[name], value);
  });
});

Deno.test("a mistake of several fields appears at each of them", async () => {
  await withConsole(async (browser) => {
    await browser.signIn();
    const form = formOf((await browser.get(MODEL)).text);
    const { endpoints: _, ...none } = form;
    const unpriced = { "price.inputPerMTok": "", "price.outputPerMTok": "" };
    const { text } = await browser.post(MODEL, { ...none });
    assertEquals(errorsOf(text), { endpoints: "Name at least one endpoint" });
    const { price } = errorsOf((await browser.post(MODEL, { ...form, ...unpriced })).text);
    assertStringIncludes(price ?? "", "is not in the price list");
  });
});

Deno.test("mistakes of a tier's texts and models, and of an upstream's key, appear at their fields", async () => {
  await withConsole(async (browser) => {
    await browser.signIn();
    const tier = formOf((await browser.get(TIER)).text);
    const wrong = { ...tier, creditsPerUsd: "0", "name.zh": "", "description.en": "" };
    const { text } = await browser.post(TIER, wrong);
    assertEquals(Object.keys(errorsOf(text)), ["creditsPerUsd", "name.zh", "description.en"]);
    const unknown = await browser.post(TIER, { ...tier, models: "fast-mini, slow, slower" });
    assertEquals(errorsOf(unknown.text), {
      models: 'There is no model "slow"; There is no model "slower"',
    });
    const lab = formOf((await browser.get(LAB)).text);
    const moved = await browser.post(LAB, { ...lab, baseUrl: "http://127.0.0.1:1/v1" });
    assertStringIncludes(errorsOf(moved.text).apiKey ?? "", "has moved");
    const pasted = await browser.post(LAB, { ...lab, apiKeyEnv: "sk-live-12345678" });
    assertEquals(errorsOf(pasted.text), { apiKeyEnv: "Write the name of an environment variable" });
  });
});

Deno.test("an entry that a form breaks elsewhere is named by its id, at the head", async () => {
  await withConsole(async (browser, admin) => {
    await browser.signIn();
    const [lab] = CONTENT.upstreams;
    const upstreams = [lab, { id: "sim", kind: "simulator" }];
    await admin.post("/catalog/apply", { content: { ...CONTENT, upstreams } });
    const form = formOf((await browser.get(LAB)).text);
    const { status, text } = await browser.post(LAB, { ...form, remove: "on" });
    assertEquals([status, Object.keys(errorsOf(text))], [400, []]);
    assertStringIncludes(headOf(text), 'models.slow-maxi.upstream: There is no upstream "lab"');
    const json = formOf((await browser.get("/catalog/json")).text);
    const content = (json.content ?? "").replace('"upstream": "lab"', '"upstream": "gone"');
    const refused = await browser.post("/catalog/json", { ...json, content });
    assertStringIncludes(headOf(refused.text), "models.fast-mini.upstream: There is no upstream");
  });
});

Deno.test("a removed model is removed from the tiers that name it, and the affected keys are shown", async () => {
  await withConsole(async (browser, admin) => {
    await browser.signIn();
    await admin.post("/catalog/apply", { content: { ...CONTENT, tiers: TIERS } });
    const { id } = (await admin.post("/keys", { name: "<b>app", wallet: "team" })).body;
    const form = formOf((await browser.get(MODEL)).text);
    const review = await browser.post(MODEL, { ...form, remove: "on" });
    assertEquals(review.status, 200);
    for (const part of ["Model", "Removed", "<mark>fast-mini</mark>", "&lt;b&gt;app"]) {
      assertStringIncludes(review.text, part);
    }
    assertStringIncludes(unescaped(review.text), `Key "<b>app" (${id}) may use none of the models`);
    await browser.post("/catalog/apply", { ...formOf(review.text), do: "apply" });
    const { models, tiers } = admin.stores.catalogs.current();
    assertEquals(models.map((model) => model.id), ["slow-maxi"]);
    assertEquals(tiers.map((tier) => tier.models), [[], []]);
  });
});

Deno.test("a catalog as large as the API takes is edited, and one that is larger is not lost", async () => {
  await withConsole(async (browser, admin) => {
    await browser.signIn();
    const [mini] = CONTENT.models;
    assert(mini !== undefined);
    const zh = "一个文本模型，可以详细而谨慎地回答问题。".repeat(20);
    const model = { ...mini, description: { en: "A text model", zh } };
    const models = Array.from({ length: 600 }, (_, at) => ({ ...model, id: `m${at}` }));
    await admin.post("/catalog/apply", { content: { ...CONTENT, models } });
    const edit = "/catalog/model/edit?id=m7";
    const form = formOf((await browser.get(edit)).text);
    const review = await browser.post(edit, { ...form, quality: "0.9" });
    const done = await browser.post("/catalog/apply", { ...formOf(review.text), do: "apply" });
    assertEquals([done.status, admin.stores.catalogs.current().models[7]?.quality], [303, 0.9]);
    const json = formOf((await browser.get("/catalog/json")).text);
    const content = JSON.stringify({
      ...JSON.parse(json.content ?? ""),
      more: "x".repeat(500_000),
    });
    const refused = await browser.post("/catalog/json", { base: json.base ?? "", content });
    assertEquals(refused.status, 413);
    assertEquals(JSON.parse(formOf(refused.text).content ?? ""), JSON.parse(content));
  });
});

Deno.test("the form of what is not there leads to the list of those that are", async () => {
  await withConsole(async (browser) => {
    await browser.signIn();
    const pages = {
      "/catalog/model?id=none": 'href="/console/catalog">Models',
      "/catalog/model/edit?id=none": 'href="/console/catalog">Models',
      "/catalog/tier/edit?id=none": 'href="/console/catalog/tiers">Tiers',
      "/upstreams/upstream?id=none": 'href="/console/upstreams">Upstreams',
      "/upstreams/upstream/edit?id=none": 'href="/console/upstreams">Upstreams',
    };
    for (const [path, link] of Object.entries(pages)) {
      const { status, text } = await browser.get(path);
      assertEquals(status, 404, path);
      assertStringIncludes(text, link);
    }
  });
});

Deno.test("a choice that was removed in the meantime stays visible, and is not replaced", async () => {
  await withConsole(async (browser, admin) => {
    await browser.signIn();
    const extra = { id: "extra", kind: "simulator" };
    const upstreams = [...CONTENT.upstreams, extra];
    await admin.post("/catalog/apply", { content: { ...CONTENT, upstreams } });
    const form = formOf((await browser.get(MODEL)).text);
    await admin.post("/catalog/apply", { content: CONTENT });
    const { status, text } = await browser.post(MODEL, { ...form, upstream: "extra" });
    assertEquals([status, formOf(text).upstream], [400, "extra"]);
    assertEquals(errorsOf(text), { upstream: 'There is no upstream "extra"' });
  });
});

Deno.test("a refusal without a field appears at the head of the form", async () => {
  await withConsole(async (browser, admin) => {
    await browser.signIn();
    const form = formOf((await browser.get(LAB)).text);
    const { upstreams: [lab] } = CONTENT;
    const { apiKey: _, ...keyless } = lab ?? {};
    await admin.post("/catalog/apply", { content: { ...CONTENT, upstreams: [keyless] } });
    const moved = await browser.post(LAB, { ...form, baseUrl: "http://127.0.0.1:1/v1" });
    assertEquals(moved.status, 409, "the key went meanwhile, so the address may change");
    const odd = await browser.post(LAB, { base: form.base ?? "", kind: "openai-compatible" });
    assertStringIncludes(headOf(odd.text), 'upstreams.lab.baseUrl: An "openai-compatible"');
  });
});
