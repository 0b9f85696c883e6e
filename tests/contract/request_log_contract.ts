import { assertEquals } from "@std/assert";
import type {
  RequestLog,
  RequestPage,
  RequestQuery,
  RequestRecord,
} from "../../gateway/ports/request_log.ts";
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

/** A row of each kind that a filter tells from the others. */
const VARIED: readonly RequestRecord[] = [
  record(0, { walletId: "w2", charged: "9000000.740993" }),
  record(1, { endpoint: "responses", stream: true, requestId: "nul\0 lone \ud800", keyId: "k\0" }),
  record(2, { status: 502, outcome: "error", errorCode: "upstream_error" }),
  record(3, { status: 499, outcome: "client_left", atMs: 500 }),
  record(4, {
    routing: routed("acme/one", "acme", "0123abcd"),
    requestId: `long-${"x".repeat(400)}`,
  }),
  record(5, {
    routing: {
      ...routed("acme/two", "acme", "0199"),
      attempts: [
        { model: "other/one", provider: "other", outcome: "server_error", ms: 1 },
        { model: "acme/two", provider: "acme", outcome: "ok", ms: 1 },
      ],
    },
  }),
  record(6, { tasks: [taskOf("split/one", "split")] }),
];

function routed(
  model: string,
  provider: string,
  task: string,
): NonNullable<RequestRecord["routing"]> {
  return {
    ...{ model, provider, task, tier: "standard", reason: "test", considered: 1, attempts: [] },
  };
}

function taskOf(model: string, provider: string): NonNullable<RequestRecord["tasks"]>[number] {
  return {
    ...{ taskId: "t", dependsOn: [], status: "done", model, provider, startMs: 0, ms: 4 },
    ...{ inputTokens: 2, cachedInputTokens: 0, outputTokens: 3, charged: "0.400000", attempts: [] },
  };
}

