/**
 * Every code that the operator's API is described with is answered, and no other.
 *
 * @module
 */

import type { ErrorCode } from "@svc/sdk/protocol";
import { assertEquals } from "@std/assert";
import { createAdminApp } from "../../gateway/admin/app.ts";
import {
  ADMIN_TOKEN,
  CONTENT,
  START_MS,
  type TestAdmin,
  withAdmin,
} from "../../gateway/admin/admin_test_support.ts";
import type { AdminDeps } from "../../gateway/admin/deps.ts";
import { noteTraffic, TASKS } from "../../gateway/admin/routing/learned_fixture.ts";
import { ADMIN_OPERATIONS } from "../../gateway/openapi/admin_operations.ts";
import { codesOf, type Operation } from "../../gateway/openapi/operation.ts";
import { PUBLIC_OPERATIONS } from "../../gateway/openapi/public_operations.ts";
import { ModelListError } from "../../gateway/ports/upstream.ts";
import { Gate } from "../../gateway/service/gate.ts";
import { broken, failingOnce, Provoked, withMethods, wrongRequests } from "../fixtures/provoked.ts";

const AUTHORIZATION = `Bearer ${ADMIN_TOKEN}`;
const API = ADMIN_OPERATIONS.filter(({ access }) => access === "token");
const CONFLICT = { ok: false, refusal: { code: "full", message: "All is full" } } as const;

/** Ids for the names in paths. */
interface Ids {
  readonly key: string;
  readonly store: string;
  readonly file: string;
}

async function withThings(run: (admin: TestAdmin, ids: Ids) => Promise<void>): Promise<void> {
  await withAdmin(async (admin) => {
    const key = await admin.post("/keys", { name: "Shop", wallet: "team" });
    const store = await admin.post("/vector-stores", { name: "Handbook", wallet: "team" });
    const { vectorStores } = admin.deps;
    const added = await vectorStores.addFile(store.body.id, {
      filename: "leave.txt",
      mediaType: "text/plain",
      bytes: new TextEncoder().encode("Thirty days of leave"),
    });
    await admin.deps.log.append({
      ...{ id: "log_1", requestId: "req_9", atMs: START_MS, keyId: key.body.id, walletId: "team" },
      ...{ endpoint: "chat", stream: false, status: 200, outcome: "ok", durationMs: 1 },
      ...{ holdIds: [], charged: "0.000000", inputTokens: 1, cachedInputTokens: 0 },
      ...{ outputTokens: 1, estimated: false },
    });
    for (let round = 0; round < 2; round++) {
      noteTraffic(admin.learning, { atMs: START_MS });
      await admin.learning.take();
    }
    const file = added.ok ? added.value.id : "";
    await run(admin, { key: key.body.id, store: store.body.id, file });
  });
}

function pathOf({ path }: Operation, ids: Ids): string {
  return path.replace("/wallets/{id}", "/wallets/team")
    .replace("/keys/{id}", `/keys/${ids.key}`)
    .replace("/requests/{id}", "/requests/log_1")
    .replace("/upstreams/{id}", "/upstreams/lab")
    .replace("/vector-stores/{id}", `/vector-stores/${ids.store}`)
    .replace("{task}", TASKS.summaries)
    .replace("{fileId}", ids.file)
    .replace("{version}", "1");
}

/** Bodies of operations whose examples name what is not there. */
const BODIES: Readonly<Record<string, unknown>> = {
  applyCatalog: { content: CONTENT },
  rollBackCatalog: { version: 1 },
  creditWallet: { credits: "1" },
  rotateKey: {},
  freezeRouting: { snapshot: 1 },
  narrowKey: { policy: {} },
};

function initOf(operation: Operation, body?: unknown): RequestInit {
  const headers = { authorization: AUTHORIZATION };
  if (operation.id === "addFile") {
    return { headers: { ...headers, "content-type": "text/plain" }, body: "Words" };
  }
  if (operation.body === undefined) return { headers };
  const sent = body ?? BODIES[operation.id] ??
    operation.body["application/json"]?.example ?? {};
  return {
    headers: { ...headers, "content-type": "application/json" },
    body: JSON.stringify(sent),
  };
}

const QUERIES: Readonly<Record<string, string>> = {
  addFile: "?filename=a.txt",
  exportLedger: "?wallet=team",
  listRoutingTasks: "?wallet=team",
  replayRouting: "?wallet=team",
  exportRouting: "?snapshot=1",
  planAuditBudget: "?credits=5",
};
const query = ({ id }: Operation) => QUERIES[id] ?? "";

const provoked = new Provoked("admin");

