/**
 * Every code that the public listener is described with is answered, and no other.
 *
 * @module
 */

import { keyRecords } from "../../gateway/flows/keys/key_records_fixture.ts";
import type { ErrorCode } from "@svc/sdk/protocol";
import { assertEquals } from "@std/assert";
import { simulatorCatalog } from "../../gateway/config/simulator_catalog.ts";
import type { Model } from "../../gateway/domain/catalog/catalog.ts";
import { ServiceFault } from "../../gateway/domain/fault.ts";
import type { KeyRecord } from "../../gateway/domain/policy/key.ts";
import type { KeyPolicy } from "../../gateway/domain/policy/policy.ts";
import type { Answering } from "../../gateway/http/listen.ts";
import { Description } from "../../gateway/openapi/description.ts";
import { createPublicApp, type PublicAppOptions } from "../../gateway/http/public_app.ts";
import type { Operation } from "../../gateway/openapi/operation.ts";
import { PUBLIC_OPERATIONS } from "../../gateway/openapi/public_operations.ts";
import { StoreError } from "../../gateway/ports/store_error.ts";
import { Gate } from "../../gateway/service/gate.ts";
import { failingOnce, Provoked, withMethods, wrongRequests } from "../fixtures/provoked.ts";
import { BOOTSTRAP_KEY, TestService } from "../fixtures/service.ts";

const AUTHORIZATION = `Bearer ${BOOTSTRAP_KEY}`;
/** Tags of operations with a rate of their own. */
const OF_FILES = ["Files", "Vector stores"];
const MODEL_CALLS = PUBLIC_OPERATIONS.filter(({ limited, tag }) => (
  limited && !OF_FILES.includes(tag)
));
const KEYED = PUBLIC_OPERATIONS.filter(({ access }) => access === "key");

const provoked = new Provoked("public");
const storeFails = () => Promise.reject(new StoreError("The disk is broken"));

/** The application of a service, with parts of it changed. */
async function appOf(
  { running: { gateway, stores } }: TestService,
  changes: Partial<PublicAppOptions> & { policy?: KeyPolicy; wallet?: string } = {},
): Promise<Answering> {
  const [record] = await keyRecords(stores.keys);
  const { policy = {}, wallet = record?.walletId ?? "", ...options } = changes;
  const key = { ...record, policy, walletId: wallet } as KeyRecord;
  return createPublicApp({
    gateway: { ...gateway, keys: { get: () => Promise.resolve(key) } },
    findKey: (presented) => Promise.resolve(presented === BOOTSTRAP_KEY ? key : undefined),
    readiness: { unready: () => Promise.resolve(undefined) },
    description: new Description("public"),
    files: { blobs: stores.blobs, links: { verify: () => false } },
    ...options,
  });
}

function initOf(operation: Operation, more: Readonly<Record<string, unknown>> = {}): RequestInit {
  const headers = { authorization: AUTHORIZATION };
  const { "application/json": json } = operation.body ?? {};
  if (json === undefined) return { headers };
  const { tools: _tools, ...body } = json.example as Record<string, unknown>;
  // Nothing is fetched from elsewhere.
  const image = "image" in body ? { image: PIXEL } : {};
  return {
    headers: { ...headers, "content-type": "application/json" },
    body: JSON.stringify({ ...body, ...image, ...more }),
  };
}

const PIXEL = "data:image/png;base64," +
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

Deno.test("the common refusals of each operation match the description", async () => {
  await using service = await TestService.start();
  const { gateway } = service.running;
  const app = await appOf(service);
  const buggy = async () =>
    await appOf(service, { gateway: { ...gateway, rng: failingOnce(gateway.rng) } });
  const gate = new Gate(gateway.rng);
  gate.close();
  for (const [index, operation] of PUBLIC_OPERATIONS.entries()) {
    const remoteAddress = `10.0.0.${index}`;
    for (const [code, init] of wrongRequests(operation, AUTHORIZATION)) {
      const sent = { init, remoteAddress };
      assertEquals(await provoked.call(app, operation, sent), code, operation.id);
    }
    const init = initOf(operation);
    assertEquals(await provoked.call(await buggy(), operation, { init }), "internal");
    const closed = await provoked.call(gate.guard(app), operation);
    const isShut = operation.path === "/healthz" || operation.path === "/readyz";
    if (!isShut) assertEquals(closed, "shutting_down", operation.id);
  }
  const readyz = operationOf("getReadiness");
  for (const code of ["no_model_available", "store_unavailable", "shutting_down"] as const) {
    const readiness = { unready: () => Promise.resolve(new ServiceFault(code)) };
    await provoked.call(await appOf(service, { readiness }), readyz);
  }
});

