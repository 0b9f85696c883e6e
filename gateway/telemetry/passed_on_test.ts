import { assertEquals } from "@std/assert";
import { passingOn, readTraceparent } from "./passed_on.ts";

const GOOD = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

Deno.test("readTraceparent() reads what the recommendation allows, and nothing else", () => {
  assertEquals(readTraceparent(GOOD), {
    traceId: "0af7651916cd43dd8448eb211c80319c",
    spanId: "b7ad6b7169203331",
    flags: 1,
  });
  const bad = [
    null,
    "",
    GOOD.toUpperCase(),
    `${GOOD}-more`,
    ` ${GOOD}`,
    GOOD.replace("00-", "ff-"),
    GOOD.replace("0af7651916cd43dd8448eb211c80319c", "0".repeat(32)),
    GOOD.replace("b7ad6b7169203331", "0".repeat(16)),
    GOOD.slice(0, -1),
    "x".repeat(100_000),
  ];
  for (const header of bad) assertEquals(readTraceparent(header), undefined, header ?? "null");
});

Deno.test("an unrecorded context is passed on unchanged, and an invalid one is not", () => {
  const request = { logId: "l", requestId: "r", endpoint: "chat" } as const;
  const span = passingOn.begin({ ...request, traceparent: GOOD });
  assertEquals(span?.traceparent, GOOD);
  assertEquals(span?.child("chat m").child("again").traceparent, GOOD);
  assertEquals(passingOn.begin({ ...request, traceparent: null }), undefined);
  assertEquals(passingOn.begin({ ...request, traceparent: `${GOOD}, ${GOOD}` }), undefined);
});
