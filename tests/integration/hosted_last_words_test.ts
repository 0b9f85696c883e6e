/**
 * The moments in which an answer with hosted tools is nearly over, or nearly not begun.
 *
 * @module
 */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { formatCredits } from "../../gateway/domain/ledger/money.ts";
import { readEvents } from "../fixtures/event_stream.ts";
import { json } from "../fixtures/fake_upstream.ts";
import {
  askHosted,
  calling,
  type HostedLab,
  hostedLab,
  responseOf,
  saying,
  SEARCH_MICROS,
  searchFor,
  TURN_MICROS,
} from "../fixtures/hosted_lab.ts";
import searxng from "../fixtures/search/searxng.json" with { type: "json" };
import { until } from "../fixtures/service.ts";

const WHOLE_MICROS = 2n * TURN_MICROS + SEARCH_MICROS;

/** Keeps a store's step waiting until the gate is opened. */
function held(store: object, step: string) {
  const reached = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  const own = Reflect.get(store, step).bind(store);
  const value = async (...args: readonly unknown[]) => {
    reached.resolve();
    await gate.promise;
    return await own(...args);
  };
  Object.defineProperty(store, step, { configurable: true, value });
  return { reached: reached.promise, open: gate.resolve };
}

async function assertOneRow({ service }: HostedLab, outcome: string): Promise<void> {
  await until(() => service.running.gateway.inFlight.count === 0, "the request to end");
  // The row of a request that ended without an answer is written beside its end.
  await service.lastRequest();
  await service.assertBooks();
  const { records } = await service.running.stores.log.search({ limit: 10 });
  assertEquals(records.map((record) => record.outcome), [outcome]);
  const spent = formatCredits((await service.wallet()).spent);
  assertEquals(records[0]?.charged, spent);
}

Deno.test("the service ends while a whole answer is being put by: it goes out whole", async () => {
  for (const stream of [true, false]) {
    await using lab = await hostedLab();
    const { model, service } = lab;
    model.answer(calling(searchFor("tides")), saying("Tides turn [1]."));
    const { gateway } = service.running;
    const keeping = held(gateway.responses, "put");
    const pending = askHosted(service, "responses", { stream });
    await keeping.reached;
    gateway.inFlight.abortAll();
    keeping.open();
    const { output } = await responseOf(await pending);
    assertEquals(output.map(({ type }) => type), ["web_search_call", "message"]);
    await assertOneRow(lab, "ok");
  }
});

Deno.test("the service ends while a whole answer is being logged: it goes out whole", async () => {
  for (const surface of ["chat", "responses"] as const) {
    await using lab = await hostedLab();
    const { model, service } = lab;
    model.answer(calling(searchFor("tides")), saying("Tides turn [1]."));
    const { gateway } = service.running;
    const logging = held(gateway.log, "append");
    const pending = askHosted(service, surface, { stream: true });
    await logging.reached;
    gateway.inFlight.abortAll();
    logging.open();
    const answer = await pending;
    if (surface === "responses") await responseOf(answer);
    else {
      const { done, events, last } = await readEvents(answer);
      assertEquals([done, events.some(({ error }) => error !== undefined)], [1, false]);
      assertEquals(last.metadata?.billing?.charged, formatCredits(WHOLE_MICROS));
    }
    await assertOneRow(lab, "ok");
  }
});

Deno.test("a caller leaves while a search is being paid: its price is in the books and the log", async () => {
  for (const stream of [true, false]) {
    await using lab = await hostedLab();
    const { model, search, service } = lab;
    // A late detection of the disconnect happens in the next turn.
    model.answer(calling(searchFor("tides")), [{ stall: true }]);
    const searched = Promise.withResolvers<void>();
    search.answer([{ until: searched.promise }, ...json(searxng)]);
    const leaving = new AbortController();
    const pending = askHosted(service, "chat", { stream, signal: leaving.signal });
    if (stream) await pending;
    await until(() => search.requests.length === 1, "the search");
    const settling = held(service.running.gateway.ledger, "settle");
    searched.resolve();
    await settling.reached;
    leaving.abort();
    await pending.then((answer) => answer.text()).catch(() => {});
    settling.open();
    await assertOneRow(lab, "client_left");
    assertEquals((await service.wallet()).spent, TURN_MICROS + SEARCH_MICROS);
  }
});

Deno.test("upstreams with drain are not called again after a disconnect", async () => {
  await using lab = await hostedLab({ more: { upstream: { onDisconnect: "drain" } } });
  const { model, second, search, service } = lab;
  model.answer(calling(searchFor("tides")), saying("Unread"));
  search.answer([{ stall: true }]);
  const leaving = new AbortController();
  const pending = askHosted(service, "chat", { signal: leaving.signal });
  await search.stalling();
  leaving.abort();
  await pending.catch(() => {});
  await assertOneRow(lab, "client_left");
  assertEquals([model.requests.length, second.requests.length], [1, 0]);
});

Deno.test("a disconnect before the answer begins prevents the search", async () => {
  await using lab = await hostedLab({ more: { upstream: { onDisconnect: "drain" } } });
  const { model, search, service } = lab;
  const gate = Promise.withResolvers<void>();
  const [head, ...rest] = calling(searchFor("tides"));
  assert(head !== undefined);
  model.answer([{ until: gate.promise }, head, ...rest]);
  const leaving = new AbortController();
  const pending = askHosted(service, "responses", { signal: leaving.signal });
  await until(() => model.requests.length === 1, "the call to reach the upstream");
  leaving.abort();
  await pending.catch(() => {});
  await new Promise((resolve) => setTimeout(resolve, 20));
  gate.resolve();
  await assertOneRow(lab, "client_left");
  assertEquals([model.requests.length, search.requests.length], [1, 0]);
  // Its place is free again.
  model.answer(saying("Next."));
  assertStringIncludes(await (await askHosted(service, "chat")).text(), "Next.");
});