Deno.test("the common refusals of each operation behind a key match the description", async () => {
  await using service = await TestService.start();
  const lost = await appOf(service, { findKey: storeFails });
  const elsewhere = await appOf(service, { policy: { ipRanges: ["10.0.0.0/8"] } });
  const { gateway } = service.running;
  const catalog = { ...gateway.catalogs.current() };
  const limits = { maxInFlight: 100, queueMs: 0, queueLength: 0, badKeysPerMinute: 1 };
  const catalogs = withMethods(gateway.catalogs, { current: () => ({ ...catalog, limits }) });
  const limited = await appOf(service, { gateway: { ...gateway, catalogs } });
  for (const operation of KEYED) {
    const init = initOf(operation);
    assertEquals(await provoked.call(lost, operation, { init }), "store_unavailable");
    assertEquals(await provoked.call(elsewhere, operation, { init }), "policy_denied");
    const wrong = { init: { headers: { "x-api-key": "wrong" } } };
    await provoked.call(limited, operation, wrong);
    assertEquals(await provoked.call(limited, operation, wrong), "rate_limit_exceeded");
  }
});

Deno.test("a missing item is 404", async () => {
  await using service = await TestService.start();
  const { blobs } = service.running.stores;
  const app = await appOf(service);
  for (const operation of PUBLIC_OPERATIONS.filter(({ path }) => path.includes("{"))) {
    const path = operation.path.replace("{id}", "none");
    const init = initOf(operation);
    assertEquals(await provoked.call(app, operation, { path, init }), "not_found", operation.id);
  }
  const create = operationOf("createVectorStore");
  const withFile = initOf(create, { file_ids: ["none"] });
  assertEquals(await provoked.call(app, create, { init: withFile }), "not_found");
  const files = {
    blobs: withMethods(blobs, { get: storeFails }),
    links: { verify: () => true },
  };
  const file = operationOf("getFile");
  assertEquals(await provoked.call(await appOf(service, { files }), file), "store_unavailable");
});

/** Bodies that a model call refuses, by the code that says so. */
const BODIES: readonly (readonly [ErrorCode, Readonly<Record<string, unknown>>])[] = [
  ["model_not_allowed", { model: "gpt-5" }],
  ["upstream_error", { simulate: { error: 500 } }],
];
const TEXT_BODIES: readonly (readonly [ErrorCode, Readonly<Record<string, unknown>>])[] = [
  ["unsupported_tool", { tools: [{ type: "mind_reading" }] }],
  ["conflicting_tools", { tools: [{ type: "web_search" }, { type: "web_search_preview" }] }],
];

