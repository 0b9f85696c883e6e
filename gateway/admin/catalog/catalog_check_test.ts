import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { PRICE_LIST } from "../../config/list_price.ts";
import type { CatalogContent, Model, UpstreamConfig } from "../../domain/catalog/catalog.ts";
import { ModelListError } from "../../ports/upstream.ts";
import {
  assertRefused,
  CONTENT,
  START_MS,
  type TestAdmin,
  withAdmin,
} from "../admin_test_support.ts";
import { PRICE_LIST_MAX_DAYS } from "./catalog_verdict.ts";
import type { AdminDeps } from "../deps.ts";

const [LAB] = CONTENT.upstreams;
const [MINI] = CONTENT.models;
assert(LAB !== undefined && MINI !== undefined);

const OPENAI: UpstreamConfig = {
  ...LAB,
  id: "openai",
  kind: "openai",
  baseUrl: "https://api.openai.com/v1",
};
const GPT: Model = {
  ...MINI,
  id: "gpt",
  upstream: "openai",
  upstreamModel: "gpt-5-mini",
  price: { inputPerMTok: "0.25", outputPerMTok: "2", currency: "USD" },
};

/** Upstreams that list these models, by upstream. */
function listing(lists: Readonly<Record<string, readonly string[] | Error>>): Partial<AdminDeps> {
  return {
    connect: ({ id }) => ({
      models: () => {
        const list = lists[id] ?? new Error("Connection refused");
        return list instanceof Error ? Promise.reject(list) : Promise.resolve(list);
      },
      close: () => {},
    }),
  };
}

async function check(
  { get, stores }: TestAdmin,
  content: Partial<CatalogContent>,
  query = "",
): Promise<Awaited<ReturnType<TestAdmin["get"]>>["body"]> {
  const { version } = stores.catalogs.current();
  const options = { expected: version, note: "", atMs: START_MS };
  await stores.catalogs.apply({ ...CONTENT, ...content }, options);
  const { status, body } = await get(`/catalog/check${query}`);
  assertEquals(status, 200);
  return body;
}

Deno.test("GET /catalog/check finds nothing wrong where nothing is", async () => {
  await withAdmin(async (admin) => {
    const { body } = await admin.get("/catalog/check");
    assertEquals([body.ok, body.advice, body.version], [true, null, 1]);
    assertEquals(body.upstreams, [
      { id: "lab", status: "listed", models: 2, reason: null, variables: [] },
    ]);
    assertEquals(body.models[0], {
      id: "fast-mini",
      upstream: "lab",
      upstreamModel: "fast-mini",
      status: "ok",
      price: "own",
      priceEntry: null,
      listed: true,
      problems: [],
      notes: [],
    });
  }, listing({ lab: ["fast-mini", "slow-maxi:latest"] }));
});

