/**
 * A key holder's view of the key's own records over HTTP: what it shows, and that it shows nothing of
 * other keys.
 *
 * @module
 */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { parseCredits } from "../../../gateway/domain/ledger/money.ts";
import { ManualClock } from "../../fixtures/service.ts";
import { HolderLab } from "./lab.ts";

const DAY_MS = 86_400_000;

Deno.test("a key shows its policy, and what is left of its limits, budgets and wallet", async () => {
  await using lab = await HolderLab.start();
  const { id, key, wallet } = await lab.service.newKey({
    policy: {
      ...{ budget: { day: "5", total: "1000" }, requestsPerMinute: 10, concurrentRequests: 2 },
      expiresAt: "2999-01-01T00:00:00+01:00",
    },
  });
  await lab.ask("Hello", { key });
  const { status, headers, body } = await lab.look("/key", key);
  assertEquals([status, headers.get("cache-control")], [200, "private, no-store"]);
  const { available, spent } = await lab.service.wallet(wallet);
  assertEquals([body.id, body.status, body.expiresAt], [id, "active", "2998-12-31T23:00:00.000Z"]);
  assertEquals(body.policy.budget, { day: "5", total: "1000" });
  assertEquals([parseCredits(body.spend.day), parseCredits(body.spend.total)], [spent, spent]);
  assert(spent > 0n);
  assertEquals([
    parseCredits(body.remaining.day),
    body.remaining.month,
    parseCredits(body.remaining.total),
  ], [
    ...[5_000_000n - spent, null, 1_000_000_000n - spent],
  ]);
  assertEquals(body.limits, {
    requestsPerMinute: { limit: 10, remaining: 9 },
    tokensPerMinute: null,
    concurrentRequests: { limit: 2, remaining: 2 },
  });
  const { available: shown, ...rest } = body.wallet;
  assertEquals([parseCredits(shown), rest], [available, {
    ...{ id: wallet, tier: "standard", held: "0.000000" },
  }]);
});

Deno.test("a policy hides the wallet, and a narrower one cannot show it again", async () => {
  await using lab = await HolderLab.start();
  const { id, key, wallet } = await lab.service.newKey({ policy: { wallet: "hidden" } });
  await lab.ask("Hello", { key, requestId: "mine" });
  const own = await lab.look("/key", key);
  assertEquals([own.status, own.body.wallet], [200, null]);
  for (const path of ["/key", "/usage", "/requests", "/requests/mine"]) {
    const { name: _name, ...body } = (await lab.look(path, key)).body;
    assert(!JSON.stringify(body).includes(wallet), path);
  }
  const { adminUrl } = lab.service.running;
  const widened = await fetch(`${adminUrl}/admin/v1/keys/${id}/narrow`, {
    method: "POST",
    headers: { authorization: "Bearer svc_test_admin_token", "content-type": "application/json" },
    body: JSON.stringify({ policy: { wallet: "shown" } }),
  });
  assertEquals([widened.status, (await widened.json()).error.param], [400, "policy.wallet"]);
});

Deno.test("a request shows its route, its attempts and its bill, and no text of the call", async () => {
  await using lab = await HolderLab.start();
  const { id: keyId, key } = await lab.service.newKey();
  await lab.service.admin("POST", `/keys/${keyId}/content-log`, { on: true });
  await lab.ask("A secret sentence", { key, requestId: "order-1" });
  const { body: list } = await lab.look("/requests", key);
  assertEquals(list.requests.length, 1);
  const [row] = list.requests;
  assertMatch(row.id, /^log_/);
  for (const id of [row.id, "order-1"]) {
    const { status, body } = await lab.look(`/requests/${id}`, key);
    assertEquals([status, body.id, body.requestId], [200, row.id, "order-1"]);
    assertEquals([body.attempts.length, body.timeline.length], [1, 1]);
    assertEquals([body.routing.model, body.settlement.holds.length], [row.model, 1]);
    assertEquals(
      [body.settlement.charged, body.settlement.holds[0].charged],
      [row.charged, row.charged],
    );
    assert(!JSON.stringify(body).includes("secret sentence"));
    for (const operators of ["content", "words", "exclusions", "scores", "feedback", "wallet"]) {
      assert(!JSON.stringify(body).includes(`"${operators}"`), operators);
    }
  }
  const shown = await lab.service.admin("GET", `/requests/${row.id}`);
  assertStringIncludes(JSON.stringify(shown.content), "secret sentence");
});

Deno.test("an id of several requests is a conflict that names their rows, each of which is shown", async () => {
  await using lab = await HolderLab.start();
  for (const text of ["one", "two"]) await lab.ask(text, { requestId: "twice" });
  const { status, headers, body } = await lab.look("/requests/twice");
  assertEquals([status, body.error.code, headers.get("x-should-retry")], [
    ...[409, "conflict", "false"],
  ]);
  const { body: list } = await lab.look("/requests?request_id=twice");
  const ids: string[] = list.requests.map(({ id }: { id: string }) => id);
  assertEquals(body.error.log_ids.toSorted(), ids.toSorted());
  assertEquals(ids.length, 2);
  for (const id of ids) assertEquals((await lab.look(`/requests/${id}`)).status, 200);
});

