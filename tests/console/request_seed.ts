/**
 * Calls of every kind, for the pages that show them: a day of a small team before now as rows of the
 * log, and some real calls to the simulator that end in every way that calls end.
 *
 * @module
 */

import type { RequestRecord } from "../../gateway/ports/request_log.ts";
import { type TestKey, type TestService, until } from "../fixtures/service.ts";

const MINUTE_MS = 60_000;

/** Request ids of the real calls, to find them by. */
export const SEEDED = {
  answered: "checkout-7f3a91",
  streamed: "support-chat-20931",
  failover: "report-2026-11-0042",
  split: "compare-vendors-118",
  cut: "support-chat-20944",
  left: "support-chat-20947",
  failed: "nightly-summary-0031",
  refused: "playground-try-3",
  poor: "trial-account-17",
  drawn: "campaign-banner-5",
  logged: "support-chat-20951",
} as const;

/** A question that is split. */
export const COMPOUND = "Compare tea, coffee and cocoa in terms of health, cost and history.";

/** Makes them all; what it makes is the same each time but for its times. */
export async function someRequests(service: TestService): Promise<void> {
  const names = ["storefront", "support-agents", "nightly-batch", "trial"];
  const keys: TestKey[] = [];
  for (const name of names) {
    const wallet = `wallet-${name}`;
    await service.admin("POST", "/wallets", {
      id: wallet,
      credits: name === "trial" ? "0.0001" : "5000",
    });
    const made = await service.admin("POST", "/keys", { name, wallet, policy: {} });
    keys.push({ id: String(made.id), key: String(made.key), wallet });
  }
  await aDay(service, keys);
  const [storefront, support, batch, trial] = keys;
  if (!storefront || !support || !batch || !trial) return;
  await realCalls(service, { storefront, support, batch, trial });
}

/** Two days of rows, busier by day than by night, the second a little busier than the first. */
async function aDay({ running }: TestService, keys: readonly TestKey[]): Promise<void> {
  const { log } = running.stores;
  const nowMs = Date.now();
  let drawn = 7;
  const next = () => (drawn = drawn * 48_271 % 2_147_483_647) / 2_147_483_647;
  const rows: RequestRecord[] = [];
  for (let minute = 2_879; minute > 2; minute -= 3) {
    const hour = new Date(nowMs - minute * MINUTE_MS).getUTCHours();
    const busy = 0.15 + 0.85 * Math.max(0, Math.sin((hour - 5) / 16 * Math.PI));
    if (next() > busy * (minute < 1_440 ? 1 : 0.8)) continue;
    const key = keys[Math.floor(next() * 2.4)];
    if (key === undefined) continue;
    const atMs = nowMs - minute * MINUTE_MS;
    rows.push(row({ n: rows.length, atMs, key, next }));
  }
  for (const each of rows) await log.append(each);
}

function row(
  { n, atMs, key, next }: { n: number; atMs: number; key: TestKey; next: () => number },
): RequestRecord {
  const large = next() < 0.3;
  const model = large ? "svc/sim-large" : next() < 0.6 ? "svc/sim-small" : "svc/sim-vision";
  const [inputTokens, outputTokens] = [
    Math.round(200 + next() * 3_000),
    Math.round(40 + next() * 900),
  ];
  const stream = next() < 0.6;
  const durationMs = Math.round((large ? 1_800 : 500) * (0.5 + 2 * next() ** 3) + outputTokens);
  const micros = Math.ceil((inputTokens + 4 * outputTokens) * (large ? 2_500 : 250) / 1_000);
  const ending = next();
  const served: RequestRecord = {
    ...{ id: `log_day_${n}`, requestId: `req_${(n * 7_919).toString(36).padStart(6, "0")}`, atMs },
    ...{ keyId: key.id, walletId: key.wallet, stream, durationMs, inputTokens, outputTokens },
    ...{ endpoint: next() < 0.7 ? "chat" : "responses", cachedInputTokens: 0, estimated: false },
    ...{ status: 200, outcome: "ok", holdIds: [], charged: (micros / 1_000).toFixed(6) },
    ...(stream ? { firstByteMs: Math.round(durationMs * 0.2) } : {}),
    routing: {
      ...{ model, provider: "simulator", tier: "standard", reason: "Best score", considered: 4 },
      attempts: [{ model, provider: "simulator", outcome: "ok", status: 200, ms: durationMs - 3 }],
    },
  };
  const nothing = { charged: "0.000000", inputTokens: 0, outputTokens: 0, routing: undefined };
  if (ending < 0.03) {
    return {
      ...served,
      ...nothing,
      status: 429,
      outcome: "error",
      errorCode: "rate_limit_exceeded",
      durationMs: 2,
    };
  }
  if (ending < 0.045) {
    return { ...served, ...nothing, status: 502, outcome: "error", errorCode: "upstream_error" };
  }
  if (ending < 0.055) return { ...served, outcome: "client_left" };
  return served;
}