Deno.test("the common refusals of each operation match the description", async () => {
  await withThings(async ({ app, deps }, ids) => {
    const gate = new Gate(deps.rng);
    gate.close();
    const none = { ...deps, catalogs: catalogsWith(deps, { badKeysPerMinute: 1 }) };
    for (const [index, operation] of ADMIN_OPERATIONS.entries()) {
      const path = pathOf(operation, ids) + query(operation);
      // Wrong tokens are counted by address.
      const remoteAddress = `10.0.0.${index}`;
      const call = (to: typeof app, init: RequestInit) =>
        provoked.call(to, operation, { path, init, remoteAddress });
      for (const [code, init] of wrongRequests(operation, AUTHORIZATION)) {
        assertEquals(await call(app, init), code, operation.id);
      }
      const authorized = { headers: { authorization: AUTHORIZATION } };
      const buggy = createAdminApp({ ...deps, rng: failingOnce(deps.rng) });
      assertEquals(await call(buggy, authorized), "internal", operation.id);
      await provoked.call(gate.guard(app), operation, { path });
      if (operation.access === "anyone") continue;
      const limited = createAdminApp(none);
      const wrong = { headers: { authorization: "Bearer wrong" } };
      await call(limited, wrong);
      assertEquals(await call(limited, wrong), "rate_limit_exceeded", operation.id);
    }
  });
});

Deno.test("a store that fails is 503 where that is described, and nowhere else", async () => {
  for (const operation of API) {
    await withThings(async ({ deps }, ids) => {
      const app = createAdminApp({
        ...deps,
        ledger: broken(deps.ledger),
        keys: broken(deps.keys),
        keyRing: broken(deps.keyRing),
        catalogs: broken(deps.catalogs),
        log: broken(deps.log),
        snapshots: broken(deps.snapshots),
        vectorStores: broken(deps.vectorStores),
        pepperBook: broken(deps.pepperBook),
        adminTokens: broken(deps.adminTokens),
        verifyLedger: () => broken(deps).verifyLedger(),
      });
      const path = pathOf(operation, ids) + query(operation);
      const code = await provoked.call(app, operation, { path, init: initOf(operation) });
      const described = codesOf(operation).includes("store_unavailable");
      assertEquals(code === "store_unavailable", described, `${operation.id}: ${code}`);
    });
  }
});

Deno.test("a missing item is 404 where an address names something", async () => {
  await withThings(async ({ app }, ids) => {
    for (const operation of API.filter(({ path }) => path.includes("{"))) {
      const path = operation.path.replaceAll(/\{\w+\}/g, "none") + query(operation);
      const code = await provoked.call(app, operation, { path, init: initOf(operation) });
      assertEquals(code, "not_found", operation.id);
    }
    const [rollback, exported] = [operationOf("rollBackCatalog"), operationOf("exportLedger")];
    await provoked.call(app, rollback, { init: initOf(rollback, { version: 99 }) });
    const path = `${pathOf(exported, ids)}?wallet=none`;
    await provoked.call(app, exported, { path, init: initOf(exported) });
    const [freeze, reset] = [operationOf("freezeRouting"), operationOf("resetRouting")];
    await provoked.call(app, freeze, { init: initOf(freeze, { snapshot: 99 }) });
    await provoked.call(app, reset, { init: initOf(reset, { wallet: "none" }) });
    const named = { listRoutingTasks: "?wallet=none", replayRouting: "?wallet=none" };
    for (const [id, search] of Object.entries({ ...named, exportRouting: "?snapshot=99" })) {
      const operation = operationOf(id);
      const path = `${pathOf(operation, ids)}${search}`;
      assertEquals(
        await provoked.call(app, operation, { path, init: initOf(operation) }),
        "not_found",
      );
    }
  });
});

/** Operations that conflict, with what is in their way. */
const CONFLICTS: readonly (readonly [string, (admin: TestAdmin, ids: Ids) => Promise<Clash>])[] = [
  ["createWallet", ({ clock }) => {
    // At the same moment it would be the same request once more.
    clock.ms++;
    return Promise.resolve({ body: { id: "team" } });
  }],
  ["creditWallet", async ({ post }) => {
    await post("/wallets/team/credit", { credits: "1", opId: "one" });
    return { body: { credits: "2", opId: "one" } };
  }],
  ["createKey", () => {
    const exists = { ok: false, refusal: { code: "key_exists" } } as const;
    return Promise.resolve({ deps: { keyRing: { issue: () => Promise.resolve(exists) } } });
  }],
  ["verifyKey", ({ deps }, { key }) => {
    const keyRing = withMethods(deps.keyRing, { authenticate: () => deps.keys.get(key) });
    const fetch = () => Promise.resolve(Response.json({}, { status: 402 }));
    return Promise.resolve({ deps: { keyRing, fetch } });
  }],
  ...["rotateKey", "disableKey", "enableKey"].map((id) =>
    [id, async ({ post }: TestAdmin, { key }: Ids) => {
      await post(`/keys/${key}/revoke`);
      return {};
    }] as const
  ),
  ...["rotatePepper", "dropPepper"].map((id) =>
    [id, ({ deps }: TestAdmin) => {
      const refused = () => Promise.resolve({ ok: false, refusal: { code: "no_previous" } });
      const pepperBook = {
        uses: () => deps.pepperBook.uses(),
        rotate: refused,
        drop: refused,
      };
      return Promise.resolve({ deps: { pepperBook } });
    }] as const
  ),
  ["confirmAdminToken", () => Promise.resolve({})],
  ["applyCatalog", () => Promise.resolve({ body: { content: CONTENT, expectedVersion: 99 } })],
  ["rollBackCatalog", async ({ deps }) => {
    const { tiers } = CONTENT;
    const changed = { ...CONTENT, tiers: [...tiers, { ...tiers[0], id: "more" }] };
    await deps.applyCatalog(changed as typeof CONTENT, { expected: 1, note: "" });
    return { deps: { applyCatalog: () => Promise.resolve(undefined) } };
  }],
  ["explainRequest", ({ deps }) => {
    const search = async () => {
      const record = await deps.log.get("log_1");
      return { records: record === undefined ? [] : [record, record] };
    };
    const log = withMethods(deps.log, { get: () => Promise.resolve(undefined), search });
    return Promise.resolve({ deps: { log } });
  }],
  ["getRoutingTask", twoTasks],
  ["resetRouting", twoTasks],
  ["createVectorStore", full("create")],
  ["addFile", full("addFile")],
  ["searchVectorStore", full("search")],
  ["embedFile", () => Promise.resolve({})],
];

