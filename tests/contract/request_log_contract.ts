import { assertEquals } from "@std/assert";
import type { RequestLog, RequestQuery, RequestRecord } from "../../gateway/ports/request_log.ts";
import { type Clauses, type Open, runContract } from "./contract.ts";

/** The `n`th request of a run, its id in order of time. */
export function record(n: number, rest: Partial<RequestRecord> = {}): RequestRecord {
  return {
    id: `log_${String(n).padStart(26, "0")}`,
    requestId: `req-${n}`,
    atMs: 1_000 + n,
    keyId: "key_1",
    walletId: "w",
    endpoint: "chat",
    stream: false,
    status: 200,
    outcome: "ok",
    durationMs: 12,
    holdIds: [`hold_${n}`],
    charged: "0.412000",
    inputTokens: 12,
    cachedInputTokens: 0,
    outputTokens: 30,
    estimated: false,
    ...rest,
  };
}

const CLAUSES: Clauses<RequestLog> = {
  "a row is found by its id": async (log) => {
    assertEquals(await log.get(record(1).id), undefined);
    // One commit each, then many in one; the last is of a request that began first.
    for (let n = 10; n < 30; n++) await log.append(record(n));
    await Promise.all(Array.from({ length: 300 }, (_, n) => log.append(record(30 + n))));
    await log.append(record(1));
    for (const n of [10, 17, 29, 30, 229, 329, 1]) {
      assertEquals(await log.get(record(n).id), record(n));
    }
    assertEquals(await log.get(record(9_999).id), undefined);
    assertEquals(await log.get("log_"), undefined);
    assertEquals(await log.get(""), undefined);
  },

  "a search is newest first and pages": async (log) => {
    await Promise.all(Array.from({ length: 250 }, (_, n) => log.append(record(n))));
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await log.search({ limit: 60, cursor });
      seen.push(...page.records.map(({ requestId }) => requestId));
      cursor = page.cursor;
    } while (cursor !== undefined);
    assertEquals(seen, Array.from({ length: 250 }, (_, n) => `req-${249 - n}`));
  },

  "a search keeps to all its conditions": async (log) => {
    const statuses = [200, 400, 429, 500, 503];
    for (const [n, status] of statuses.entries()) {
      await log.append(record(n, { status, keyId: n < 3 ? "key_1" : "key_2" }));
    }
    await log.append(record(7, { requestId: "req-1", keyId: '"keyId":"key_2"' }));
    const rows: [Omit<RequestQuery, "limit">, number[]][] = [
      [{}, [200, 503, 500, 429, 400, 200]],
      [{ requestId: "req-1" }, [200, 400]],
      [{ keyId: "key_2" }, [503, 500]],
      [{ status: "429" }, [429]],
      [{ status: "4xx" }, [429, 400]],
      [{ status: "4xx", keyId: "key_2" }, []],
      [{ sinceMs: 1_002, untilMs: 1_003 }, [500, 429]],
      [{ sinceMs: 9_999 }, []],
      [{ requestId: "nobody's" }, []],
    ];
    for (const [query, expected] of rows) {
      const { records } = await log.search({ ...query, limit: 99 });
      assertEquals(records.map(({ status }) => status), expected, JSON.stringify(query));
    }
  },
};

/** Contract of every request log. */
export function requestLogContract(name: string, open: Open<RequestLog>): void {
  runContract(name, { open, clauses: CLAUSES });
}
