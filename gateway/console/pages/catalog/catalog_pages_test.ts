import { assert, assertEquals, assertNotMatch, assertStringIncludes } from "@std/assert";
import { CONTENT, type TestAdmin } from "../../../admin/admin_test_support.ts";
import { formOf, ORIGIN, type TestBrowser, withConsole } from "../../console_test_support.ts";

const HOSTILE = "<script>alert(1)</script>\u202e\u0007";
const SHOWN = String.raw`&lt;script&gt;alert(1)&lt;/script&gt;\u{202e}\u{7}`;

async function signedIn(browser: TestBrowser): Promise<TestBrowser> {
  return await browser.signIn();
}

function currentVersion({ stores }: TestAdmin): number {
  return stores.catalogs.current().version;
}

const EDIT = "/catalog/model/edit?id=fast-mini";

Deno.test("a price is changed in three steps: form, difference, one version with its note", async () => {
  await withConsole(async (browser, admin) => {
    await signedIn(browser);
    const form = formOf((await browser.get(EDIT)).text);
    assertEquals(form["price.inputPerMTok"], "0.25");
    const review = await browser.post(EDIT, { ...form, "price.inputPerMTok": "0.50" });
    assertEquals([review.status, currentVersion(admin)], [200, 1], "nothing has changed yet");
    for (const part of ["price.inputPerMTok", "0.25", "0.50", "+100 %"]) {
      assertStringIncludes(review.text, part);
    }
    assertEquals(review.text.match(/<dt>/g)?.length, 1, "one field differs");
    const fields = { ...formOf(review.text), do: "apply", note: HOSTILE };
    const done = await browser.post("/catalog/apply", fields);
    assertEquals([done.status, currentVersion(admin)], [303, 2]);
    const [model] = admin.stores.catalogs.current().models;
    assertEquals(model?.price.inputPerMTok, "0.50");
    const history = await browser.get("/catalog/history");
    assertStringIncludes(history.text, "version 2 is in force");
    assertStringIncludes(history.text, SHOWN);
  });
});

Deno.test("an edit on a version that is not the newest is shown again, and loses nothing", async () => {
  await withConsole(async (browser, admin) => {
    await signedIn(browser);
    const form = formOf((await browser.get(EDIT)).text);
    const review = await browser.post(EDIT, { ...form, quality: "0.9" });
    const [mini, maxi] = CONTENT.models;
    assert(mini !== undefined && maxi !== undefined);
    const models = [{ ...mini, maxOutputTokens: 99, quality: 0.7 }, maxi];
    await admin.post("/catalog/apply", { content: { ...CONTENT, models } });
    const late = await browser.post("/catalog/apply", { ...formOf(review.text), do: "apply" });
    assertEquals([late.status, currentVersion(admin)], [409, 2]);
    assertStringIncludes(late.text, "Version 2 was created after you began with version 1");
    assertStringIncludes(late.text, "maxOutputTokens");
    assertStringIncludes(late.text, "models.fast-mini.quality");
    const again = await browser.post("/catalog/apply", { ...formOf(late.text), do: "apply" });
    assertEquals([again.status, currentVersion(admin)], [303, 3]);
    const [merged] = admin.stores.catalogs.current().models;
    assertEquals([merged?.quality, merged?.maxOutputTokens], [0.9, 99]);
  });
});

Deno.test("a refusal of the API appears at its field, and the input is kept", async () => {
  await withConsole(async (browser, admin) => {
    await signedIn(browser);
    const form = formOf((await browser.get(EDIT)).text);
    const entered = { ...form, "price.outputPerMTok": "a lot", "description.en": HOSTILE };
    const refused = await browser.post(EDIT, entered);
    assertEquals(refused.status, 400);
    assertStringIncludes(refused.text, 'id="error-price.outputPerMTok"');
    assertStringIncludes(refused.text, 'value="a lot"');
    assertStringIncludes(refused.text, "&lt;script&gt;");
    assertNotMatch(refused.text, /<script>/);
    assertEquals(currentVersion(admin), 1);
  });
});

Deno.test("the whole catalog is edited as text; invalid JSON is kept for correction", async () => {
  await withConsole(async (browser, admin) => {
    await signedIn(browser);
    const page = await browser.get("/catalog/json");
    assertNotMatch(page.text, /provider-secret/);
    const { content = "", base = "" } = formOf(page.text);
    const wrong = await browser.post("/catalog/json", { base, content: `${content},` });
    assertEquals(wrong.status, 422);
    assertStringIncludes(wrong.text, "This is not valid JSON");
    assertEquals(formOf(wrong.text).content, `${content},`);
    const edited = content.replace('"maxInFlight": 200', '"maxInFlight": 20');
    const review = await browser.post("/catalog/json", { base, content: edited });
    assertStringIncludes(review.text, "maxInFlight");
    await browser.post("/catalog/apply", { ...formOf(review.text), do: "apply" });
    const [lab] = admin.stores.catalogs.current().upstreams;
    assertEquals([lab?.maxInFlight, lab?.apiKey], [20, "provider-secret"]);
    const further = await browser.post("/catalog/apply", { base, content: edited, do: "edit" });
    assertEquals(formOf(further.text).content, edited);
  });
});

