import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { assertRefused, START_MS, type TestAdmin, withAdmin } from "../admin_test_support.ts";

const FULL_POLICY = {
  endpoints: ["chat", "responses"],
  models: ["fast-mini"],
  providers: ["lab"],
  featureTags: ["tools"],
  tiers: ["basic"],
  industryPacks: ["law"],
  hostedTools: ["web_search_preview"],
  maxChargePerRequest: "1.5",
  budget: { day: "10", month: "100", total: "1000" },
  requestsPerMinute: 60,
  tokensPerMinute: 100_000,
  concurrentRequests: 4,
  ipRanges: ["10.0.0.0/8", "2001:db8::/32", "192.0.2.1"],
  expiresAt: "2027-01-31T00:00:00Z",
  orchestration: { mode: "off", stream: "final" },
};

async function createKey({ post }: TestAdmin, policy: unknown = {}) {
  const { status, body } = await post("/keys", { name: "app", wallet: "team", policy });
  assertEquals(status, 201, JSON.stringify(body));
  return body;
}

Deno.test("POST /keys shows the key once, with its record", async () => {
  await withAdmin(async (admin) => {
    const made = await createKey(admin, FULL_POLICY);
    assertMatch(made.key, /^svc_live_[0-9A-Za-z]{50}$/);
    const { key, ...record } = made;
    assertEquals(record, {
      id: record.id,
      name: "app",
      wallet: "team",
      status: "active",
      policy: FULL_POLICY,
      hint: record.hint,
      createdAt: new Date(START_MS).toISOString(),
      lastUsedAt: null,
      rotatedFrom: null,
      logContent: false,
    });
    assertEquals((await admin.deps.keyRing.authenticate(key))?.id, record.id);
    await admin.deps.keyRing.idle();
    const shown = JSON.stringify([
      (await admin.get("/keys")).body,
      (await admin.get(`/keys/${record.id}`)).body,
    ]);
    assert(!shown.includes(key.slice("svc_live_".length + 12)));
    assertStringIncludes(shown, "2026-11-21T12:00:00.000Z");
  });
});

Deno.test("GET /keys lists the newest first", async () => {
  await withAdmin(async (admin) => {
    const first = await createKey(admin);
    admin.clock.ms++;
    const second = await createKey(admin);
    const { body } = await admin.get("/keys");
    assertEquals(body.keys.map(({ id }: { id: string }) => id), [second.id, first.id]);
  });
});

Deno.test("GET /keys/{id} shows what the key has spent in its windows as of now", async () => {
  await withAdmin(async (admin) => {
    const { id } = await createKey(admin);
    const none = { held: "0.000000", day: "0.000000", month: "0.000000", total: "0.000000" };
    assertEquals((await admin.get(`/keys/${id}`)).body.spend, none);
    const { ledger } = admin.deps;
    const hold = { walletId: "team", keyId: id, logId: "log_1", model: "fast-mini" };
    const amounts = { amount: 2_000_000n, minimum: 1n, budget: {}, priceVersion: 1 };
    for (const holdId of ["h1", "h2"]) {
      const command = { kind: "hold", holdId, ...hold, ...amounts, atMs: START_MS } as const;
      await ledger.hold(command, { waitMs: 0 });
    }
    const tokens = { inputTokens: 1, cachedInputTokens: 0, outputTokens: 1, estimated: false };
    await ledger.settle({
      kind: "settle",
      holdId: "h1",
      cost: 500_000n,
      ...tokens,
      atMs: START_MS,
    });
    const half = "0.500000";
    const today = { held: "2.000000", day: half, month: half, total: half };
    assertEquals((await admin.get(`/keys/${id}`)).body.spend, today);
    admin.clock.ms += 86_400_000;
    assertEquals((await admin.get(`/keys/${id}`)).body.spend, { ...today, day: "0.000000" });
    admin.clock.ms += 31 * 86_400_000;
    const later = { ...today, day: "0.000000", month: "0.000000" };
    assertEquals((await admin.get(`/keys/${id}`)).body.spend, later);
  });
});

Deno.test("POST /keys fills in what a policy leaves open and takes amounts as numbers", async () => {
  await withAdmin(async (admin) => {
    const policy = { maxChargePerRequest: 0.25, orchestration: {}, hostedTools: [] };
    assertEquals((await createKey(admin, policy)).policy, {
      maxChargePerRequest: "0.25",
      orchestration: { mode: "auto", stream: "all" },
      hostedTools: [],
    });
  });
});

