import { assertEquals } from "@std/assert";
import { setTimeout as delay } from "node:timers/promises";
import { Changes } from "../../gateway/stores/postgres/changes/changes.ts";
import { connect } from "../../gateway/stores/postgres/connection.ts";
import { migrate } from "../../gateway/stores/postgres/migrate.ts";
import { PostgresPassageStore } from "../../gateway/stores/postgres/passages/passages.ts";
import { systemClock } from "../../gateway/system/clock.ts";
import {
  newDatabase,
  postgresBin,
  type PostgresServer,
  startPostgres,
} from "../fixtures/postgres.ts";
import {
  embeddedFile,
  fileOf,
  passageStoreContract,
  vectorStore,
} from "./passage_store_contract.ts";

const bin = await postgresBin();
let server: (PostgresServer & AsyncDisposable) | undefined;

/** Opens the passages of so many instances on one empty database. */
async function openAll(instances: number) {
  server ??= await startPostgres(bin ?? "");
  const { url, drop } = await newDatabase(server);
  const sql = connect(url);
  await migrate(sql);
  const all = await Promise.all(
    Array.from({ length: instances }, async () => {
      const changes = await Changes.open(url, { clock: systemClock });
      const limits = { maxBytes: 1_000_000, maxStores: 3 };
      return { changes, store: await PostgresPassageStore.open(sql, changes, limits) };
    }),
  );
  const close = async () => {
    for (const { changes } of all) await changes.close();
    await sql.end();
    await drop();
  };
  return { sql, stores: all.map(({ store }) => store), close };
}

/** Waits until something is so; the test's own limit of time ends a wait in vain. */
async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await delay(10);
}

if (bin === undefined) {
  console.error("SKIPPED: no PostgreSQL: install Debian's package postgresql, or set PG_BIN");
} else {
  passageStoreContract("PassageStore in PostgreSQL", async () => {
    const { stores: [store], close } = await openAll(1);
    if (store === undefined) throw new Error("No store was opened");
    return { store, close };
  });

  Deno.test("instances share vector stores and their limits", async () => {
    const { sql, stores: [one, other], close } = await openAll(2);
    try {
      await one?.createStore(vectorStore("vs_a"));
      await until(() => other?.store("vs_a") !== undefined);
      const texts = Array.from({ length: 6 }, () => "x".repeat(50_000));
      const added = await Promise.all(
        Array.from(
          { length: 6 },
          (_, at) => (at % 2 === 0 ? one : other)?.addFile(fileOf("vs_a", `f${at}`, texts), texts),
        ),
      );
      assertEquals(added.filter((each) => each === "added").length, 3);
      await until(() => one?.store("vs_a")?.files === 3 && other?.store("vs_a")?.files === 3);
      assertEquals(one?.store("vs_a"), other?.store("vs_a"));
      const file = (await other?.files("vs_a"))?.[0];
      if (file === undefined) throw new Error("No file was added");
      assertEquals((await Array.fromAsync(one?.passages(file) ?? [])).flat(), texts);
      await one?.removeStore("vs_a");
      await until(() => other?.store("vs_a") === undefined);
      assertEquals(await other?.addFile(file, texts), "store_not_found");
      const rows = await sql`select store_id from vector_segment union all
        select store_id from vector_file`;
      assertEquals(rows.length, 0);
    } finally {
      await close();
    }
  });

  Deno.test("what takes the place of embeddings leaves no row of the former", async () => {
    const { sql, stores: [one], close } = await openAll(1);
    try {
      await one?.createStore(vectorStore("vs_a"));
      const plain = fileOf("vs_a", "file_a", ["one", "two"]);
      for (const id of ["emb_1", "emb_2"]) {
        const { file, vectors, embeddings } = embeddedFile(plain, { id });
        if (id === "emb_1") await one?.addFile(file, ["one", "two"], { vectors });
        else await one?.setEmbeddings(plain, embeddings, vectors);
      }
      const parts = async () =>
        (await sql<{ part: string }[]>`
          select distinct part_id as part from vector_segment order by part_id
        `).map(({ part }) => part);
      assertEquals(await parts(), ["emb_2", "file_a"]);
      await one?.removeFile("vs_a", "file_a");
      assertEquals(await parts(), []);
    } finally {
      await close();
    }
  });

  Deno.test("the server of these tests stops", async () => {
    await server?.[Symbol.asyncDispose]();
  });
}
