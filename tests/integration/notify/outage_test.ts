import { assertEquals, assertGreater } from "@std/assert";
import type { Attempted, NoticeMessage } from "../../../gateway/domain/notices/delivery.ts";
import {
  addTarget,
  NoticeWorld,
  requestOf,
  withNotices,
} from "../../../gateway/notify/notify_test_support.ts";
import { createSend } from "../../../gateway/notify/send.ts";
import { newSecret } from "../../../gateway/notify/webhook.ts";
import type { NoticeStore } from "../../../gateway/ports/notice_store.ts";
import { connect } from "../../../gateway/stores/postgres/connection.ts";
import { migrate } from "../../../gateway/stores/postgres/migrate.ts";
import { PostgresNotices } from "../../../gateway/stores/postgres/notices/notices.ts";
import { newDatabase, postgresBin, startPostgres } from "../../fixtures/postgres.ts";
import { HookServer } from "./receivers.ts";

const HOUR_S = 3_600;
/** Wallets that run low in the hour, one every three minutes. */
const WALLETS = 20;
/** An attempt has 15 seconds; the clock of the tests stands still meanwhile. */
const ATTEMPT_MS = 40;

/** Bad hours of a receiver: its address, or its answer, which may come when all is over. */
const TROUBLES: Readonly<
  Record<string, { readonly url?: string; readonly answer?: (over: Promise<void>) => Answer }>
> = {
  "is down": { url: "http://127.0.0.1:1/" },
  "answers 500": { answer: () => new Response(null, { status: 500 }) },
  "is too slow": { answer: (over) => over.then(() => new Response()) },
};

type Answer = Response | Promise<Response>;

/** Runs an hour of trouble, then good hours, over real sockets; time passes in steps. */
async function live(
  world: NoticeWorld,
  store: NoticeStore,
  { url, answer }: (typeof TROUBLES)[string],
): Promise<void> {
  await using hooks = new HookServer();
  const { promise: over, resolve: end } = Promise.withResolvers<void>();
  using _ = { [Symbol.dispose]: end };
  world.stepSeconds = 10;
  let notifier = world.notifier(store);
  const bad = await addTarget(notifier, "bad");
  const good = await addTarget(notifier, "good");
  await world.pass(10, notifier);
  let problems = 0;
  const sendTo = senderTo(url ?? hooks.url("/bad"));
  world.answers.set("bad", async (message) => {
    const attempted = await sendTo(message);
    if (!attempted.ok) problems++;
    return attempted;
  });
  if (answer !== undefined) hooks.answer = () => answer(over);
  const ids = Array.from({ length: WALLETS }, (_, number) => `wallet_${number}`);
  for (const [at, id] of ids.entries()) {
    // Every third wallet recovers while the receiver is still away.
    world.setBalance(id, 1n);
    if (at % 3 === 2) world.setBalance(`wallet_${at - 1}`, 900n);
    notifier.events.request(requestOf({ walletId: id, keyId: "key_1" }));
    await world.pass(HOUR_S / WALLETS, notifier);
    if (at % 7 !== 3) continue;
    await notifier.close();
    notifier = world.notifier(store);
  }
  assertEquals(world.arrivedAt(bad).size, 0);
  assertGreater(problems, WALLETS);
  // A good receiver noticed nothing of a bad one.
  assertEquals(world.arrivedAt(good).size, WALLETS);
  const tried = hooks.requests.map(({ headers }) => headers.get("webhook-id"));
  world.answers.delete("bad");
  for (const id of ids) world.setBalance(id, 900n);
  await world.pass(2 * HOUR_S, notifier);
  for (const id of [bad, good]) assertAllArrived(world, id);
  // Repeated attempts carried the id that arrived in the end.
  const arrivedIds = new Set(world.received.map(({ message }) => message.id));
  for (const id of tried) assertEquals(arrivedIds.has(id ?? ""), true);
  assertEquals((await store.deliveries({ state: "pending", limit: 500 })).rows, []);
  assertEquals((await store.deliveries({ state: "dead", limit: 500 })).rows, []);
  await notifier.close();
}

/** Returns the real sender of webhooks to one place. */
function senderTo(url: string): (message: NoticeMessage) => Promise<Attempted> {
  const send = createSend({
    ...{ trustedHosts: ["127.0.0.1"], nowMs: () => Date.now(), attemptMs: ATTEMPT_MS },
  });
  const place = { kind: "webhook", url, secret: newSecret() } as const;
  return (message) => send({ id: "tgt_bad", name: "bad", createdAtMs: 0, place }, message);
}

function assertAllArrived(world: NoticeWorld, target: string): void {
  const arrived = world.arrivedAt(target);
  assertEquals(arrived.size, WALLETS);
  for (const numbers of arrived.values()) assertEquals(numbers, [1, 2]);
}

for (const [trouble, receiver] of Object.entries(TROUBLES)) {
  Deno.test(`a receiver that ${trouble} for an hour gets everything, once and in order`, () =>
    withNotices((world, store) => live(world, store, receiver)));
}

const bin = await postgresBin();
if (bin === undefined) {
  console.error("SKIPPED: no PostgreSQL: install Debian's package postgresql, or set PG_BIN");
} else {
  Deno.test("a receiver in trouble for an hour gets everything from PostgreSQL, too", async (t) => {
    await using server = await startPostgres(bin);
    for (const [trouble, receiver] of Object.entries(TROUBLES)) {
      await t.step(`it ${trouble}`, async () => {
        const { url, drop } = await newDatabase(server);
        const sql = connect(url, { max: 4 });
        await migrate(sql);
        await live(new NoticeWorld(), new PostgresNotices(sql, { id: "only" }), receiver);
        await sql.end();
        await drop();
      });
    }
  });
}
