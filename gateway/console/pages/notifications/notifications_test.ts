import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { withConsole } from "../../console_test_support.ts";

const HOSTILE = `<b id="x">&"'</b>`;

Deno.test("a webhook is added with its secret shown once, tested, and removed", async () => {
  await withConsole(async (browser, admin) => {
    await browser.signIn();
    assertStringIncludes((await browser.get("/notifications")).text, "No target receives");
    const added = await browser.post("/notifications/-/new", {
      ...{ name: HOSTILE, kind: "webhook", url: "https://hooks.example.com/hush-token" },
      ...{ host: "", port: "", security: "starttls", user: "", password: "", from: "", to: "" },
    });
    assertEquals([added.status, added.headers.get("cache-control")], [200, "no-store"]);
    const [secret = ""] = /whsec_[A-Za-z0-9+/=]+/.exec(added.text) ?? [];
    assert(secret.length > 40);
    const page = (await browser.get("/notifications")).text;
    assert(!page.includes(secret) && !page.includes("hush-token") && !page.includes(HOSTILE));
    assertStringIncludes(page, "https://hooks.example.com");
    const [{ id }] = (await admin.get("/notify/targets")).body.targets;
    const tested = await browser.post("/notifications", { do: "test", id, name: "Ops" });
    assertEquals(tested.status, 303);
    assertStringIncludes((await browser.get("/notifications")).text, "Ops accepted the test");
    assertStringIncludes((await browser.get(`/notifications/${id}/remove`)).text, "Remove");
    assertEquals((await browser.post(`/notifications/${id}/remove`, {})).status, 303);
    assertEquals((await admin.get("/notify/targets")).body.targets, []);
    assertEquals((await browser.post("/notifications", { do: "nothing" })).status, 400);
  });
});

Deno.test("a mistake is shown beside its field, and mail is added without its password", async () => {
  await withConsole(async (browser, admin) => {
    await browser.signIn();
    const wrong = await browser.post("/notifications/-/new", {
      ...{ name: "Ops", kind: "slack", url: "http://10.0.0.1/" },
    });
    assertEquals(wrong.status, 422);
    assertStringIncludes(wrong.text, "10.0.0.1");
    assertStringIncludes(wrong.text, "public address");
    const mail = await browser.post("/notifications/-/new", {
      ...{ name: "Mail", kind: "email", host: "smtp.example.com", port: "465", security: "tls" },
      ...{ user: "svc", password: "hush-token", from: "svc@example.com" },
      to: "a@example.com, b@example.com",
    });
    assertEquals(mail.status, 303);
    const page = (await browser.get("/notifications")).text;
    assertStringIncludes(page, "a@example.com, b@example.com by smtp.example.com");
    assert(!page.includes("hush-token"));
    const [target] = await admin.deps.notices.targets();
    assertEquals(target?.place.kind === "email" && target.place.mail.port, 465);
  });
});