Deno.test("a request of another key answers like one that does not exist", async () => {
  await using lab = await HolderLab.start();
  const [mine, others] = [await lab.service.newKey(), await lab.service.newKey()];
  await lab.ask("Hello", { key: others.key, requestId: "theirs" });
  const { id } = await lab.service.lastRequest();
  const none = id.slice(0, -4) + (id.endsWith("0000") ? "1111" : "0000");
  const [missing, ...other] = [none, id, "theirs"].map((name) =>
    lab.look(`/requests/${name}`, mine.key)
  );
  const { status, body: { error: { request_id: _, ...error } } } = await missing!;
  assertEquals([status, error.code], [404, "not_found"]);
  for (const look of other) {
    const reply = await look;
    const { request_id: _, ...same } = reply.body.error;
    assertEquals([reply.status, same], [404, error]);
  }
  for (const query of [`id=${id}`, "request_id=theirs", "q=theirs", ""]) {
    assertEquals((await lab.look(`/requests?${query}`, mine.key)).body.requests, [], query);
  }
  assertEquals((await lab.look("/usage", mine.key)).body.usage, []);
  const named = await lab.look(`/requests?key=${others.id}`, mine.key);
  assertEquals([named.status, named.body.error.param], [400, "key"]);
});

Deno.test("pages of requests follow each other by their cursor, and are bounded", async () => {
  await using lab = await HolderLab.start();
  const other = await lab.service.newKey();
  for (let n = 0; n < 5; n++) {
    await lab.ask(`${n}`, { requestId: `own-${n}` });
    await lab.ask(`${n}`, { key: other.key });
  }
  const seen: string[] = [];
  let cursor = "";
  do {
    const { body } = await lab.look(`/requests?limit=2&order=oldest${cursor}`);
    seen.push(...body.requests.map(({ requestId }: { requestId: string }) => requestId));
    assert(body.requests.length <= 2);
    cursor = body.cursor === null ? "" : `&cursor=${body.cursor}`;
  } while (cursor !== "");
  assertEquals(seen, [0, 1, 2, 3, 4].map((n) => `own-${n}`));
  for (const wrong of ["limit=0", "limit=501", "limit=1&limit=2", "cursor=x", "color=red"]) {
    for (const path of ["/requests", "/usage"]) {
      const { status, body } = await lab.look(`${path}?${wrong}`);
      assertEquals([status, body.error.code], [400, "invalid_request"], `${path} ${wrong}`);
    }
  }
});

Deno.test("usage is summed by day and by model for the key alone, for a bounded time", async () => {
  const clock = new ManualClock();
  await using lab = await HolderLab.start({ clock });
  const { key, wallet } = await lab.service.newKey();
  await lab.ask("one", { key });
  clock.advance(DAY_MS);
  await lab.ask("two", { key });
  await lab.ask("other", {});
  const { body: days } = await lab.look("/usage", key);
  assertEquals(
    days.usage.map(({ day, requests }: { day: string; requests: number }) => [day, requests]),
    [
      ...[["2026-01-15", 1], ["2026-01-16", 1]],
    ],
  );
  const { body: models } = await lab.look("/usage?by=model", key);
  const total = (rows: { charged: string }[]) =>
    rows.reduce((sum, { charged }) => sum + (parseCredits(charged) ?? 0n), 0n);
  const { spent } = await lab.service.wallet(wallet);
  assertEquals([total(days.usage), total(models.usage)], [spent, spent]);
  assertEquals((await lab.look("/usage?since=12h", key)).body.usage.length, 1);
  const page = await lab.look("/usage?limit=1", key);
  assertEquals([page.body.usage.length, page.body.cursor], [1, "p.1"]);
  assertEquals((await lab.look("/usage?limit=1&cursor=p.1", key)).body.usage[0].day, "2026-01-16");
  for (const wrong of ["since=94d", "by=key", "by=tag"]) {
    assertEquals((await lab.look(`/usage?${wrong}`, key)).status, 400, wrong);
  }
});

Deno.test("usage goes along with a key that moves between wallets, and back", async () => {
  const clock = new ManualClock();
  await using lab = await HolderLab.start({ clock });
  const [{ id, key, wallet }, other] = [await lab.service.newKey(), await lab.service.newKey()];
  const counts = async (query = "") => {
    const { body } = await lab.look(`/usage${query}`, key);
    return body.usage.map(({ requests }: { requests: number }) => requests);
  };
  const move = (to: string) => {
    clock.advance(DAY_MS);
    return lab.service.admin("POST", `/keys/${id}/move`, { wallet: to, note: "Another team" });
  };
  await lab.ask("one", { key });
  await move(other.wallet);
  await lab.ask("two", { key });
  await lab.ask("not of the key", { key: other.key });
  assertEquals(await counts(), [1, 1]);
  // A time that ends before the move has the same sum as before it.
  assertEquals(await counts("?until=2026-01-15T23:59:59Z"), [1]);
  await move(wallet);
  await lab.ask("three", { key });
  assertEquals(await counts(), [1, 1, 1]);
  assertEquals(await counts("?since=36h"), [1, 1]);
});

Deno.test("a disabled key sees nothing any more", async () => {
  await using lab = await HolderLab.start();
  const { id, key } = await lab.service.newKey();
  await lab.service.admin("POST", `/keys/${id}/disable`);
  for (const path of ["/key", "/usage", "/requests", "/requests/x"]) {
    const { status, body } = await lab.look(path, key);
    assertEquals([status, body.error.code], [401, "invalid_api_key"], path);
  }
});

Deno.test("a key that asks too often waits, and its calls go on", async () => {
  await using lab = await HolderLab.start({ clock: new ManualClock() });
  const { key } = await lab.service.newKey();
  for (let n = 0; n < 120; n++) assertEquals((await lab.look("/key", key)).status, 200);
  const { status, headers } = await lab.look("/requests", key);
  assertEquals([status, headers.has("retry-after")], [429, true]);
  await lab.ask("Hello", { key });
  assertEquals((await lab.look("/key")).status, 200);
});
