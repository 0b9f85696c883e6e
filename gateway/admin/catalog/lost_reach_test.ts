import { assertEquals, assertMatch } from "@std/assert";
import { CONTENT, type TestAdmin, withAdmin } from "../admin_test_support.ts";

const [MINI, MAXI] = CONTENT.models;

/** Returns the warnings of a rehearsed content. */
async function warningsOf({ post }: TestAdmin, content: object): Promise<string[]> {
  const { body } = await post("/catalog/apply", {
    content: { ...CONTENT, ...content },
    dryRun: true,
  });
  return body.warnings;
}

async function key(
  { clock, post }: TestAdmin,
  name: string,
  policy: object = {},
): Promise<string> {
  clock.ms += 1_000;
  return (await post("/keys", { name, wallet: "team", policy })).body.id;
}

Deno.test("keys that lose the same are named together, ten by name; disabled ones lose nothing now", async () => {
  await withAdmin(async (admin) => {
    for (let at = 0; at < 12; at++) await key(admin, `k${at}`);
    const off = await key(admin, "off", { models: ["slow-maxi", "fast-mini"] });
    await admin.post(`/keys/${off}/disable`);
    const [warning = "", ...others] = await warningsOf(admin, { models: [MINI] });
    assertEquals(others, []);
    assertEquals(warning.match(/"k\d+" \(key_/g)?.length, 10);
    assertMatch(warning, /^Keys "k11" .* and 2 more lose the model "slow-maxi"$/);
  });
});

Deno.test("an endpoint that nothing serves any more is lost, whichever models are left", async () => {
  await withAdmin(async (admin) => {
    const models = [{ ...MINI, endpoints: ["chat", "responses"] }, MAXI];
    await admin.post("/catalog/apply", { content: { ...CONTENT, models } });
    const id = await key(admin, "app");
    assertEquals(await warningsOf(admin, {}), [`Key "app" (${id}) loses the endpoint "responses"`]);
    const renamed = await warningsOf(admin, { models: [MAXI] });
    assertEquals(renamed, [
      `Key "app" (${id}) loses the model "fast-mini", and the endpoint "responses"`,
    ]);
  });
});

Deno.test("a change of tier, provider name, tag or price is reported as lost reach", async () => {
  await withAdmin(async (admin) => {
    const named = await key(admin, "named", { providers: ["lab"] });
    const tagged = await key(admin, "tagged", { featureTags: ["tools"] });
    const capped = await key(admin, "capped", { maxChargePerRequest: "1" });
    const tiers = CONTENT.tiers.map((tier) => ({ ...tier, models: ["fast-mini"] }));
    assertEquals(await warningsOf(admin, { tiers }), [
      `Keys "capped" (${capped}), "tagged" (${tagged}), "named" (${named}) lose the model "slow-maxi"`,
    ]);
    const upstreams = CONTENT.upstreams.map((upstream) => ({ ...upstream, provider: "other" }));
    assertEquals(await warningsOf(admin, { upstreams }), [
      `Key "named" (${named}) may use none of the models`,
    ]);
    assertEquals(await warningsOf(admin, { models: [MINI, { ...MAXI, featureTags: [] }] }), [
      `Key "tagged" (${tagged}) loses the model "slow-maxi"`,
    ]);
    const price = { inputPerMTok: "900000", outputPerMTok: "900000" };
    assertEquals(await warningsOf(admin, { models: [MINI, { ...MAXI, price }] }), [
      `Key "capped" (${capped}) loses the model "slow-maxi"`,
    ]);
  });
});

Deno.test("a change that takes nothing away warns of nothing, and many different losses are counted", async () => {
  await withAdmin(async (admin) => {
    const models = Array.from({ length: 13 }, (_, at) => ({ ...MINI, id: `m${at}` }));
    await admin.post("/catalog/apply", { content: { ...CONTENT, models: [MINI, ...models] } });
    for (const { id } of models) await key(admin, id, { models: ["fast-mini", id] });
    const dearer = models.map((model) => ({ ...model, quality: 0.7 }));
    assertEquals(await warningsOf(admin, { models: [MINI, ...dearer] }), []);
    const warnings = await warningsOf(admin, { models: [MINI] });
    assertEquals(warnings.length, 11);
    assertEquals(warnings.at(-1), "3 more keys lose models or endpoints");
  });
});
