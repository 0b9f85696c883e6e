/**
 * Requests that were to be verified and are served as usual, and what their metadata says.
 *
 * @module
 */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { readAnswer } from "../../fixtures/orchestrated.ts";
import { until } from "../../fixtures/service.ts";
import {
  type AskOptions,
  askVerified,
  BETTER_MICROS,
  CHEAP_MICROS,
  dearestPath,
  verifiedLab,
} from "../../fixtures/verified.ts";

/** Reasons in the metadata, by what the request has. */
const REASONS: readonly (readonly [string, AskOptions["body"], string])[] = [
  ["a long answer", { max_tokens: 900 }, "its answers do not compare"],
  ["no limit", { max_tokens: undefined }, "its answers do not compare"],
  ["a tool that it need not call", { tools: [tool("save")] }, "its answers do not compare"],
  ["several choices", { n: 2 }, "it asks for several choices"],
];

function tool(name: string) {
  return { type: "function", function: { name, parameters: {} } };
}

for (const [name, body, reason] of REASONS) {
  Deno.test(`a request with ${name} is served by one model, and the metadata says why`, async () => {
    await using lab = await verifiedLab();
    const { service, upstream } = lab;
    const answer = await readAnswer(await askVerified(service, { body: { ...body } }), false);
    assertEquals([answer.text, answer.orchestration], ["B", undefined]);
    const { routing } = answer.metadata;
    assertStringIncludes(routing.orchestration ?? "", `Not verified: ${reason}`);
    assertEquals(routing.plan, "value");
    assertEquals(upstream.calls.length, 1);
    await service.assertBooks();
  });
}

Deno.test("a request that does not ask for it is not verified, and says nothing of it", async () => {
  await using lab = await verifiedLab();
  const { service, upstream } = lab;
  const headers = { "x-auto": "quality=0.5" };
  const { key } = await service.newKey({ policy: { auto: { maxDial: 1 } } });
  const answer = await readAnswer(await askVerified(service, { key, headers }), false);
  assertEquals(answer.metadata.routing.orchestration, undefined);
  assertEquals([answer.metadata.routing.plan, upstream.calls.length], ["value", 1]);
});

Deno.test("fewer than three models verify nothing", async () => {
  const models = [{ id: "alpha", quality: 0.6 }, { id: "beta", quality: 0.5 }];
  await using lab = await verifiedLab({ models });
  const answer = await readAnswer(await askVerified(lab.service), false);
  assertStringIncludes(
    answer.metadata.routing.orchestration ?? "",
    "Not verified: fewer than three models can serve it",
  );
  assertEquals(lab.upstream.calls.length, 1);
});

Deno.test("a policy that forbids verified answers refuses the header", async () => {
  await using lab = await verifiedLab();
  const { key } = await lab.service.newKey({ policy: { auto: { verify: "off" } } });
  const response = await askVerified(lab.service, { key });
  assertEquals([response.status, (await response.json()).error.code], [403, "policy_denied"]);
});

for (const kind of ["wallet", "cap", "budget"] as const) {
  Deno.test(`a ${kind} that pays every path but the dearest serves the request by one model`, async () => {
    await using lab = await verifiedLab();
    const { service, upstream } = lab;
    const dearest = await dearestPath(lab);
    const enough = String(Number(dearest) / 1_000_000);
    const less = String(Number(dearest - 1n) / 1_000_000);
    for (const [credits, isVerified] of [[less, false], [enough, true]] as const) {
      const policy = kind === "cap"
        ? { maxChargePerRequest: credits }
        : kind === "budget"
        ? { budget: { day: credits } }
        : {};
      const { key } = await service.newKey(kind === "wallet" ? { credits } : { policy });
      const before = upstream.calls.length;
      upstream.on("alpha", { say: "A" });
      const answer = await readAnswer(await askVerified(service, { key }), false);
      const { routing } = answer.metadata;
      assertEquals(routing.plan, isVerified ? "verified" : "value");
      if (isVerified) {
        assertEquals([answer.text, routing.model], ["B", "zeta"]);
        assertEquals(upstream.calls.length - before, 3);
      } else {
        assertEquals(
          routing.orchestration,
          "Not verified: asking every model of the plan could cost more than there is",
        );
        assertEquals(upstream.calls.length - before, 1);
      }
      await service.assertBooks();
    }
  });
}

Deno.test("no other request can take the credits that the better model may need", async () => {
  await using lab = await verifiedLab();
  const { service, upstream } = lab;
  const dearest = await dearestPath(lab);
  const { key, wallet } = await service.newKey({ credits: String(Number(dearest) / 1_000_000) });
  const gate = Promise.withResolvers<void>();
  const before = upstream.calls.length;
  upstream.on("alpha", { say: "A", after: gate.promise });
  const call = askVerified(service, { key });
  await until(() => upstream.calls.length - before === 2, "the cheap calls");
  const holds = await service.running.stores.ledger.openHolds();
  assert(holds.some(({ model }) => model === "zeta"), "zeta is paid for before it is asked");
  await until(async () => (await service.wallet(wallet)).spent === CHEAP_MICROS, "beta's answer");
  // As much as beta's hold gave back is free, which pays for no call of zeta.
  const { available } = await service.wallet(wallet);
  assert(available * 2n < BETTER_MICROS, `${available}`);
  gate.resolve();
  const answer = await readAnswer(await call, false);
  assertEquals(answer.metadata.routing.model, "zeta");
  await service.assertBooks();
});
