/**
 * Additions of verified requests to the statistics and the log, the policy that verifies by the record of
 * a task, and the time limit of a cheap call.
 *
 * @module
 */

import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import { cheapAnswer } from "../../../gateway/flows/verify/cheap_answer.ts";
import type { Learning } from "../../../gateway/flows/learn/learning.ts";
import type { ModelCallDeps } from "../../../gateway/flows/model_calls.ts";
import { planRoute } from "../../../gateway/flows/plan/route_plan.ts";
import { ActiveRequest } from "../../../gateway/flows/request/active_request.ts";
import { chatFeatures } from "../../../gateway/domain/requests/features.ts";
import { readAnswer } from "../../fixtures/orchestrated.ts";
import { WALLET } from "../../fixtures/service.ts";
import { askVerified, type VerifiedLab, verifiedLab } from "../../fixtures/verified.ts";

function depsOf({ service }: VerifiedLab): ModelCallDeps {
  return service.running.gateway as unknown as ModelCallDeps;
}

for (
  const [name, alpha, model, charged] of [
    ["an accepted answer", "B", "alpha", 0.056],
    ["the better model's answer", "A", "zeta", 0.336],
  ] as const
) {
  Deno.test(`${name} counts once, with the charge of all its calls`, async () => {
    await using lab = await verifiedLab();
    lab.upstream.on("alpha", { say: alpha });
    await readAnswer(await askVerified(lab.service), false);
    const learning = depsOf(lab).learning as Learning;
    const statistics = learning.pending().byWallet().get(WALLET);
    const [task] = Object.values(statistics?.tasks ?? {});
    assert(task !== undefined);
    assertEquals(Object.keys(task.models), [model]);
    assertEquals(task.models[model]?.served, 1);
    assertAlmostEquals(task.models[model]?.charged ?? 0, charged, 1e-9);
    // One call of zeta alone costs 0.28, and one of a cheap model 0.028.
    assertAlmostEquals(task.bestCharged, 0.28, 1e-6);
    assertAlmostEquals(task.cheapestCharged, 0.028, 1e-6);
    assertEquals(statistics?.audits, []);
  });
}

Deno.test("a policy that verifies by the record needs no header", async () => {
  await using lab = await verifiedLab({ third: true });
  const { service, upstream } = lab;
  const ask = async (verify: string) => {
    const policy = { auto: { verify, dial: 0.9 } };
    const { key } = await service.admin("POST", "/keys", { name: verify, wallet: WALLET, policy });
    const response = await service.chat(
      { messages: [{ role: "user", content: "Hi" }], max_tokens: 50 },
      { key: String(key) },
    );
    return await readAnswer(response, false);
  };
  const answer = await ask("auto");
  assertEquals(answer.metadata.routing.plan, "verified");
  assertEquals(upstream.models, ["alpha", "beta"]);
  const other = await ask("request");
  assertEquals(other.metadata.routing.plan, "value");
  await service.assertBooks();
});

Deno.test("the log has the content of an accepted answer once, and a line for each call", async () => {
  await using lab = await verifiedLab();
  const { service, upstream } = lab;
  const { key, id } = await service.newKey();
  await service.running.stores.keys.update(id, (record) => ({ ...record, logContent: true }));
  upstream.on("alpha", { say: "The answer is B" });
  await readAnswer(await askVerified(service, { key }), false);
  const row = await service.lastRequest();
  assertEquals([row.content?.prompt, row.content?.answer], ["Hi", "The answer is B"]);
  assertEquals(row.tasks?.map(({ taskId, model }) => [taskId, model]), [
    ["verify-1", "alpha"],
    ["verify-2", "beta"],
  ]);
});

for (const onDisconnect of ["cancel", "drain"]) {
  Deno.test(`${onDisconnect}: a cheap model that takes too long has no answer, and costs nothing`, async () => {
    await using lab = await verifiedLab({ upstream: { onDisconnect } });
    const { service, upstream } = lab;
    const deps = depsOf(lab);
    upstream.on("alpha", "stall");
    const { id } = await service.newKey();
    const key = await service.running.stores.keys.get(id);
    assert(key !== undefined);
    const identity = {
      ...{ key, requestId: "req_1", logId: "log_1", stream: false },
      endpoint: "chat",
      dialect: "service",
    } as const;
    const connection = { signal: new AbortController().signal };
    const active = new ActiveRequest(identity, connection, deps.clock);
    const value = { model: "auto", max_tokens: 50, messages: [{ role: "user", content: "Hi" }] };
    const features = chatFeatures({ ...value, messages: [{ role: "user", content: "Hi" }] });
    const plan = await planRoute(deps, active, features);
    const candidate = plan.candidates.find(({ model }) => model.id === "alpha");
    assert(candidate !== undefined);
    const part = active.part({ name: "verify", stream: false });
    const body = { value, text: JSON.stringify(value) };
    const answer = await cheapAnswer(deps, { part, candidate, plan, body, features, maxMs: 200 });
    assertEquals([answer.content, answer.completion, answer.fatal], [
      ...[undefined, undefined, undefined],
    ]);
    assertEquals(part.report.attempts.map(({ outcome }) => outcome), ["timeout"]);
    assertEquals(part.bill.settled, undefined);
    await service.assertBooks();
  });
}
