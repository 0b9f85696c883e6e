import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { SORTED_MAX } from "../../admin_api/sorts.ts";
import type { TestAdmin } from "../../admin/admin_test_support.ts";
import { type TestBrowser, withConsole } from "../console_test_support.ts";

const WALLETS = 120;

async function fill({ deps: { ledger, keyRing }, clock }: TestAdmin): Promise<void> {
  for (let n = 0; n < WALLETS; n++) {
    const atMs = ++clock.ms;
    const walletId = `lab-${String(n).padStart(3, "0")}`;
    await ledger.open({ kind: "open", walletId, tier: n % 2 === 0 ? "basic" : "standard", atMs });
    const payment = { opId: `fill ${n}`, walletId, amount: BigInt(n + 1) * 1_000_000n, note: "" };
    await ledger.credit({ kind: "credit", ...payment, atMs });
    await keyRing.issue({ name: `app ${String(n).padStart(3, "0")}`, walletId, policy: {} });
  }
}

/** Returns the numbers in the names of the rows, and the address of the next page. */
async function listed(browser: TestBrowser, path: string) {
  const { status, text } = await browser.get(path);
  assertEquals(status, 200, text);
  const rows = [...text.matchAll(/<th scope="row"[^>]*>.*?(?:lab-|app )(\d{3})/gs)];
  const next = /href="\/console([^"]+)" rel="next"/.exec(text)?.[1]?.replaceAll("&amp;", "&");
  return { text, numbers: rows.map(([, number]) => Number(number)), next };
}

/** Follows the pages of a list. */
async function walked(browser: TestBrowser, path: string): Promise<number[]> {
  const numbers: number[] = [];
  for (let next: string | undefined = path; next !== undefined;) {
    const page: Awaited<ReturnType<typeof listed>> = await listed(browser, next);
    assert(page.numbers.length <= 50);
    numbers.push(...page.numbers);
    next = page.next;
  }
  return numbers;
}

Deno.test("lists of keys and wallets come in pages, searched and sorted by the API", async () => {
  await withConsole(async (browser, admin) => {
    await fill(admin);
    await browser.signIn();
    const all = Array.from({ length: WALLETS }, (_, n) => n);
    assertEquals(await walked(browser, "/wallets?name=lab"), all);
    assertEquals(await walked(browser, "/wallets?name=lab&sort=-available"), all.toReversed());
    const even = all.filter((n) => n % 2 === 0);
    assertEquals(await walked(browser, "/wallets?name=lab&tier=basic"), even);
    assertEquals(await walked(browser, "/keys?sort=name"), all);
    assertEquals(await walked(browser, "/keys?wallet=lab-007"), [7]);
    const newest = all.filter((n) => n >= 110).toReversed();
    assertEquals(await walked(browser, "/keys?name=APP%2011"), newest);
    assertStringIncludes((await listed(browser, "/wallets")).text, `${WALLETS + 1} wallets`);
    assertStringIncludes((await listed(browser, "/keys")).text, `${WALLETS} keys`);
    const few = await listed(browser, "/wallets?name=lab-00");
    assertStringIncludes(few.text, `10 of ${WALLETS + 1} wallets`);
    assertStringIncludes((await browser.get("/wallets?name=none")).text, "No wallet matches");
  });
});

Deno.test("only the order of a very long list can be reversed, and forms take the id of a wallet", async () => {
  await withConsole(async (browser, admin) => {
    await fill(admin);
    await browser.signIn();
    const { ledger } = admin.deps;
    const walletPage = ledger.walletPage.bind(ledger);
    const sortLinks = async () =>
      (await browser.get("/wallets")).text.match(/class="sort"/g)?.length;
    assertEquals(await sortLinks(), 6);
    assertStringIncludes((await browser.get("/keys/new")).text, '<select id="field-wallet"');
    ledger.walletCount = () => SORTED_MAX + 1;
    ledger.walletPage = (query) => walletPage({ ...query, limit: Math.min(query.limit, 100) });
    assertEquals(await sortLinks(), 1);
    for (const path of ["/keys/new", "/playground"]) {
      const { text } = await browser.get(path);
      assertStringIncludes(text, '<input id="field-wallet"', path);
    }
    assertEquals((await browser.get("/routing")).status, 200);
  });
});