interface Clash {
  readonly body?: unknown;
  readonly deps?: Readonly<Record<string, unknown>>;
}

/** Two wallets with a task of the same fingerprint. */
async function twoTasks({ learning }: TestAdmin): Promise<Clash> {
  noteTraffic(learning, { atMs: START_MS, wallets: ["other", "another"] });
  await learning.take();
  return { body: { task: TASKS.summaries } };
}

function full(method: string) {
  return ({ deps }: TestAdmin): Promise<Clash> => {
    const vectorStores = withMethods(deps.vectorStores, {
      [method]: () => Promise.resolve(CONFLICT),
    });
    return Promise.resolve({ deps: { vectorStores } });
  };
}

Deno.test("every conflict that is described is one", async () => {
  for (const [id, prepare] of CONFLICTS) {
    await withThings(async (admin, ids) => {
      const operation = operationOf(id);
      const { body, deps } = await prepare(admin, ids);
      const app = createAdminApp({ ...admin.deps, ...deps } as AdminDeps);
      const path = pathOf(operation, ids) + query(operation);
      const init = initOf(operation, body);
      assertEquals(await provoked.call(app, operation, { path, init }), "conflict", id);
    });
  }
});

Deno.test("an upstream that fails is distinguished from one that is late", async () => {
  await withThings(async ({ deps }, ids) => {
    const offered = operationOf("listOfferedModels");
    const init = initOf(offered);
    const path = pathOf(offered, ids);
    const fails = () => Promise.reject(new ModelListError("failed", "It is broken"));
    const connect = () => ({ models: fails, close: () => {} });
    await provoked.call(createAdminApp({ ...deps, connect }), offered, { path, init });
    const verifyKey = operationOf("verifyKey");
    const keyRing = withMethods(deps.keyRing, { authenticate: () => deps.keys.get(ids.key) });
    const fetch = () => Promise.reject(new TypeError("It is away"));
    await provoked.call(createAdminApp({ ...deps, keyRing, fetch }), verifyKey, {
      path: pathOf(verifyKey, ids),
      init: initOf(verifyKey),
    });
    const embedFile = operationOf("embedFile");
    const failed = { ok: false, code: "failed", message: "It is broken" } as const;
    const vectorStores = withMethods(deps.vectorStores, {
      embedFile: () => Promise.resolve(failed),
    });
    await provoked.call(createAdminApp({ ...deps, vectorStores }), embedFile, {
      path: pathOf(embedFile, ids),
      init,
    });
  });
});

Deno.test("nothing that is described of the operator's API was never answered", () => {
  // An upstream is given ten seconds, which no test here waits.
  const late: readonly ErrorCode[] = ["upstream_timeout"];
  // The playground passes on what model calls refuse, which the tests of those provoke.
  const passedOn = PUBLIC_OPERATIONS.flatMap(codesOf);
  const elsewhere: Readonly<Record<string, readonly ErrorCode[]>> = {
    listOfferedModels: late,
    callPlayground: passedOn,
  };
  provoked.assertAll(ADMIN_OPERATIONS, ({ id }) => elsewhere[id] ?? []);
});

function operationOf(id: string): Operation {
  const operation = ADMIN_OPERATIONS.find((one) => one.id === id);
  if (operation === undefined) throw new Error(`There is no operation "${id}"`);
  return operation;
}

function catalogsWith(
  { catalogs }: AdminDeps,
  limits: { badKeysPerMinute: number },
): AdminDeps["catalogs"] {
  const catalog = catalogs.current();
  const inForce = { maxInFlight: 100, queueMs: 0, queueLength: 0, ...limits };
  return withMethods(catalogs, { current: () => ({ ...catalog, limits: inForce }) });
}