Deno.test("POST /keys refuses what is not valid, with the path and the nearest name", async () => {
  await withAdmin(async ({ post }) => {
    const refused = async (body: Record<string, unknown>, param: string, words: string) => {
      const answer = await post("/keys", { name: "app", wallet: "team", ...body });
      assertRefused(answer, { status: 400, code: "invalid_request", param });
      assertStringIncludes(answer.body.error.message, words);
    };
    const policy = (fields: unknown, path: string, words: string) =>
      refused({ policy: fields }, `policy.${path}`, words);
    await refused({ name: "" }, "name", "");
    await refused({ name: "a\u001b[31m" }, "name", "control");
    await refused({ wallet: "taem" }, "wallet", 'the nearest is "team"');
    await refused({ wallets: "team" }, "wallets", 'the nearest is "wallet"');
    await policy({ modles: [] }, "modles", 'the nearest is "models"');
    await policy({ models: ["fast-mimi"] }, "models.0", 'the nearest is "fast-mini"');
    await policy({ providers: ["lab", "lob"] }, "providers.1", 'the nearest is "lab"');
    await policy({ tiers: ["standart"] }, "tiers.0", 'the nearest is "standard"');
    await policy({ endpoints: ["chats"] }, "endpoints.0", "none of chat, responses");
    await policy({ hostedTools: ["web_search"] }, "hostedTools.0", "web_search_preview");
    await policy({ maxChargePerRequest: "a" }, "maxChargePerRequest", "credits");
    await policy({ budget: { year: "1" } }, "budget.year", 'Unknown field "year"');
    await policy({ budget: { dya: "1" } }, "budget.dya", 'the nearest is "day"');
    await policy({ requestsPerMinute: 0 }, "requestsPerMinute", "");
    await policy({ tokensPerMinute: 1.5 }, "tokensPerMinute", "");
    await policy({ ipRanges: ["10.0.0.0/33"] }, "ipRanges.0", "CIDR");
    await policy({ expiresAt: "2027-01-31T00:00:00" }, "expiresAt", "zone");
    await policy({ orchestration: { mode: "on" } }, "orchestration.mode", "");
    const long = Array.from({ length: 250 }, (_, index) => `${index}`.padEnd(128, "x"));
    await refused({ policy: { featureTags: long, industryPacks: long } }, "policy", "32768 bytes");
  });
});

Deno.test("narrow, disable, enable and revoke change the record", async () => {
  await withAdmin(async (admin) => {
    const { id } = await createKey(admin, { requestsPerMinute: 10 });
    const change = async (verb: string, body?: unknown) => {
      return (await admin.post(`/keys/${id}/${verb}`, body)).body;
    };
    const narrower = { requestsPerMinute: 5, models: ["fast-mini"] };
    assertEquals((await change("narrow", { policy: narrower })).policy, narrower);
    assertEquals((await change("disable")).status, "disabled");
    assertEquals((await change("enable")).status, "active");
    assertEquals((await change("revoke")).status, "revoked");
    const enabled = await admin.post(`/keys/${id}/enable`);
    assertRefused(enabled, { status: 409, code: "conflict" });
  });
});

Deno.test("rotate makes a new key and leaves the old one serving", async () => {
  await withAdmin(async (admin) => {
    const old = await createKey(admin, { requestsPerMinute: 10 });
    const rotated = await admin.post(`/keys/${old.id}/rotate`, { name: "app 2" });
    assertEquals(rotated.status, 201);
    const { key, name, policy, rotatedFrom } = rotated.body;
    assertEquals([name, policy, rotatedFrom], ["app 2", old.policy, old.id]);
    const { keyRing } = admin.deps;
    assert(await keyRing.authenticate(key) !== undefined);
    assert(await keyRing.authenticate(old.key) !== undefined);
  });
});

Deno.test("a policy that allows more is refused by the names of what it widens", async () => {
  await withAdmin(async (admin) => {
    const { id } = await createKey(admin, { requestsPerMinute: 10, models: ["fast-mini"] });
    for (const verb of ["narrow", "rotate"]) {
      const answer = await admin.post(`/keys/${id}/${verb}`, {
        policy: { requestsPerMinute: 20, models: ["fast-mini", "slow-maxi"] },
      });
      const param = "policy.models.1";
      assertRefused(answer, { status: 400, code: "invalid_request", param });
      assertStringIncludes(answer.body.error.message, "models.1, requestsPerMinute");
      const unknown = await admin.post(`/keys/${id}/${verb}`, { policy: { models: ["x"] } });
      assertRefused(unknown, { status: 400, code: "invalid_request", param: "policy.models.0" });
    }
    assertRefused(await admin.post(`/keys/${id}/narrow`, {}), {
      status: 400,
      code: "invalid_request",
      param: "policy",
    });
  });
});

