/**
 * `kill -9` during a split request: the cost of its ended calls stands, and no hold of the others
 * remains.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import { formatCredits, parseCredits } from "../../gateway/domain/ledger/money.ts";
import { labConfig } from "../fixtures/lab.ts";
import { CALL_MICROS, COMPARISON } from "../fixtures/orchestrated.ts";
import { until } from "../fixtures/service.ts";
import { type Doing, TaskUpstream } from "../fixtures/task_upstream.ts";
import { MortalService } from "./mortal_service.ts";

/** Time after which a shown stream has a checkpoint, in milliseconds. */
const WRITTEN_MS = 4_500;
const HALF: Doing = { stallAfter: "Half of it " };

interface Kill {
  readonly when: string;
  /** Parts that stall. */
  readonly stalled: readonly string[];
  /** Number of parts that end, the call of the planner included. */
  readonly ended: number;
  readonly stream: boolean;
  readonly choice: "all" | "final";
}

const KILLS: readonly Kill[] = [
  { when: "while it is planned", stalled: ["plan"], ended: 0, stream: true, choice: "all" },
  { when: "in its tasks", stalled: ["tea", "cocoa"], ended: 2, stream: false, choice: "final" },
  { when: "in tasks shown", stalled: ["tea", "cocoa"], ended: 2, stream: true, choice: "all" },
  { when: "in its answer", stalled: ["final"], ended: 4, stream: true, choice: "final" },
];

for (const { when, stalled, ended, stream, choice } of KILLS) {
  Deno.test(`a split request is killed ${when}: each of its holds ends, and its books are right`, async () => {
    await using stack = new AsyncDisposableStack();
    const folder = await Deno.makeTempDir();
    stack.defer(() => Deno.remove(folder, { recursive: true }));
    const upstream = stack.use(new TaskUpstream());
    const { baseUrl } = upstream;
    const config = labConfig({ id: "one", baseUrl, quality: 0.8 }, { id: "two", baseUrl });
    const service = stack.use(await MortalService.prepare({ folder, config }));
    for (const part of stalled) upstream.on(part, HALF);
    service.begin();
    await service.ready();
    await service.admin("POST", "/wallets", { id: "w", credits: "1000" });
    const { key } = await service.admin("POST", "/keys", { name: "k", wallet: "w" });
    const disconnected = ask(service, key, { stream, choice });
    const wallet = async () => await service.admin("GET", "/wallets/w");
    const least = BigInt(ended) * CALL_MICROS;
    await until(
      async () =>
        stalled.every((part) => upstream.callsFor(part).length === 1) &&
        parseCredits((await wallet()).spent) === least,
      "all but the stalled parts to end",
    );
    assert((parseCredits((await wallet()).held) ?? 0n) > 0n);
    // Text that is shown gets checkpoints meanwhile; text that is not shown never does.
    const isWritten = stream && !stalled.includes("plan");
    if (isWritten) await new Promise((resolve) => setTimeout(resolve, WRITTEN_MS));
    await service.kill();
    await disconnected;

    service.begin();
    await service.ready();
    const verified = async () => await service.admin("GET", "/ledger/verify");
    await until(async () => (await verified()).openHolds === 0, "every hold to end");
    const { ok, problems } = await verified();
    assertEquals([ok, problems], [true, []]);
    const { held, spent, available } = await wallet();
    const charged = parseCredits(spent) ?? 0n;
    assertEquals(parseCredits(held), 0n);
    assertEquals(charged + (parseCredits(available) ?? 0n), parseCredits("1000"));
    if (isWritten) assert(charged > least, spent);
    else assertEquals(spent, formatCredits(least));
    // Charges are in one row; a request without a charge may have none.
    const { requests } = await service.admin("GET", "/requests?limit=9");
    const rows = requests.map((row: { charged: string; outcome: string }) =>
      [row.charged, row.outcome].join(" ")
    );
    assertEquals(rows, charged === 0n ? rows.slice(0, 0) : [`${spent} killed`]);
  });
}

/** Sends a comparison; resolves when the connection is gone. */
async function ask(
  service: MortalService,
  key: string,
  { stream, choice }: Pick<Kill, "stream" | "choice">,
): Promise<void> {
  const messages = [{ role: "user", content: COMPARISON }];
  try {
    const response = await fetch(`${service.publicUrl}/openai/v1/chat/completions`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${key}`,
        "content-type": "application/json",
        "x-orchestration": choice,
      },
      body: JSON.stringify({ model: "auto", stream, messages }),
    });
    await response.text();
  } catch {
    // The service was killed, as the test expects.
  }
}
