/**
 * Guesses of admin tokens at the console: from one address, behind a proxy, and with forged addresses.
 *
 * @module
 */

import { assertEquals } from "@std/assert";
import { ADMIN_TOKEN, TestService, type TestServiceOptions } from "../fixtures/service.ts";

/** More than any address may guess in a minute. */
const MANY = 200;

async function guess(service: TestService, token: string, forwarded: string): Promise<number> {
  const { adminUrl } = service.running;
  const answer = await fetch(`${adminUrl}/console/sign-in`, {
    method: "POST",
    headers: { "origin": adminUrl, "x-forwarded-for": forwarded },
    body: new URLSearchParams({ token }),
    redirect: "manual",
  });
  await answer.body?.cancel();
  return answer.status;
}

async function withService(
  options: TestServiceOptions,
  test: (service: TestService) => Promise<void>,
): Promise<void> {
  await using service = await TestService.start(options);
  await test(service);
}

async function guessUntilHeld(service: TestService, from: (at: number) => string): Promise<void> {
  for (let at = 0; at < MANY; at++) {
    const status = await guess(service, `wrong_token_${at}`, from(at));
    if (status === 429) return;
    assertEquals(status, 401);
  }
  throw new Error("Nobody was held back");
}

Deno.test("behind a trusted proxy each client is held back for itself", async () => {
  await withService({ settings: { trustedProxies: ["127.0.0.0/8"] } }, async (service) => {
    await guessUntilHeld(service, () => "203.0.113.5");
    // What stands before the proxy's own word is the client's claim.
    assertEquals(await guess(service, "wrong_token_x", "198.51.100.7, 203.0.113.5"), 429);
    assertEquals(await guess(service, "wrong_token_x", "203.0.113.6"), 401);
    assertEquals(await guess(service, ADMIN_TOKEN, "203.0.113.6"), 303);
    // A token that was good before opens from any address.
    assertEquals(await guess(service, ADMIN_TOKEN, "203.0.113.5"), 303);
  });
});

Deno.test("addresses that cannot be read, or of one IPv6 network, are one", async () => {
  await withService({ settings: { trustedProxies: ["127.0.0.0/8"] } }, async (service) => {
    await guessUntilHeld(service, (at) => `2001:db8:1:2::${at.toString(16)}`);
    assertEquals(await guess(service, "wrong_token_x", "2001:db8:1:2:ffff::1"), 429);
    await guessUntilHeld(service, (at) => `203.0.113.5:${40_000 + at}`);
  });
});

Deno.test("without a trusted proxy no claimed address counts", async () => {
  await withService({}, async (service) => {
    await guessUntilHeld(service, (at) => `203.0.113.${at}`);
    assertEquals(await guess(service, "wrong_token_x", "198.51.100.9"), 429);
  });
});
