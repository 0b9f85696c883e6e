import { assertEquals } from "@std/assert";
import type { BillingMetadata } from "@svc/sdk/protocol";
import { ActiveRequest } from "./active_request.ts";
import type { RequestIdentity } from "./identity.ts";

const IDENTITY: RequestIdentity = {
  key: { id: "key_1", walletId: "w", policy: { maxChargePerRequest: "10" } } as RequestIdentity[
    "key"
  ],
  requestId: "req_1",
  logId: "log_1",
  dialect: "service",
  endpoint: "chat",
  stream: true,
};
const CONNECTION = { signal: new AbortController().signal };
const CLOCK = { nowMs: () => 0, monotonicMs: () => 0 };

function bill(charged: string, tokens: number): BillingMetadata {
  return {
    ...{ currency: "credits", charged, input_tokens: tokens, cached_input_tokens: 0 },
    ...{ output_tokens: 0, total_tokens: tokens, estimated: false, price_version: 1 },
  };
}

Deno.test("the row of a part is the request's, with the cost of all parts up to then", () => {
  const whole = new ActiveRequest(IDENTITY, CONNECTION, CLOCK);
  const [one, two] = [
    whole.part({ name: "task", stream: false }),
    whole.part({ name: "task", stream: false }),
  ];
  one.report.noteHold("hold_1");
  one.bill.update(bill("1.000000", 10));
  const end = { status: 200, outcome: "killed" } as const;
  const row = two.record({ ...end, billing: bill("0.500000", 5) });
  assertEquals([row.id, row.stream, row.charged, row.inputTokens, row.holdIds], [
    ...["log_1", true, "1.500000", 15],
    ["hold_1"],
  ]);

  two.bill.update(bill("0.500000", 5));
  whole.join(one);
  whole.join(one);
  assertEquals(whole.bill.settled?.charged, "1.000000");
  assertEquals(two.record(end).charged, "1.500000");
  whole.join(two);
  assertEquals([whole.bill.settled?.charged, whole.record(end).charged], ["1.500000", "1.500000"]);
});
