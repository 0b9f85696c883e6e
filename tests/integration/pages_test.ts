/**
 * Lists of the admin API, page after page, on each kind of store.
 *
 * @module
 */

import { assertEquals } from "@std/assert";
import { newDatabase, postgresBin, startPostgres } from "../fixtures/postgres.ts";
import { TestService } from "../fixtures/service.ts";

const LISTS = {
  wallets: "/wallets",
  keys: "/keys",
  requests: "/requests",
  entries: "/wallets/default/statement",
};

/** Returns the number of entries of a list, and the same read one by one. */
async function counts(service: TestService, list: keyof typeof LISTS): Promise<readonly number[]> {
  const read = async (query: string) => {
    const page = await service.admin("GET", `${LISTS[list]}?${query}`);
    const entries = page[list];
    return { count: Array.isArray(entries) ? entries.length : 0, cursor: page.cursor ?? null };
  };
  let count = 0;
  for (let cursor: unknown = "";;) {
    const page = await read(`limit=1${cursor === "" ? "" : `&cursor=${cursor}`}`);
    count += page.count;
    cursor = page.cursor;
    if (cursor === null) break;
  }
  return [(await read("limit=100")).count, count];
}

async function readAll(service: TestService): Promise<void> {
  for (let round = 0; round < 3; round++) {
    await service.newKey();
    const answer = await service.chat({ messages: [{ role: "user", content: "Say hello" }] });
    await answer.body?.cancel();
  }
  await service.quiet();
  // The default wallet has an opening, a credit, three holds and three settlements.
  assertEquals(
    {
      wallets: await counts(service, "wallets"),
      keys: await counts(service, "keys"),
      requests: await counts(service, "requests"),
      entries: await counts(service, "entries"),
    },
    { wallets: [4, 4], keys: [4, 4], requests: [3, 3], entries: [8, 8] },
  );
}

Deno.test("every list is read page by page on a file", async () => {
  await using service = await TestService.start();
  await readAll(service);
});

const bin = await postgresBin();
if (bin === undefined) {
  console.error("SKIPPED: no PostgreSQL: install Debian's package postgresql, or set PG_BIN");
} else {
  Deno.test("every list is read page by page on PostgreSQL", async () => {
    await using server = await startPostgres(bin);
    const { url } = await newDatabase(server);
    const settings = { store: { kind: "postgres", url } } as const;
    await using service = await TestService.start({ settings });
    await readAll(service);
  });
}
