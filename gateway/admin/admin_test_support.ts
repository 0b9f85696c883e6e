/**
 * The operator's API over stores in memory, for tests.
 *
 * @module
 */

import { assertEquals } from "@std/assert";
import type { CatalogContent, Model } from "../domain/catalog/catalog.ts";
import type { TargetState } from "../domain/routing/plan.ts";
import { AdminTokens } from "../flows/keys/admin_tokens.ts";
import { Learning } from "../flows/learn/learning.ts";
import { LowBalances } from "../flows/settle/low_balances.ts";
import { HolderAccess } from "../flows/keys/holder_access.ts";
import { KeyRing } from "../flows/keys/key_ring.ts";
import { Judge } from "../openapi/judge_test_support.ts";
import { Corrections } from "../flows/operators/corrections.ts";
import { Operators } from "../flows/operators/operators.ts";
import { SessionMemory } from "../flows/operators/session_memory.ts";
import { Sessions } from "../flows/operators/sessions.ts";
import { Trail } from "../flows/operators/trail.ts";
import { PepperBook } from "../flows/keys/pepper_book.ts";
import { type KvStores, openKvStores } from "../stores/kv/open.ts";
import { embedderInForce } from "../upstreams/embedder.ts";
import { Notifier } from "../notify/notifier.ts";
import type { VectorStores } from "../ports/vector_stores.ts";
import { createVectorStores } from "../vector_stores/vector_stores.ts";
import { mountConsole } from "../console/mount.ts";
import { Description } from "../openapi/description.ts";
import { createAdminApp } from "./app.ts";
import type { Embedder } from "../ports/embedder.ts";
import type { AdminApp, AdminDeps } from "./deps.ts";

const judge = new Judge("admin");

/** Admin token of the tests. */
export const ADMIN_TOKEN = "svc_admin_for_tests";
/** Credits at stake above which the tests need an approval: 50. */
const APPROVAL_MICROS = 50_000_000n;
/** Start of the tests' clock: a Saturday noon. */
export const START_MS = Date.UTC(2026, 10, 21, 12);

/** An API under test and what it stands on. */
export interface TestAdmin {
  readonly app: AdminApp;
  readonly deps: AdminDeps;
  readonly stores: KvStores;
  readonly learning: Learning;
  /** May be moved. */
  readonly clock: { ms: number };
  readonly pool: Map<string, TargetState>;
  /** The embedder of vector stores. @default {that of the catalog} */
  readonly embedding: { by?: Embedder };
  /** Lines of the operator's log. */
  readonly lines: string[];
  /** Asks with the admin token. */
  get(path: string): Promise<TestAnswer>;
  /** Sends JSON with the admin token. */
  post(path: string, body?: unknown, headers?: Record<string, string>): Promise<TestAnswer>;
}

/** A decoded answer. */
export interface TestAnswer {
  readonly status: number;
  readonly headers: Headers;
  /** As `Response.json` has it: tests look into it freely. */
  readonly body: Awaited<ReturnType<Response["json"]>>;
}

/** Runs a test on an API with wallet `team` and a catalog of two models. */
export async function withAdmin(
  run: (admin: TestAdmin) => Promise<void>,
  overrides: Partial<AdminDeps> = {},
): Promise<void> {
  const stores = await openKvStores(":memory:", { nowMs: () => START_MS });
  try {
    await stores.catalogs.apply(CONTENT, { expected: 0, note: "First", atMs: START_MS });
    const violations: string[] = [];
    const admin = await testAdmin(stores, { overrides, violations });
    await admin.post("/wallets", { id: "team", credits: "100" });
    await run(admin);
    await Promise.all([admin.deps.keyRing.idle(), admin.deps.adminTokens.idle()]);
    await admin.deps.vectorStores.close();
    assertEquals(violations, [], "Answers differ from gateway/openapi/");
  } finally {
    await stores.close();
  }
}

function testVectorStores(
  stores: KvStores,
  deps: Pick<AdminDeps, "clock" | "rng" | "logger">,
  embedding: TestAdmin["embedding"],
): VectorStores {
  const { catalogs, passages } = stores;
  const { clock } = deps;
  const inForce = embedderInForce({
    clock,
    env: () => undefined,
    catalog: () => catalogs.current(),
  });
  return createVectorStores({ ...deps, passages, embedder: () => embedding.by ?? inForce() });
}

/** Services over the stores. */
function servicesOf(
  stores: KvStores,
  deps: Pick<AdminDeps, "clock" | "rng" | "logger">,
  embedding: TestAdmin["embedding"],
): Pick<AdminDeps, "vectorStores" | "notices"> {
  return {
    vectorStores: testVectorStores(stores, deps, embedding),
    notices: testNotices(stores, deps),
  };
}

/** Notifications that accept every message, and know one private host. */
function testNotices(
  { noticeStore: store, ledger, keys }: KvStores,
  deps: Pick<AdminDeps, "clock" | "rng" | "logger">,
): Notifier {
  return new Notifier({
    ...{ ...deps, store, instance: "only", policy: { trustedHosts: ["127.0.0.1"] } },
    send: () => Promise.resolve({ ok: true }),
    sources: {
      ...{ ledger, keys, upstreams: () => new Set<string>() },
      marksOf: () => Promise.resolve([]),
    },
  });
}

/** A pool with one busy upstream, and the given states of models. */
function poolWith(states: ReadonlyMap<string, TargetState>): AdminDeps["pool"] {
  return {
    states: () => states,
    inFlight: () => new Map([["lab", 3]]),
    recent: () => ({ attempts: 12, failures: 5, failovers: 3 }),
  };
}