const FILTERED: Clauses<RequestLog> = {
  "a search finds tags, users and safety identifiers, and nothing like them": async (log) => {
    const attributions: readonly RequestRecord["attribution"][] = [
      undefined,
      { tags: "env=prod,team=a" },
      { user: "team=a", tags: "team=ab" },
      { user: 'odd "\ud800"', safetyIdentifier: "hash" },
      { safetyIdentifier: "ann", tags: "env=prod" },
      { user: "ann" },
    ];
    for (const [n, attribution] of attributions.entries()) {
      await log.append(record(n, attribution === undefined ? {} : { attribution }));
    }
    // Hundreds of names share few places in an index.
    for (let n = 0; n < 600; n++) {
      await log.append(record(100 + n, { attribution: { user: `u${n}`, tags: `team=t${n}` } }));
    }
    const rows: [Omit<RequestQuery, "limit">, number[]][] = [
      [{ tag: "team=a" }, [1]],
      [{ tag: "team=ab" }, [2]],
      [{ tag: "env=prod" }, [4, 1]],
      [{ tag: "env=pro" }, []],
      [{ user: "ann" }, [5, 4]],
      [{ user: "team=a" }, [2]],
      [{ user: "hash" }, [3]],
      [{ user: 'odd "\ud800"' }, [3]],
      [{ user: "ann", tag: "env=prod" }, [4]],
      [{ user: "u77" }, [177]],
      [{ tag: "team=t599" }, [699]],
    ];
    for (const [query, expected] of rows) {
      const { records } = await log.search({ ...query, limit: 99 });
      const numbers = records.map(({ id }) => Number(id.slice(4)));
      assertEquals(numbers, expected, JSON.stringify(query));
    }
    const paged: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await log.search({ tag: "env=prod", limit: 1, cursor });
      paged.push(...page.records.map(({ requestId }) => requestId));
      cursor = page.cursor;
    } while (cursor !== undefined);
    assertEquals(paged, ["req-4", "req-1"]);
    assertEquals((await log.get(record(1).id))?.attribution, { tags: "env=prod,team=a" });
  },

  "each condition finds its rows, in both orders": async (log) => {
    await Promise.all(VARIED.map((one) => log.append(one)));
    const rows: [Omit<RequestQuery, "limit">, number[]][] = [
      [{ id: record(3).id }, [3]],
      [{ requestId: "nul\0 lone \ud800" }, [1]],
      [{ requestId: `long-${"x".repeat(400)}` }, [4]],
      [{ keyId: "k\0" }, [1]],
      [{ walletId: "w2" }, [0]],
      [{ endpoint: "responses" }, [1]],
      [{ outcome: "client_left" }, [3]],
      [{ errorCode: "upstream_error" }, [2]],
      [{ status: "502" }, [2]],
      [{ status: "4xx" }, [3]],
      [{ status: "2xx" }, [0, 1, 4, 5, 6]],
      [{ model: "acme/one" }, [4]],
      [{ model: "other/one" }, [5]],
      [{ model: "split/one" }, [6]],
      [{ provider: "acme" }, [4, 5]],
      [{ provider: "split" }, [6]],
      [{ task: "01" }, [4, 5]],
      [{ task: "0123" }, [4]],
      [{ task: "\0" }, []],
      [{ text: "req-" }, [0, 2, 3, 5, 6]],
      [{ text: "lone" }, [1]],
      [{ text: "nul\0" }, [1]],
      [{ text: "xxx" }, [4]],
      [{ text: "%" }, []],
      [{ text: record(2).id.slice(4) }, [2]],
      [{ minCharged: 412_000n }, [0, 1, 2, 3, 4, 5, 6]],
      [{ minCharged: 412_001n }, [0]],
      [{ minCharged: 10n ** 30n }, []],
      [{ untilMs: 999.5 }, [3]],
      [{ sinceMs: 1_004.5, untilMs: 1_005 }, [5]],
      [{ provider: "acme", model: "acme/two", status: "2xx", text: "req-5" }, [5]],
    ];
    for (const [query, expected] of rows) {
      for (const order of ["oldest", "newest"] as const) {
        const { records } = await log.search({ ...query, order, limit: 99 });
        const numbers = records.map(({ id }) => Number(id.slice(4)));
        const wanted = order === "oldest" ? expected : expected.toReversed();
        assertEquals(
          numbers,
          wanted,
          `${order} ${JSON.stringify(Object.entries(query).map(String))}`,
        );
      }
    }
    for (const one of VARIED) assertEquals(await log.get(one.id), one);
  },

  "cursors keep their place while rows arrive, in both orders": async (log) => {
    for (let n = 0; n < 7; n++) await log.append(record(n));
    const numbers = (page: RequestPage) => page.records.map(({ id }) => Number(id.slice(4)));
    const first = await log.search({ limit: 3 });
    for (let n = 7; n < 9; n++) await log.append(record(n));
    const second = await log.search({ limit: 3, cursor: first.cursor });
    const third = await log.search({ limit: 3, cursor: second.cursor });
    assertEquals([first, second, third].map(numbers), [[6, 5, 4], [3, 2, 1], [0]]);
    assertEquals(third.cursor, undefined);
    const back = await log.search({ limit: 9, order: "oldest", cursor: second.start });
    assertEquals(numbers(back), [4, 5, 6, 7, 8]);
    const newer = await log.search({ limit: 9, order: "oldest", cursor: first.start });
    assertEquals(numbers(newer), [7, 8]);
    const oldest = await log.search({ limit: 4, order: "oldest" });
    const next = await log.search({ limit: 4, order: "oldest", cursor: oldest.cursor });
    assertEquals([oldest, next].map(numbers), [[0, 1, 2, 3], [4, 5, 6, 7]]);
    const before = await log.search({ limit: 9, cursor: next.start });
    assertEquals(numbers(before), [3, 2, 1, 0]);
    assertEquals(await log.search({ limit: 9, cursor: "no cursor" }), { records: [] });
  },

  "watchers receive each row from then on, in order": async (log) => {
    await log.append(record(1));
    const [received, other] = [new Received(), new Received()];
    const unwatch = log.watch(received.tell);
    await Promise.all([2, 3, 4].map((n) => log.append(record(n))));
    const unwatchOther = log.watch(other.tell);
    await log.append(record(5));
    assertEquals(await received.numbers(4), [2, 3, 4, 5]);
    unwatch();
    await log.append(record(6));
    assertEquals(await other.numbers(2), [5, 6]);
    assertEquals(await received.numbers(4), [2, 3, 4, 5]);
    unwatchOther();
  },

  "an overview sums up all rows of its time": async (log) => {
    await Promise.all(VARIED.map((one) => log.append(one)));
    const { total, series, stepMs, uncounted } = await log.overview({
      sinceMs: 0,
      untilMs: 10_000,
    });
    assertEquals([total.requests, total.failed, total.disconnected, uncounted], [7, 1, 1, 0]);
    assertEquals([total.charged, total.inputTokens], [9_000_003_212_993n, 84]);
    assertEquals(series.map(({ atMs, rollup }) => [atMs, rollup.requests]), [[0, 7]]);
    assertEquals(stepMs, 60_000);
    assertEquals(total.models.get("split/one")?.outputTokens, 3);
    const none = await log.overview({ sinceMs: 60_000, untilMs: 120_000 });
    assertEquals([none.total.requests, none.series], [0, []]);
  },
};

/** Rows that a watcher has received. */
class Received {
  readonly #ids: number[] = [];
  #wake: () => void = () => {};

  readonly tell = ({ id }: RequestRecord): void => {
    this.#ids.push(Number(id.slice(4)));
    this.#wake();
  };

  /** Waits for a number of rows; the test's own time limit bounds it. */
  async numbers(least: number): Promise<readonly number[]> {
    while (this.#ids.length < least) await new Promise<void>((wake) => this.#wake = wake);
    return [...this.#ids];
  }
}

/** Contract of every request log. */
export function requestLogContract(name: string, open: Open<RequestLog>): void {
  runContract(name, { open, clauses: { ...CLAUSES, ...FILTERED } });
}
