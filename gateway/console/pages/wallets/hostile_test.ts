import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { withConsole } from "../../console_test_support.ts";

Deno.test("a malformed amount is never read as another amount", async () => {
  await withConsole(async (browser, { get }) => {
    await browser.signIn();
    const path = "/wallets/team/credit";
    const wrong = [
      ...["1e3", "0x10", "-5", "+5", "1,000", "1 000", "1_000", "5.", ".5", "１２", "١٢", "Ⅴ"],
      ...["12345678901234567890", "Infinity", "5\n6", "0.0000001", "0.0", "5\u0000"],
    ];
    for (const credits of wrong) {
      for (const fields of [{ credits }, { credits, do: "pay" }]) {
        const answer = await browser.post(path, { once: "a", note: "", ...fields });
        assertEquals(answer.status, 422, JSON.stringify(credits));
      }
    }
    const most = { once: "b", credits: "999999999999999" };
    assertEquals((await browser.post(path, most)).status, 200);
    for (const time of [1, 2]) {
      const paid = await browser.post(path, { ...most, once: `b${time}`, do: "pay" });
      assertEquals(paid.status, 422, "More than a wallet can hold");
      assertStringIncludes(paid.text, "cannot hold that many credits");
    }
    assertEquals((await get("/wallets/team")).body.credits, "100.000000");
  });
});

Deno.test("a form whose id was already used pays nothing, and says so", async () => {
  await withConsole(async (browser, { post, get }) => {
    await browser.signIn();
    await post("/wallets", { id: "other" });
    const form = { once: "same", credits: "5", do: "pay" };
    assertEquals((await browser.post("/wallets/team/credit", form)).status, 303);
    const answer = await browser.post("/wallets/other/credit", form);
    assertEquals(answer.status, 422);
    assertStringIncludes(answer.text, "already used for another amount");
    assertEquals((await get("/wallets/other")).body.credits, "0.000000");
    const fresh = /name="once" value="([^"]+)"/.exec(answer.text)?.[1] ?? "same";
    assert(fresh !== "same", "The form that is shown again would be refused for ever");
    assertEquals(
      (await browser.post("/wallets/other/credit", { ...form, once: fresh })).status,
      303,
    );
  });
});

Deno.test("a note shows all its characters, without changes of direction", async () => {
  await withConsole(async (browser, { post }) => {
    await browser.signIn();
    const note = "Invoice \u202e17\u0007\u200b";
    await post("/wallets/team/credit", { credits: "1", note });
    const { text } = await browser.get("/wallets/team");
    assertStringIncludes(text, "Invoice \\u{202e}17\\u{7}\\u{200b}");
    const reply = await browser.post("/wallets/team/credit", { once: "a", credits: "1", note });
    assertStringIncludes(reply.text, "Note: Invoice \\u{202e}17");
  });
});

Deno.test("an unreadable filter is reported beside it, and the wallet is kept", async () => {
  await withConsole(async (browser) => {
    await browser.signIn();
    for (const query of ["since=yesterday", "until=7x", "kind=gift", "cursor=abc", "available=x"]) {
      const page = await browser.get(`/wallets/team?${query}`);
      assertStringIncludes(page.text, "Open holds");
      if (query.startsWith("available")) continue;
      assertEquals(page.status, 422, query);
      assertStringIncludes(page.text, "Cannot accept");
    }
    const file = await browser.get("/feeds/wallets/team/statement.csv?since=yesterday");
    assertEquals(file.status, 400);
  });
});

Deno.test("no name of a wallet hides behind a page of its own", async () => {
  await withConsole(async (browser, { post }) => {
    await browser.signIn();
    for (const id of ["new", "credit", "a"]) {
      await post("/wallets", { id, credits: "7" });
      const { status, text } = await browser.get(`/wallets/${id}`);
      assertEquals(status, 200);
      assertStringIncludes(text, `<h1>${id}</h1>`);
    }
    const list = await browser.get("/wallets");
    const path = /href="\/console(\/wallets\/[^"]*)">New wallet/.exec(list.text)?.[1] ?? "?";
    assertStringIncludes((await browser.get(path)).text, "Create the wallet");
  });
});

Deno.test("no browser fills a form in with what was sent before", async () => {
  await withConsole(async (browser) => {
    await browser.signIn();
    for (const path of ["/wallets/team/credit", "/keys/new"]) {
      const { text } = await browser.get(path);
      const forms = text.match(/<form method="post"(?! action)[^>]*>/g) ?? [];
      assert(forms.length > 0 && forms.every((form) => form.includes('autocomplete="off"')), path);
    }
  });
});

Deno.test("a new key begins with a wallet that there is", async () => {
  await withConsole(async (browser) => {
    await browser.signIn();
    const { text } = await browser.get("/keys/new?wallet=gone");
    assertStringIncludes(text, '<option value="team" selected="">');
    assert(!text.includes("There is no wallet"));
  });
});
