import { assert, assertEquals, assertRejects } from "@std/assert";
import { ToolError } from "@svc/tools";
import type { KeyRecord } from "../../domain/policy/key.ts";
import type { KeyPolicy } from "../../domain/policy/policy.ts";
import type { SettlementRows } from "../../ports/ledger_store.ts";
import { systemClock } from "../../system/clock.ts";
import { ActiveRequest } from "../request/active_request.ts";
import { type SearchFeeDeps, SearchFees } from "./search_fees.ts";

const PRICE = { fee: 10n, priceVersion: 3 };

/** Fees before a ledger that takes every hold, but for those of which `holds` says otherwise. */
function feesOf(
  options: { policy?: KeyPolicy; refuses?: boolean; settle?: () => Promise<unknown> } = {},
) {
  const events: string[] = [];
  const killed: unknown[] = [];
  const note = (event: string) => void events.push(event);
  let holds = 0;
  const key: KeyRecord = {
    id: "key_1",
    name: "n",
    walletId: "w",
    status: "active",
    policy: options.policy ?? {},
    hint: "",
    createdAtMs: 0,
  };
  const deps = {
    clock: systemClock,
    rng: { id: () => `hold_${++holds}` },
    keys: { get: () => Promise.resolve(key) },
    ledger: {
      hold: ({ holdId, amount }: { holdId: string; amount: bigint }) => {
        note(`hold ${amount}`);
        const refusal = { ok: false, refusal: "insufficient_balance" };
        return Promise.resolve(
          options.refuses ? refusal : { ok: true, value: { holdId, held: amount } },
        );
      },
      settle: ({ holdId, cost }: { holdId: string; cost: bigint }, rows: SettlementRows) => {
        note(`settle ${holdId} ${cost}`);
        killed.push(rows.killedRow?.holdIds.length);
        return options.settle?.() ?? Promise.resolve({ ok: true });
      },
      voidHold: ({ holdId }: { holdId: string }) => {
        note(`void ${holdId}`);
        return Promise.resolve({ ok: true });
      },
    },
    settlementRetries: { add: ({ kind }: { kind: string }) => note(`late ${kind}`) },
  } as unknown as SearchFeeDeps;
  const active = new ActiveRequest(
    {
      key,
      requestId: "req_1",
      logId: "log_1",
      dialect: "service",
      endpoint: "responses",
      stream: false,
    },
    { signal: new AbortController().signal },
    systemClock,
  );
  return { events, killed, active, fees: new SearchFees(deps, active) };
}

function codeOf(error: unknown): unknown {
  assert(error instanceof ToolError);
  return error.code;
}

Deno.test("a search is held, then run, then settled, and is on the bill", async () => {
  const { events, fees, active } = feesOf();
  const run = () => Promise.resolve(events.push("run"));
  await fees.pay(PRICE, run);
  await fees.pay(PRICE, run);
  assertEquals(events.slice(0, 3), ["hold 10", "run", "settle hold_1 10"]);
  assertEquals([active.bill.settled?.charged, active.bill.settled?.price_version], ["0.000020", 3]);
  assertEquals(active.record({ status: 200, outcome: "ok" }).holdIds, ["hold_1", "hold_2"]);
});

Deno.test("every settled search keeps the request's row for a death of the gateway", async () => {
  const { fees, killed } = feesOf();
  await fees.pay(PRICE, () => Promise.resolve());
  await Promise.all([1, 2].map(() => fees.pay(PRICE, () => Promise.resolve())));
  assertEquals(killed, [1, 3, 3]);
});

Deno.test("a failed search returns its hold; a search without a price has none", async () => {
  const { events, fees, active } = feesOf();
  const failure = new Error("down");
  const fails = () => Promise.reject(failure);
  assertEquals(await assertRejects(() => fees.pay(PRICE, fails)), failure);
  assertEquals(await assertRejects(() => fees.pay({ ...PRICE, fee: 0n }, fails)), failure);
  assertEquals(events, ["hold 10", "void hold_1"]);
  assertEquals(active.bill.settled, undefined);
});

Deno.test("a search that cannot be paid for does not run", async () => {
  const never = () => Promise.reject(new Error("ran"));
  const poor = feesOf({ refuses: true });
  assertEquals(
    codeOf(await assertRejects(() => poor.fees.pay(PRICE, never))),
    "insufficient_balance",
  );
  const capped = feesOf({ policy: { maxChargePerRequest: "0.000009" } });
  assertEquals(
    codeOf(await assertRejects(() => capped.fees.pay(PRICE, never))),
    "insufficient_balance",
  );
  assertEquals(capped.events, []);
});

Deno.test("a cap holds for concurrent searches, and a failed one frees its share", async () => {
  const { fees } = feesOf({ policy: { maxChargePerRequest: "0.000025" } });
  const gate = Promise.withResolvers<void>();
  const [one, two, three] = [1, 2, 3].map(() => fees.pay(PRICE, () => gate.promise));
  await assertRejects(() => three ?? Promise.resolve(), ToolError);
  gate.reject(new Error("down"));
  await Promise.allSettled([one, two]);
  await fees.pay(PRICE, () => Promise.resolve());
});

Deno.test("a settlement that fails: the search is not used, and not paid for", async () => {
  const failure = new Error("disk full");
  const { events, fees, active } = feesOf({ settle: () => Promise.reject(failure) });
  const error = await assertRejects(() => fees.pay(PRICE, () => Promise.resolve("found")));
  assertEquals(error, failure);
  assertEquals([events.at(-1), active.bill.settled], ["late void", undefined]);
});

Deno.test("the end of an answer can wait for the searches in progress", async () => {
  const { events, fees } = feesOf();
  await fees.settled();
  const gate = Promise.withResolvers<void>();
  const paying = fees.pay(PRICE, () => gate.promise);
  const settled = fees.settled().then(() => events.push("settled"));
  gate.resolve();
  await Promise.all([paying, settled]);
  assertEquals(events.at(-1), "settled");
});
