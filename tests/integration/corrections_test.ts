import { assert, assertEquals } from "@std/assert";
import { TestService } from "../fixtures/service.ts";
import { svcOn } from "../fixtures/svc.ts";

const HELLO = { messages: [{ role: "user", content: "Say hello" }] };

/** Makes a call with a key; returns the status and the code of a refusal. */
async function call(service: TestService, key: string): Promise<string> {
  const response = await service.chat(HELLO, { key });
  const { error } = await response.json();
  await service.quiet();
  return error === undefined ? `${response.status}` : `${response.status} ${error.code}`;
}

Deno.test("a call is refunded once, its key moves, and calls on a closed wallet are refused", async () => {
  await using service = await TestService.start();
  const { id, key, wallet } = await service.newKey({ credits: "100" });
  const json = async (...args: string[]) => {
    const run = await svcOn(service, [...args, "--json"]);
    assertEquals([run.code, run.err], [0, ""], args.join(" "));
    return JSON.parse(run.out);
  };
  assertEquals(await call(service, key), "200");
  const { requests: [request] } = await json("requests", "--limit", "1");
  assert(Number(request.charged) > 0);
  const refund = ["requests", "refund", request.id, "--note", "Empty answer"];
  const refunded = await json(...refund);
  assertEquals(refunded.correction.credits, request.charged);
  assertEquals(
    [refunded.wallet.available, refunded.wallet.spent],
    ["100.000000", "0.000000"],
  );
  assertEquals((await json(...refund)).wallet.available, "100.000000");
  const { spend } = await json("keys", "show", id);
  assertEquals(spend.total, request.charged, "The budget stays used");
  await json("wallets", "create", "other", "--credits", "50");
  await json("keys", "move", id, "other", "--note", "Another team");
  assertEquals(await call(service, key), "200");
  assert(Number((await service.admin("GET", "/wallets/other")).spent) > 0);
  assertEquals((await service.admin("GET", `/wallets/${wallet}`)).available, "100.000000");
  const { available } = await json("wallets", "show", "other");
  await json("wallets", "close", "other", "--expected", available, "--note", "Dissolved");
  assertEquals(await call(service, key), "403 wallet_closed");
  await json("keys", "move", id, wallet, "--note", "Back");
  assertEquals(await call(service, key), "200");
  const { ok } = await service.admin("GET", "/audit/verify");
  assert(ok);
  await service.assertBooks();
});