async function testAdmin(
  stores: KvStores,
  { overrides, violations }: { overrides: Partial<AdminDeps>; violations: string[] },
): Promise<TestAdmin> {
  const time = { ms: START_MS };
  const pool = new Map<string, TargetState>();
  const lines: string[] = [];
  const embedding: TestAdmin["embedding"] = {};
  const log = (event: string, fields = {}) => void lines.push(`${event} ${JSON.stringify(fields)}`);
  const clock = { nowMs: () => time.ms, monotonicMs: () => time.ms };
  const logger = { info: log, warn: log, error: log };
  const pepperBook = await PepperBook.open({ ...stores, clock });
  const { keys, settings } = stores;
  const { peppers } = pepperBook;
  const keyRing = new KeyRing(peppers, { keys, clock, logger });
  const rng = countingRng();
  const learning = new Learning({ ...stores, clock, logger, secret: "routing_for_tests" });
  await learning.open();
  const deps: AdminDeps = {
    ...stores,
    ...await testStaff(stores, { settings, peppers, clock, rng, logger, signOn: overrides.signOn }),
    learning,
    keyRing,
    holderAccess: new HolderAccess({ ...stores, clock, logger }),
    clock,
    logger,
    rng,
    ...servicesOf(stores, { clock, rng, logger }, embedding),
    pool: poolWith(pool),
    connect: () => ({ models: () => Promise.resolve(["mini", "maxi"]), close: () => {} }),
    pepperBook,
    ...{ description: new Description("admin"), mountConsole },
    lowBalances: new LowBalances(settings),
    onAdminToken: () => Promise.resolve(),
    callPublic: () => Promise.resolve(Response.json({ choices: [] })),
    publicUrl: () => "http://gateway.test:8787",
    applyCatalog: (content, options) =>
      stores.catalogs.apply(content, { ...options, atMs: time.ms }),
    verifyLedger: () => stores.verification(),
    ...overrides,
  };
  const app = createAdminApp(deps);
  const send = sender(app, violations);
  const authorization = `Bearer ${ADMIN_TOKEN}`;
  return {
    app,
    deps,
    stores,
    learning,
    clock: time,
    ...{ pool, lines, embedding },
    get: (path) => send(path, { headers: { authorization } }),
    post: (path, body = {}, headers = {}) =>
      send(path, {
        method: "POST",
        headers: { authorization, "content-type": "application/json", ...headers },
        body: JSON.stringify(body),
      }),
  };
}

/** The admin token of the tests, operators, their sessions, and the audit log. */
async function testStaff(
  stores: KvStores,
  deps: Pick<AdminDeps, "clock" | "rng" | "logger" | "signOn"> & {
    readonly settings: KvStores["settings"];
    readonly peppers: PepperBook["peppers"];
  },
): Promise<Pick<AdminDeps, "adminTokens" | "operators" | "corrections" | "sessions" | "trail">> {
  const adminTokens = await AdminTokens.open({ ...deps, startToken: ADMIN_TOKEN });
  const operators = new Operators({ ...stores, ...deps });
  const store = new SessionMemory(stores.trailStore);
  const sessions = new Sessions({ ...deps, operators, adminTokens, store });
  const corrections = new Corrections({ ...stores, ...deps, approvalMicros: APPROVAL_MICROS });
  const trail = new Trail({ ...stores, ...deps });
  return { adminTokens, operators, corrections, sessions, trail };
}

/** Ids with numbers from 1. */
function countingRng(): AdminDeps["rng"] {
  let ids = 0;
  return { id: (prefix) => `${prefix}_${++ids}`, next: () => 0.5 };
}

/** Sends requests; each answer is held against the description. */
function sender(app: AdminApp, violations: string[]) {
  return async (path: string, init: RequestInit): Promise<TestAnswer> => {
    const request = new Request(`http://localhost/admin/v1${path}`, init);
    const response = await judge.judged(request, await app.request(request), violations);
    const { status, headers } = response;
    return { status, headers, body: await response.json() };
  };
}

/** Asserts a refusal: its status, its code and, where given, its field. */
export function assertRefused(
  answer: TestAnswer,
  expected: { status: number; code: string; param?: string | null },
): void {
  const { code, param, request_id } = answer.body.error;
  assertEquals(
    { status: answer.status, code, param: "param" in expected ? param : undefined },
    { status: expected.status, code: expected.code, param: expected.param },
    JSON.stringify(answer.body),
  );
  assertEquals(answer.headers.get("x-request-id"), request_id);
}

/** The catalog of the tests. */
export const CONTENT: CatalogContent = {
  upstreams: [{
    id: "lab",
    kind: "openai-compatible",
    provider: "lab",
    baseUrl: "http://127.0.0.1:11434/v1",
    apiKey: "provider-secret",
    maxInFlight: 200,
    onDisconnect: "cancel",
    timeouts: { connectMs: 5_000, firstByteMs: 120_000, idleMs: 60_000 },
  }],
  models: [model("fast-mini", "0.25"), model("slow-maxi", "2.50")],
  tiers: [tier("basic"), tier("standard")],
  auto: { dial: 0.5 },
};

function model(id: string, inputPerMTok: string): Model {
  return {
    id,
    name: id,
    upstream: "lab",
    upstreamModel: id,
    endpoints: ["chat"],
    quality: 0.6,
    contextTokens: 128_000,
    maxOutputTokens: 8_000,
    featureTags: ["tools"],
    industryPacks: [],
    sku: "text",
    price: { inputPerMTok, outputPerMTok: "2.00", currency: "USD" },
    description: { en: "A model", zh: "模型" },
    disabled: false,
  };
}

function tier(id: string): CatalogContent["tiers"][number] {
  const name = { en: id, zh: id };
  return {
    id,
    creditsPerUsd: "1000",
    models: "*",
    orchestration: "auto",
    name,
    description: name,
  };
}
