import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import type { TestAdmin } from "../../../admin/admin_test_support.ts";
import { withConsole } from "../../console_test_support.ts";

async function madeKey({ post }: TestAdmin, name = "app"): Promise<string> {
  return String((await post("/keys", { name, wallet: "team" })).body.id);
}

async function copyOf({ post }: TestAdmin, id: string): Promise<string> {
  return String((await post(`/keys/${id}/rotate`)).body.id);
}

Deno.test("a rotation whose copy has expired reports it and continues", async () => {
  await withConsole(async (browser, admin) => {
    await browser.signIn();
    const id = await madeKey(admin);
    const [lost, other] = [await copyOf(admin, id), await copyOf(admin, id)];
    await admin.post(`/keys/${lost}/revoke`);
    const page = await browser.get(`/keys/${id}/rotate?copy=${lost}`);
    assertEquals(page.status, 200);
    assertStringIncludes(page.text, `Copy ${lost} is no longer usable`);
    assertStringIncludes(page.text, `/console/keys/${other}`);
    const tried = await browser.post(`/keys/${id}/rotate?copy=${lost}`, {
      ...{ do: "verify", copy: lost, key: "svc_live_x", request_id: "v" },
    });
    assertEquals(tried.status, 422);
    assertStringIncludes(tried.text, "is no longer usable");
    await admin.post(`/keys/${other}/revoke`);
    const again = await browser.get(`/keys/${id}/rotate?copy=${lost}`);
    assertStringIncludes(again.text, "is no longer usable");
    assertStringIncludes(again.text, 'value="copy"');
    await admin.post(`/keys/${id}/revoke`);
    const over = await browser.get(`/keys/${id}/rotate?copy=${other}`);
    assertEquals(over.status, 200);
    assertStringIncludes(over.text, "nothing is left to replace");
  });
});

Deno.test("only a copy of the key is called with", async () => {
  await withConsole(async (browser, admin) => {
    await browser.signIn();
    const [id, stranger] = [await madeKey(admin), await madeKey(admin, "other")];
    await copyOf(admin, id);
    for (const copy of [id, stranger, "", "none"]) {
      const fields = { do: "verify", copy, key: "svc_live_x", request_id: "v" };
      const answer = await browser.post(`/keys/${id}/rotate`, fields);
      assertEquals(answer.status, 422, copy);
      assertStringIncludes(answer.text, "is no longer usable");
    }
  });
});

Deno.test("an old key that was disabled too early can be enabled again, to be copied", async () => {
  await withConsole(async (browser, admin) => {
    await browser.signIn();
    const id = await madeKey(admin);
    const copy = await copyOf(admin, id);
    await admin.post(`/keys/${id}/disable`);
    await admin.post(`/keys/${copy}/revoke`);
    const stuck = await browser.get(`/keys/${id}/rotate`);
    assertStringIncludes(stuck.text, "cannot be copied");
    assertStringIncludes(stuck.text, 'value="enable"');
    await browser.post(`/keys/${id}/rotate`, { do: "enable" });
    assertStringIncludes((await browser.get(`/keys/${id}/rotate`)).text, 'value="copy"');
  });
});

Deno.test("two simultaneous rotations report each other's copy", async () => {
  await withConsole(async (browser, admin) => {
    await browser.signIn();
    const id = await madeKey(admin);
    const begin = (once: string) =>
      browser.post(`/keys/${id}/rotate`, { do: "copy", once, name: "app 2" });
    const made = await Promise.all([begin("one"), begin("other")]);
    assertEquals(made.map(({ status }) => status), [200, 200]);
    const keys = made.map(({ text }) => /svc_live_(\w{12})/.exec(text)?.[1] ?? "?");
    for (const [at, key] of keys.entries()) {
      const { text } = await browser.get(`/keys/${id}/rotate?copy=key_${key}`);
      assertMatch(text, new RegExp(`Other usable copies[^]*key_${keys[1 - at]}`));
    }
  });
});

Deno.test("a name that is refused stays in the form of the copy", async () => {
  await withConsole(async (browser, admin) => {
    await browser.signIn();
    const id = await madeKey(admin);
    const form = { do: "copy", once: "a", name: "shop\u202e2" };
    const refused = await browser.post(`/keys/${id}/rotate`, form);
    assertEquals(refused.status, 422);
    assertStringIncludes(refused.text, 'id="error-name"');
    assert(refused.text.includes('value="shop'));
  });
});

Deno.test("every step can be taken twice", async () => {
  await withConsole(async (browser, admin) => {
    await browser.signIn();
    const id = await madeKey(admin);
    await copyOf(admin, id);
    for (const verb of ["disable", "disable", "enable", "enable", "disable"]) {
      assertEquals((await browser.post(`/keys/${id}/rotate`, { do: verb })).status, 303, verb);
    }
    for (let time = 0; time < 2; time++) {
      assertEquals((await browser.post(`/keys/${id}/revoke?rotation=x`)).status, 303);
    }
    const page = await browser.get(`/keys/${id}/rotate?copy=x`);
    assertEquals(page.status, 200);
    assertStringIncludes(page.text, "This rotation is complete");
  });
});
