/**
 * Every code that the operator's API is described with is answered, and no other.
 *
 * @module
 */

import type { ErrorCode } from "@svc/sdk/protocol";
import { assert, assertEquals } from "@std/assert";
import { createAdminApp } from "../../gateway/admin/app.ts";
import {
  ADMIN_TOKEN,
  CONTENT,
  START_MS,
  type TestAdmin,
} from "../../gateway/admin/admin_test_support.ts";
import type { AdminDeps } from "../../gateway/admin/deps.ts";
import { ROLES } from "../../gateway/domain/operators/roles.ts";
import { newAdminToken } from "../../gateway/flows/keys/admin_tokens.ts";
import { noteTraffic, TASKS } from "../../gateway/admin/routing/learned_fixture.ts";
import { ADMIN_OPERATIONS } from "../../gateway/openapi/admin_operations.ts";
import { codesOf, type Operation } from "../../gateway/openapi/operation.ts";
import { PUBLIC_OPERATIONS } from "../../gateway/openapi/public_operations.ts";
import { ModelListError } from "../../gateway/ports/upstream.ts";
import { Operators } from "../../gateway/flows/operators/operators.ts";
import { Gate } from "../../gateway/service/gate.ts";
import { type AdminIds, withThings } from "../fixtures/admin_things.ts";
import { catalogsWith, promising } from "../fixtures/changed_deps.ts";
import { broken, failingOnce, Provoked, withMethods, wrongRequests } from "../fixtures/provoked.ts";

const AUTHORIZATION = `Bearer ${ADMIN_TOKEN}`;
const API = ADMIN_OPERATIONS.filter(({ access }) => access === "token");
const CONFLICT = { ok: false, refusal: { code: "full", message: "All is full" } } as const;

