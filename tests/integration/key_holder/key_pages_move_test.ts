/**
 * Sessions of key holders that go on while their key changes: it moves to another wallet, or may
 * not see its wallet.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import { TestService } from "../../fixtures/service.ts";
import { look, signedIn } from "./holder_browser.ts";

const [OLD, NEW] = ["wallet-before", "wallet-after"];

/** Starts a service with two wallets and a key on the first, whose holder has signed in. */
async function scene() {
  const service = await TestService.start();
  await service.admin("POST", "/wallets", { id: OLD, credits: "111" });
  await service.admin("POST", "/wallets", { id: NEW, credits: "222" });
  const made = await service.admin("POST", "/keys", { name: "Shop", wallet: OLD });
  const key = { id: String(made.id), key: String(made.key), wallet: OLD };
  const ask = async (requestId: string) => {
    const answer = await service.chat({ messages: [{ role: "user", content: "Hello" }] }, {
      key: key.key,
      headers: { "x-request-id": requestId },
    });
    await answer.text();
    assertEquals(answer.status, 200);
  };
  const cookie = await signedIn(service, key);
  const page = async (path: string) => {
    const [status, text] = await look(service, path, cookie);
    assertEquals(status, 200, path);
    return text;
  };
  const move = (to: string) =>
    service.admin("POST", `/keys/${key.id}/move`, { wallet: to, note: "Another team" });
  return { service, key, cookie, ask, page, move };
}

const PAGES = [
  "/me/key",
  "/me/usage",
  "/me/usage?by=model&days=92",
  "/me/requests",
  "/me/requests/call-before",
  "/me/requests/call-after",
];

Deno.test("a session follows its key to another wallet, and shows nothing of the one before", async () => {
  const { service, ask, page, move } = await scene();
  await using _service = service;
  await ask("call-before");
  const before = await page("/me/key");
  assert(before.includes(OLD) && before.includes("110.9"), "The wallet that it has");
  await move(NEW);
  const after = await page("/me/key");
  assert(after.includes(NEW) && after.includes(">222<"), "The wallet that it has now");
  await ask("call-after");
  for (const path of PAGES) {
    const text = await page(path);
    assert(!text.includes(OLD) && !text.includes("110.9"), path);
  }
  // The calls are the key's, whichever wallet has paid.
  const list = await page("/me/requests");
  assert(list.includes("call-before") && list.includes("call-after"));
  const [, sum = ""] = (await page("/me/usage")).split("<tfoot");
  assert(/>2</.test(sum), sum);
  assert((await page("/me/requests/call-before")).includes("hold_"), "With its bill");
  // What happens in the wallet before is no business of the key.
  await service.admin("POST", `/wallets/${OLD}/credit`, { credits: "77", opId: "late" });
  assert((await page("/me/key")).includes("221.9"));
});

Deno.test("a key whose policy hides its wallet shows it in no session, also after a move", async () => {
  const { service, key, ask, page, move } = await scene();
  await using _service = service;
  await ask("call-before");
  assert((await page("/me/key")).includes(OLD));
  await service.admin("POST", `/keys/${key.id}/narrow`, { policy: { wallet: "hidden" } });
  assert((await page("/me/key")).includes("not shown to the holder"));
  await move(NEW);
  await ask("call-after");
  for (const path of PAGES) {
    const text = await page(path);
    for (const hidden of [OLD, NEW, ">222<", "221.9", "110.9"]) {
      assert(!text.includes(hidden), `${path} has ${hidden}`);
    }
  }
});

Deno.test("a session ends with its key after a move too, and does not come back", async () => {
  const { service, key, cookie, move } = await scene();
  await using _service = service;
  await move(NEW);
  assertEquals((await look(service, "/me/key", cookie))[0], 200);
  await service.admin("POST", `/keys/${key.id}/disable`);
  assertEquals((await look(service, "/me/key", cookie))[0], 303);
  await service.admin("POST", `/keys/${key.id}/enable`);
  await move(OLD);
  assertEquals((await look(service, "/me/key", cookie))[0], 303);
});