type Keys = Readonly<Record<"storefront" | "support" | "batch" | "trial", TestKey>>;

async function realCalls(service: TestService, keys: Keys): Promise<void> {
  const ask = async (
    id: string,
    key: TestKey,
    { content = "Say hello to our customer.", ...body }: Readonly<Record<string, unknown>> = {},
  ) => {
    const messages = [{ role: "user", content }];
    const headers = { "x-request-id": id };
    const answer = await service.chat({ messages, ...body }, { key: key.key, headers });
    await answer.text().catch(() => "");
  };
  await ask(SEEDED.answered, keys.storefront);
  await ask(SEEDED.streamed, keys.support, { stream: true, simulate: { chunkDelayMs: 5 } });
  const once = { id: "seed", failures: 1, error: 503 };
  await ask(SEEDED.failover, keys.batch, { simulate: { ...once, delayMs: 40 } });
  await ask(SEEDED.split, keys.support, { content: COMPOUND, simulate: { delayMs: 30 } });
  await ask(SEEDED.cut, keys.support, { stream: true, simulate: { cutAfter: 4 } });
  await ask(SEEDED.failed, keys.batch, { simulate: { error: 500 } });
  await ask(SEEDED.refused, keys.storefront, { model: "gpt-5" });
  await ask(SEEDED.poor, keys.trial, { content: "A long story. ".repeat(200) });
  await leave(service, keys.support);
  const drawn = await fetch(`${service.openaiUrl}/images/generations`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      authorization: `Bearer ${keys.storefront.key}`,
      "x-request-id": SEEDED.drawn,
    },
    body: JSON.stringify({ model: "auto", prompt: "A lighthouse", size: "256x256" }),
  });
  await drawn.text();
  await service.admin("POST", `/keys/${keys.batch.id}/content-log`, { on: true });
  await ask(SEEDED.logged, keys.batch, {
    content: "Write to anna@example.com, my card 4111 1111 1111 1111.",
  });
  await service.admin("POST", `/keys/${keys.batch.id}/content-log`, { on: false });
  await service.quiet();
  const { log } = service.running.stores;
  const isLogged = async () =>
    (await log.search({ requestId: SEEDED.left, limit: 1 })).records.length > 0;
  await until(isLogged, "the call that was left to be logged");
}

/** A caller who goes in the middle of an answer. */
async function leave(service: TestService, { key }: TestKey): Promise<void> {
  const leaving = new AbortController();
  const messages = [{ role: "user", content: "Tell me everything." }];
  const answer = await service.chat(
    { messages, stream: true, simulate: { repeat: 200, chunkDelayMs: 20 } },
    { key, headers: { "x-request-id": SEEDED.left }, signal: leaving.signal },
  );
  const reader = answer.body?.getReader();
  await reader?.read();
  leaving.abort();
  await reader?.cancel().catch(() => {});
}