function pathOf({ path }: Operation, ids: AdminIds): string {
  return path.replace("/wallets/{id}", "/wallets/team")
    .replace("/keys/{id}", `/keys/${ids.key}`)
    .replace("/requests/{id}", "/requests/log_1")
    .replace("/operators/{id}", `/operators/${ids.operator}`)
    .replace("{tokenId}", ids.token)
    .replace("/corrections/{id}", "/corrections/one")
    .replace("/sessions/{id}", `/sessions/${ids.session}`)
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

/** A token as operators have them, which no operator has. */
const UNKNOWN_TOKEN = newAdminToken();

Deno.test("a store that fails is 503, also while it looks for the holder of a token", async () => {
  for (const operation of API) {
    await withThings(async ({ deps }, ids) => {
      const app = createAdminApp({
        ...deps,
        ledger: broken(promising(deps.ledger)),
        keys: broken(withMethods(deps.keys, { get: async (id) => await deps.keys.get(id) })),
        keyRing: broken(deps.keyRing),
        catalogs: broken(deps.catalogs),
        log: broken(deps.log),
        snapshots: broken(deps.snapshots),
        vectorStores: broken(deps.vectorStores),
        notices: broken(deps.notices),
        pepperBook: broken(deps.pepperBook),
        adminTokens: broken(deps.adminTokens),
        trail: broken(deps.trail),
        operators: broken(deps.operators),
        corrections: broken(deps.corrections),
        verifyLedger: () => broken(deps).verifyLedger(),
      });
      const path = pathOf(operation, ids) + query(operation);
      const code = await provoked.call(app, operation, { path, init: initOf(operation) });
      assert([undefined, "store_unavailable"].includes(code), `${operation.id}: ${code}`);
      const init = { headers: { authorization: `Bearer ${UNKNOWN_TOKEN}` } };
      assertEquals(await provoked.call(app, operation, { path, init }), "store_unavailable");
    });
  }
});

Deno.test("an operator whose role lacks a right is refused, where that is described", async () => {
  await withThings(async ({ app, post }, ids) => {
    const tokens: string[] = [];
    for (const role of ROLES) {
      const { body: { id } } = await post("/operators", { name: role, role });
      tokens.push((await post(`/operators/${id}/tokens`, { name: "Test" })).body.token);
    }
    for (const operation of API) {
      if (["rotatePepper", "dropPepper"].includes(operation.id)) tokens.pop();
      const path = pathOf(operation, ids) + query(operation);
      const codes = new Set<string | undefined>();
      for (const token of tokens) {
        const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
        const init = operation.body === undefined ? { headers } : { headers, body: "{}" };
        codes.add(await provoked.call(app, operation, { path, init }));
      }
      const described = codesOf(operation).includes("policy_denied");
      assertEquals(codes.has("policy_denied"), described, operation.id);
    }
  });
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
const CONFLICTS:
  readonly (readonly [string, (admin: TestAdmin, ids: AdminIds) => Promise<Clash>])[] = [
    ["createWallet", ({ clock }) => {
      // At the same moment it would be the same request once more.
      clock.ms++;
      return Promise.resolve({ body: { id: "team" } });
    }],
    ["creditWallet", async ({ post }) => {
      await post("/wallets/team/credit", { credits: "1", opId: "one" });
      return { body: { credits: "2", opId: "one" } };
    }],
    ...Object.entries({
      debitWallet: { credits: "1000", note: "Test" },
      adjustWallet: { balance: "1", expected: "2", note: "Test" },
      setWalletTier: { tier: "standard", note: "Test" },
      closeWallet: { expected: "1", note: "Test" },
      moveKey: { wallet: "team", note: "Test" },
      refundRequest: { note: "Test" },
    }).map(([id, body]) => [id, () => Promise.resolve({ body })] as const),
    ...["approveCorrection", "refuseCorrection"].map((id) =>
      [id, async ({ post }: TestAdmin) => {
        await post("/wallets/team/debit", { credits: "60", note: "Test", opId: "one" });
        await post("/corrections/one/refuse", { note: "Test" });
        return {};
      }] as const
    ),
    ["createKey", () => {
      const exists = { ok: false, refusal: { code: "key_exists" } } as const;
      return Promise.resolve({ deps: { keyRing: { issue: () => Promise.resolve(exists) } } });
    }],
    ["verifyKey", ({ deps }, { key }) => {
      const keyRing = withMethods(deps.keyRing, { authenticate: () => deps.keys.get(key) });
      const fetch = () => Promise.resolve(Response.json({}, { status: 402 }));
      return Promise.resolve({ deps: { keyRing, fetch } });
    }],
    ...["rotateKey", "disableKey", "enableKey", "createSignInLink"].map((id) =>
      [id, async ({ post }: TestAdmin, { key }: AdminIds) => {
        await post(`/keys/${key}/revoke`);
        return {};
      }] as const
    ),
    ...["setKeyEmbeddingModel", "resetKeyEmbeddingModel"].map((id) =>
      [id, ({ deps }: TestAdmin) => {
        const replace = () => Promise.resolve(false);
        const embeddingPins = withMethods(deps.embeddingPins, { replace });
        const catalog = deps.catalogs.current();
        const models = catalog.models.map((model) => ({
          ...{ ...model, endpoints: ["embeddings"] as const },
        }));
        const current = () => ({ ...catalog, models });
        const catalogs = withMethods(deps.catalogs, { current });
        const body = { model: models[0]?.id };
        return Promise.resolve({ body, deps: { catalogs, embeddingPins } });
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
    ["createOperator", () => Promise.resolve({ body: { name: "Kim", role: "viewer" } })],
    ["createOperatorToken", async ({ post }, { operator }) => {
      for (let token = 1; token < 20; token++) {
        await post(`/operators/${operator}/tokens`, { name: "Test" });
      }
      return {};
    }],
    ...[
      ...["setOperatorRole", "disableOperator", "enableOperator"],
      ...["revokeOperatorToken", "endOperatorSessions"],
    ].map((id) =>
      [id, ({ deps, stores }: TestAdmin) => {
        const overtaken = {
          all: () => stores.operatorStore.all(),
          put: () => Promise.resolve(false),
        };
        const { peppers } = { peppers: { digest: () => "", digests: () => [] } };
        const operators = new Operators({ ...deps, operatorStore: overtaken, peppers });
        return Promise.resolve({ deps: { operators } });
      }] as const
    ),
    ["createVectorStore", full("create")],
    ["addFile", full("addFile")],
    ["searchVectorStore", full("search")],
    ["embedFile", () => Promise.resolve({})],
    ["createNotificationTarget", ({ deps }) => {
      const added = { ok: false, problem: "There are 20 targets already" } as const;
      const add = () => Promise.resolve(added);
      return Promise.resolve({ deps: { notices: withMethods(deps.notices, { add }) } });
    }],
    ["retryNotificationDelivery", ({ deps }) => {
      const refused = { ok: false, problem: "It has arrived already" } as const;
      const retry = () => Promise.resolve(refused);
      return Promise.resolve({ deps: { notices: withMethods(deps.notices, { retry }) } });
    }],
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