Deno.test("GET /catalog/check compares the known prices with the price list", async () => {
  await withAdmin(async (admin) => {
    const upstreams = [OPENAI];
    const [fine] = (await check(admin, { upstreams, models: [GPT] })).models;
    assertEquals([fine.status, fine.price, fine.priceEntry], ["ok", "list", "openai/gpt-5-mini"]);

    const dear = { ...GPT, price: { ...GPT.price, outputPerMTok: "2.20" } };
    const differs = await check(admin, { upstreams, models: [dear] });
    assertEquals([differs.ok, differs.models[0].status, differs.models[0].price], [
      false,
      "stale",
      "differs",
    ]);
    assertEquals(
      differs.models[0].problems[0].message,
      'Output costs $2.20 per million tokens; the price list says $2 for "openai/gpt-5-mini"',
    );
    assertMatch(differs.advice, /^1 of 1 models needs attention: apply .*today's prices/);
    assert((await check(admin, { upstreams, models: [dear] }, "?tolerance=10")).ok);

    const free = { ...GPT, price: { ...GPT.price, inputPerMTok: "0", outputPerMTok: "0" } };
    assertEquals((await check(admin, { upstreams, models: [free] })).models[0].price, "differs");
    const drawn = { ...GPT, price: { ...GPT.price, perImage: "0.02" } };
    assertEquals((await check(admin, { upstreams, models: [drawn] })).models[0].price, "own");
  }, listing({ openai: ["gpt-5-mini-2025-08-07"] }));
});

Deno.test("GET /catalog/check finds what cannot be charged, and what costs nothing", async () => {
  await withAdmin(async (admin) => {
    const odd = { ...MINI, price: { ...MINI.price, inputPerMTok: "a lot" } };
    const free = {
      ...MINI,
      id: "free",
      price: { ...MINI.price, inputPerMTok: "0", outputPerMTok: "0" },
    };
    const [unpriced, gift] = (await check(admin, { models: [odd, free] })).models;
    assertEquals([unpriced.status, unpriced.price], ["unpriced", "none"]);
    assertEquals([gift.status, gift.price], ["ok", "free"]);
  }, listing({ lab: ["fast-mini"] }));
});

Deno.test("GET /catalog/check finds what is deprecated or gone, but not what is disabled", async () => {
  await withAdmin(async (admin) => {
    const xai = { ...LAB, id: "xai", baseUrl: "https://api.x.ai/v1" };
    const price = { inputPerMTok: "2", outputPerMTok: "10", currency: "USD" } as const;
    const old = { ...MINI, id: "old", upstream: "xai", upstreamModel: "grok-2-1212", price };
    const gone = { ...MINI, id: "gone", upstreamModel: "fast" };
    const off = { ...MINI, id: "off", upstreamModel: "fast", disabled: true };
    const body = await check(admin, { upstreams: [LAB, xai], models: [old, gone, off] });
    assertEquals(body.models.map(({ status }: Model & { status: string }) => status), [
      "stale",
      "stale",
      "ok",
    ]);
    assertMatch(body.models[0].problems[0].message, /"x-ai\/grok-2-1212" as deprecated/);
    assertEquals(body.models[1].listed, false);
    assertEquals(body.models[1].problems[0].message, 'Upstream "lab" does not list "fast"');
    assertEquals(body.models[2].notes, ["It is disabled in the catalog"]);
    assertStringIncludes(body.advice, "2 of 3 models need attention: replace or disable");
  }, listing({ lab: ["fast-mini", "fast-minimum"], xai: ["grok-2-1212"] }));
});

Deno.test("GET /catalog/check asks each upstream once, and says why one cannot be asked", async () => {
  const requests: string[] = [];
  let closed = 0;
  const connect: AdminDeps["connect"] = ({ id }) => ({
    models: () => {
      requests.push(id);
      if (id === "unlisted") return Promise.reject(new ModelListError("unlisted", "No list"));
      if (id === "refused") return Promise.reject(new ModelListError("refused", "Status 401"));
      return Promise.reject("Connection reset");
    },
    close: () => void closed++,
  });
  const names = ["unlisted", "refused", "failed", "keyless", "unused"];
  const upstreams = names.map((id) => ({
    ...LAB,
    id,
    ...id === "keyless" ? { apiKey: undefined, apiKeyEnv: "LAB_KEY" } : {},
  }));
  const models = [...names.slice(0, 4), "unlisted"].map((upstream, index) => (
    { ...MINI, id: `m${index}`, upstream }
  ));
  await withAdmin(async (admin) => {
    const body = await check(admin, { upstreams, models });
    assertEquals(requests.toSorted(), ["failed", "refused", "unlisted"]);
    assertEquals(closed, 3);
    assertEquals(
      body.upstreams.map(({ status }: { status: string }) => status),
      ["unlisted", "refused", "failed", "no credentials"],
    );
    assertEquals(
      body.models.map(({ status }: { status: string }) => status),
      ["ok", "unreachable", "unreachable", "unreachable", "ok"],
    );
    assertEquals(body.models[0].listed, null);
    assertMatch(body.models[0].notes[0], /does not list models, so it was not seen/);
    assertEquals(body.models[2].problems[0].message, "Connection reset");
    assertEquals(
      body.advice,
      "3 of 5 models need attention: set LAB_KEY and restart the gateway, or leave their " +
        "models out; replace the refused " +
        'key of "refused"; see why "failed" cannot be asked',
    );
  }, { connect, env: () => undefined });
});

Deno.test("GET /catalog/check distrusts a price list that is too old, where prices rest on it", async () => {
  await withAdmin(async (admin) => {
    admin.clock.ms = Date.parse(PRICE_LIST.publishedAt) + (PRICE_LIST_MAX_DAYS + 1) * 86_400_000;
    assertEquals((await check(admin, { models: [MINI] })).ok, true);
    const body = await check(admin, { upstreams: [OPENAI], models: [GPT] });
    assertEquals([body.ok, body.priceList.old], [false, true]);
    assertEquals(
      body.advice,
      "The price list is old: update the gateway, whose price list is 181 days old",
    );
  }, listing({ lab: ["fast-mini"], openai: ["gpt-5-mini"] }));
});

Deno.test("GET /catalog/check refuses limits that make no sense", async () => {
  await withAdmin(async ({ get }) => {
    for (const [query, param] of [["timeout=0", "timeout"], ["tolerance=much", "tolerance"]]) {
      const refused = await get(`/catalog/check?${query}`);
      assertRefused(refused, { status: 400, code: "invalid_request", param: param ?? null });
    }
  });
});