Deno.test("the refusals of a model call match the description", async () => {
  await using service = await TestService.start();
  const { stores, gateway } = service.running;
  await stores.ledger.open({ kind: "open", walletId: "empty", tier: "standard", atMs: 1 });
  await stores.ledger.open({ kind: "open", walletId: "gone", tier: "standard", atMs: 1 });
  const app = await appOf(service);
  const closed = await appOf(service, { wallet: "gone" });
  const entry = () => ({
    ...{ atMs: 1, action: "closeWallet", stage: "done", subject: "/wallets/gone" } as const,
    author: { kind: "nobody", id: "", name: "", address: null, requestId: "" } as const,
  });
  const closing = { opId: "gone", walletId: "gone", note: "Test", atMs: 1 };
  await stores.corrections.apply({ kind: "close", expected: 0n, ...closing }, { entry });
  const poor = await appOf(service, { wallet: "empty" });
  const budget = await appOf(service, { policy: { budget: { total: "0.000001" } } });
  const changed = { get: () => Promise.resolve(narrowed) };
  const [record] = await keyRecords(stores.keys);
  const narrowed = { ...record, policy: { requestsPerMinute: 9 } } as KeyRecord;
  const raced = await appOf(service, { gateway: { ...gateway, keys: changed } });
  const withModels = (change: Partial<Model>) => {
    const catalog = gateway.catalogs.current();
    const models = catalog.models.map((model) => ({ ...model, ...change }));
    const catalogs = withMethods(gateway.catalogs, { current: () => ({ ...catalog, models }) });
    return appOf(service, { gateway: { ...gateway, catalogs } });
  };
  const empty = await withModels({ disabled: true });
  const short = await withModels({ contextTokens: 1 });
  const gone = await appOf(service, { policy: { embeddings: { model: "none" } } });
  for (const operation of MODEL_CALLS) {
    const isText = operation.tag === "Chat" || operation.tag === "Responses";
    const hasContext = operation.tag !== "Images";
    for (const [code, body] of [...BODIES, ...isText ? TEXT_BODIES : []]) {
      const init = initOf(operation, body);
      assertEquals(await provoked.call(app, operation, { init }), code, operation.id);
    }
    const init = initOf(operation);
    for (
      const [code, to] of [
        ["insufficient_balance", poor],
        ["key_budget_exceeded", budget],
        ["wallet_closed", closed],
        ["conflict", raced],
        ["no_model_available", empty],
        ...hasContext ? [["context_length_exceeded", short] as const] : [],
        ...operation.tag === "Embeddings" ? [["embedding_model_gone", gone] as const] : [],
      ] as const
    ) {
      assertEquals(await provoked.call(to, operation, { init }), code, operation.id);
    }
  }
});

Deno.test("an upstream that is late is refused as described", async () => {
  const timeouts = { firstByteMs: 20 };
  const upstreams = [{ id: "sim", kind: "simulator", timeouts }];
  await using service = await TestService.start({
    config: { ...simulatorCatalog(), upstreams },
  });
  const app = await appOf(service);
  for (const operation of MODEL_CALLS) {
    const init = initOf(operation, { simulate: { delayMs: 60_000 } });
    assertEquals(await provoked.call(app, operation, { init }), "upstream_timeout", operation.id);
  }
});

Deno.test("a vote on no request, and one on a refused request, are refused as described", async () => {
  await using service = await TestService.start();
  const app = await appOf(service);
  const operation = operationOf("createFeedback");
  const vote = (id: string) => initOf(operation, { request_id: id });
  assertEquals(await provoked.call(app, operation, { init: vote("none") }), "not_found");
  const [chat] = MODEL_CALLS;
  if (chat === undefined) throw new Error("No operation calls a model");
  await provoked.call(app, chat, { init: initOf(chat, { model: "other" }) });
  const { id } = await service.lastRequest();
  assertEquals(await provoked.call(app, operation, { init: vote(id) }), "conflict");
});

Deno.test("an id that two of a key's requests have is refused as described", async () => {
  await using service = await TestService.start();
  const app = await appOf(service);
  for (const text of ["one", "two"]) {
    const answer = await service.chat({ messages: [{ role: "user", content: text }] }, {
      headers: { "x-request-id": "twice" },
    });
    await answer.body?.cancel();
  }
  const operation = operationOf("getOwnRequest");
  const path = operation.path.replace("{id}", "twice");
  const init = initOf(operation);
  assertEquals(await provoked.call(app, operation, { path, init }), "conflict");
});

Deno.test("a link to pages that are switched off is refused as described", async () => {
  await using service = await TestService.start({ settings: { keyPages: false } });
  const operation = operationOf("createOwnSignInLink");
  const init = initOf(operation);
  assertEquals(await provoked.call(await appOf(service), operation, { init }), "not_found");
});

Deno.test("nothing that is described of the public listener was never answered", () => {
  provoked.assertAll(PUBLIC_OPERATIONS);
});

function operationOf(id: string): Operation {
  const operation = PUBLIC_OPERATIONS.find((one) => one.id === id);
  if (operation === undefined) throw new Error(`There is no operation "${id}"`);
  return operation;
}
