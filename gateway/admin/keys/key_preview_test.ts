import { assertEquals, assertStringIncludes } from "@std/assert";
import { assertRefused, CONTENT, type TestAdmin, withAdmin } from "../admin_test_support.ts";

async function preview({ post }: TestAdmin, policy: unknown, more: Record<string, unknown> = {}) {
  const { status, body } = await post("/keys/preview", { policy, wallet: "team", ...more });
  assertEquals(status, 200, JSON.stringify(body));
  return body;
}

type Named = readonly { readonly id: string; readonly endpoints: readonly string[] }[];

function leftOf({ models }: { models: Named }): string[] {
  return models.filter(({ endpoints }) => endpoints.length > 0).map(({ id }) => id);
}

Deno.test("POST /keys/preview tells what routing would have left, and why not the rest", async () => {
  await withAdmin(async (admin) => {
    const open = await preview(admin, {});
    assertEquals(leftOf(open), ["fast-mini", "slow-maxi"]);
    assertEquals([open.tier, open.expired, open.wider], ["standard", false, []]);
    const narrow = await preview(admin, { models: ["fast-mini"], hostedTools: [] });
    assertEquals(leftOf(narrow), ["fast-mini"]);
    assertEquals(narrow.models[1].reason, "not among the policy's models");
    assertEquals(narrow.hostedTools.some((tool: { allowed: boolean }) => tool.allowed), false);
    const none = await preview(admin, { endpoints: ["images.edits"] });
    assertEquals(leftOf(none), []);
    assertStringIncludes(none.models[0].reason, 'does not allow the endpoint "chat"');
    const tier = await preview(admin, { tiers: [] });
    assertEquals([tier.tier, leftOf(tier)], [null, []]);
  });
});

Deno.test("a cap that no request fits under leaves no candidate at any wallet balance", async () => {
  await withAdmin(async (admin) => {
    await admin.post("/wallets", { id: "empty" });
    assertEquals(leftOf(await preview(admin, {}, { wallet: "empty" })).length, 2);
    const capped = await preview(admin, { maxChargePerRequest: "0.000001" });
    assertEquals(leftOf(capped), []);
    assertStringIncludes(capped.models[0].reason, "needs a hold of at least");
    const spent = await preview(admin, { budget: { total: "0" } });
    assertEquals(leftOf(spent), []);
  });
});

Deno.test("a preview excludes the models that are disabled or outside the tier", async () => {
  const models = CONTENT.models.map((model) => ({ ...model, disabled: model.id === "slow-maxi" }));
  await withAdmin(async (admin) => {
    await admin.deps.applyCatalog({ ...CONTENT, models }, { expected: 1, note: "" });
    const { models: [, disabled] } = await preview(admin, {});
    assertEquals(disabled.reason, "was disabled by the operator");
  });
});

Deno.test("a preview for narrowing names what is wider, and refuses what saving would", async () => {
  await withAdmin(async (admin) => {
    const made = await admin.post("/keys", {
      name: "app",
      wallet: "team",
      policy: { requestsPerMinute: 10, models: ["fast-mini"] },
    });
    const { id } = made.body;
    const result = await preview(admin, { requestsPerMinute: 20 }, { narrows: id });
    assertEquals(result.wider, ["models", "requestsPerMinute"]);
    assertEquals((await admin.get(`/keys/${id}`)).body.policy.requestsPerMinute, 10);
    const refused = async (body: unknown, param: string) => {
      const answer = await admin.post("/keys/preview", body);
      assertRefused(answer, { status: 400, code: "invalid_request", param });
    };
    await refused({ wallet: "team", policy: { models: ["fast-mimi"] } }, "policy.models.0");
    await refused({ wallet: "none" }, "wallet");
    await refused({ narrows: "key_none" }, "narrows");
    await refused(
      { wallet: "team", policy: { requestsPerMinute: "x" } },
      "policy.requestsPerMinute",
    );
    const late = await preview(admin, { expiresAt: "2020-01-01T00:00:00Z" });
    assertEquals(late.expired, true);
  });
});