Deno.test("a tier that wallets are in is removed only by force, which is offered", async () => {
  await withConsole(async (browser, admin) => {
    await signedIn(browser);
    const address = "/catalog/tier/edit?id=standard";
    const form = formOf((await browser.get(address)).text);
    const review = await browser.post(address, { ...form, remove: "on" });
    assertStringIncludes(review.text, "could not spend any more");
    const { force: _, ...unforced } = { ...formOf(review.text), do: "apply", force: "" };
    assertEquals((await browser.post("/catalog/apply", unforced)).status, 409);
    assertEquals(currentVersion(admin), 1);
    await browser.post("/catalog/apply", { ...unforced, force: "on" });
    assertEquals(admin.stores.catalogs.current().tiers.map(({ id }) => id), ["basic"]);
  });
});

Deno.test("a version is compared with any other, and brought back as a new one", async () => {
  await withConsole(async (browser, admin) => {
    await signedIn(browser);
    await admin.post("/catalog/apply", {
      content: { ...CONTENT, models: CONTENT.models.slice(1) },
    });
    const compared = await browser.get("/catalog/version?number=1&since=2");
    assertStringIncludes(compared.text, "Changes from version 2 to 1");
    assertStringIncludes(compared.text, "Added");
    const address = "/catalog/rollback?number=1";
    const page = await browser.get(address);
    assertStringIncludes(page.text, "changes from version 2");
    const fields = formOf(page.text);
    await admin.post("/catalog/apply", {
      content: { ...CONTENT, auto: { dial: 0.8 } },
    });
    const late = await browser.post(address, fields);
    assertEquals([late.status, currentVersion(admin)], [409, 3]);
    assertEquals((await browser.post(address, formOf(late.text))).status, 303);
    assertEquals(currentVersion(admin), 4);
    assertEquals(admin.stores.catalogs.current().models.length, 2);
    const same = await browser.get("/catalog/rollback?number=4");
    assertStringIncludes(same.text, "equals the version in force");
  });
});

Deno.test("hostile names are text, also where they are invisible; strangers and other origins change nothing", async () => {
  await withConsole(async (browser, admin) => {
    const [mini] = CONTENT.models;
    assert(mini !== undefined);
    const odd = {
      ...mini,
      id: "../a/b.c",
      name: HOSTILE,
      upstreamModel: HOSTILE,
      description: { en: HOSTILE, zh: HOSTILE },
    };
    await admin.post("/catalog/apply", { content: { ...CONTENT, models: [odd] }, note: HOSTILE });
    assertEquals((await browser.get("/catalog")).status, 303);
    await signedIn(browser);
    const id = "?id=..%2Fa%2Fb.c";
    const pages = ["", "/json", "/history", `/model${id}`, "/version?number=2", "/tiers"];
    for (const path of [...pages, `/model/edit${id}`, "/model?id=%3Cscript%3E"]) {
      const { text, status } = await browser.get(`/catalog${path}`);
      assertEquals(
        [status, /<script>/.test(text)],
        [path.includes("%3C") ? 404 : 200, false],
        path,
      );
    }
    assertStringIncludes((await browser.get("/catalog/version?number=2")).text, SHOWN);
    assertStringIncludes((await browser.get(`/catalog/model${id}`)).text, SHOWN);
    const content = JSON.stringify(CONTENT);
    const foreign = { origin: "https://page.example" };
    const answer = await browser.post(
      "/catalog/apply",
      { content, base: "2", do: "apply" },
      foreign,
    );
    assertEquals([answer.status, currentVersion(admin)], [403, 2]);
    const own = { origin: ORIGIN };
    browser.cookies.clear();
    await browser.post("/catalog/apply", { content, base: "2", do: "apply" }, own);
    assertEquals(currentVersion(admin), 2);
  });
});

Deno.test("models are filtered and sorted, in both languages", async () => {
  await withConsole(async (browser) => {
    await signedIn(browser);
    const filtered = await browser.get("/catalog?text=SLOW");
    assertStringIncludes(filtered.text, "1 of 2 models");
    assertStringIncludes(
      (await browser.get("/catalog?endpoint=responses")).text,
      "No model matches",
    );
    const sorted = (await browser.get("/catalog?sort=-input")).text;
    assert(sorted.indexOf(">slow-maxi<") < sorted.indexOf(">fast-mini<"));
    const chinese = await browser.get("/catalog", { "accept-language": "zh-CN" });
    assertStringIncludes(chinese.text, "共 2 个模型");
  });
});

Deno.test("a model that draws shows what an image costs, in dollars and in credits", async () => {
  await withConsole(async (browser, admin) => {
    await signedIn(browser);
    const [mini] = CONTENT.models;
    assert(mini !== undefined);
    const price = { inputPerMTok: "0", outputPerMTok: "0", perImage: "0.04" };
    const models = [{ ...mini, endpoints: ["images.generations"], price }];
    await admin.post("/catalog/apply", { content: { ...CONTENT, models } });
    assertStringIncludes((await browser.get("/catalog")).text, "$0.04 an image");
    const page = await browser.get("/catalog/model?id=fast-mini");
    assertStringIncludes(page.text, '<span class="number">40</span>');
  });
});

Deno.test("versions older than the listed ones can be reached", async () => {
  await withConsole(async (browser, { stores }) => {
    await signedIn(browser);
    assertNotMatch((await browser.get("/catalog/history")).text, /next older/);
    for (let expected = 1; expected <= 501; expected++) {
      await stores.catalogs.apply(CONTENT, { expected, note: "", atMs: 0 });
    }
    const { text } = await browser.get("/catalog/history?from=450");
    assertStringIncludes(text, "The newest 500 are listed");
    assertStringIncludes(text, 'href="/console/catalog/version?number=2">Version 2</a>');
  });
});