Deno.test("ids that are not texts match no key", async () => {
  await withAdmin(async ({ get, post }) => {
    for (const id of ["%ED%A0%80", "%FF", "%00", "%", "\ud800", "a".repeat(5_000)]) {
      assertRefused(await get(`/keys/${id}`), { status: 404, code: "not_found" });
      assertRefused(await post(`/keys/${id}/rotate`), { status: 404, code: "not_found" });
    }
  });
});

Deno.test("GET /keys shows the pepper version of each key during a change of pepper", async () => {
  await withAdmin(async (admin) => {
    const { id, key } = await createKey(admin);
    const list = async () => (await admin.get("/keys")).body;
    const [{ pepper }] = (await list()).keys;
    assertEquals([pepper, (await list()).underPreviousPepper], [1, null]);
    const changed = await admin.post("/pepper/rotate");
    const users = { adminToken: false, operatorTokens: 0, keys: 1, keyIds: [id] };
    const previous = { version: 1, kept: true, ...users };
    assertEquals(changed.body.previous, previous);
    assertEquals([(await list()).keys[0].pepper, (await list()).underPreviousPepper], [1, 1]);
    assertEquals((await admin.get("/keys?cursor=1.2")).body.underPreviousPepper, null);
    const { record } = await admin.deps.keys.getStored(id) ?? {};
    assert(record !== undefined);
    const { underPepper } = admin.deps.keys;
    // Of very many ended keys not all are read.
    admin.deps.keys.underPepper = async function* () {
      while (true) yield await Promise.resolve({ ...record, status: "revoked" });
    };
    assertEquals((await list()).underPreviousPepper, null);
    admin.deps.keys.underPepper = underPepper;
    await admin.deps.keyRing.authenticate(key);
    await admin.deps.keyRing.idle();
    assertEquals([(await list()).keys[0].pepper, (await list()).underPreviousPepper], [2, 0]);
    assertEquals((await admin.post("/pepper/drop")).body.previous, null);
    const none = await admin.post("/pepper/drop");
    assertRefused(none, { status: 409, code: "conflict" });
  });
});

Deno.test("an unknown key is 404 for every verb", async () => {
  await withAdmin(async ({ get, post }) => {
    const missing = { status: 404, code: "not_found" };
    assertRefused(await get("/keys/key_none"), missing);
    for (const verb of ["narrow", "disable", "enable", "revoke", "rotate"]) {
      const body = verb === "narrow" ? { policy: {} } : {};
      assertRefused(await post(`/keys/key_none/${verb}`, body), missing);
    }
  });
});

Deno.test("a key that the store has already is a conflict", async () => {
  await withAdmin(async ({ deps, post }) => {
    deps.keys.create = () => Promise.resolve(false);
    const answer = await post("/keys", { name: "app", wallet: "team" });
    assertRefused(answer, { status: 409, code: "conflict" });
  });
});

Deno.test("several mistakes of a policy are reported together, unknown names included", async () => {
  await withAdmin(async ({ post }) => {
    const policy = {
      models: ["fast-mini", "fast-mimi", "nothing-like-it"],
      tiers: ["gold"],
      requestsPerMinute: 0,
      endpoints: ["chta"],
      budgte: {},
      ipRange: [],
    };
    const { status, body } = await post("/keys", { name: "app", wallet: "team", policy });
    assertEquals(status, 400);
    const { message, param } = body.error;
    for (
      const part of [
        '"policy.endpoints.0": "chta" is none of chat,',
        '"policy.requestsPerMinute": Give a whole number from 1 on',
        'Unknown field "budgte"; the nearest is "budget"; Unknown field "ipRange"; the nearest',
        '"policy.models.1": The catalog has no model "fast-mimi"; the nearest is "fast-mini"',
        '"policy.models.2": The catalog has no model "nothing-like-it"',
        '"policy.tiers.0": The catalog has no tier "gold"',
      ]
    ) assertStringIncludes(message, part);
    assertEquals(param, "policy.endpoints.0");
    const many = { models: Array.from({ length: 50 }, (_, at) => `none-${at}`) };
    const { body: bounded } = await post("/keys", { name: "app", wallet: "team", policy: many });
    assertEquals(bounded.error.message.split("; ").length, 20);
  });
});
