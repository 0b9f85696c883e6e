import { assertEquals, assertLessOrEqual } from "@std/assert";
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
  return {
    sql,
    stores: all.map(({ store }) => store),
    changes: all.map(({ changes }) => changes),
    close,
  };
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

  Deno.test("an instance hears of new attributes", async () => {
    const { stores: [one, other], close } = await openAll(2);
    try {
      await one?.createStore(vectorStore("vs_a"));
      const file = fileOf("vs_a", "file_a", ["one"]);
      await one?.addFile(file, ["one"]);
      await until(() => other?.store("vs_a")?.revision === 1);
      await one?.setAttributes(file, { room: "tower" });
      // A changed revision is what has a loaded index read the files again.
      await until(() => other?.store("vs_a")?.revision === 2);
      assertEquals((await other?.files("vs_a"))?.[0]?.attributes, { room: "tower" });
    } finally {
      await close();
    }
  });

  Deno.test("a store of another instance is found at once, and its removal is not forgotten", async () => {
    const { stores: [one, other], close } = await openAll(2);
    try {
      for (let round = 0; round < 10; round++) {
        const id = `vs_${round}`;
        const matches = Array.from({ length: 5 }, (_, at) => other?.find(`vs_none_${at}`));
        await one?.createStore(vectorStore(id, round));
        const text = ["The lamp is green"];
        await one?.addFile(fileOf(id, `file_${round}`, text), text);
        assertEquals((await other?.find(id))?.id, id);
        assertEquals((await other?.storesOf("team"))?.map((store) => store.id), [id]);
        assertEquals(await other?.storesOf("nobody"), []);
        assertEquals(await Promise.all(matches), Array(5).fill(undefined));
        const finding = other?.find(id);
        await one?.removeStore(id);
        await finding;
        await until(() => other?.store(id) === undefined);
        assertEquals(await other?.find(id), undefined);
      }
    } finally {
      await close();
    }
  });

  Deno.test("an instance that has not heard of a store finds it", async () => {
    const { sql, stores: [one], changes: [, deaf], close } = await openAll(2);
    try {
      if (deaf === undefined) throw new Error("No instance was opened");
      await deaf.close();
      const other = await PostgresPassageStore.open(sql, deaf);
      await one?.createStore(vectorStore("vs_a"));
      const texts = ["The lamp is green"];
      const file = fileOf("vs_a", "file_a", texts);
      assertEquals(await one?.addFile(file, texts), "added");
      assertEquals(other.store("vs_a"), undefined, "nobody has said so");
      assertEquals((await other.find("vs_a"))?.files, 1);
      await one?.createStore(vectorStore("vs_b"));
      assertEquals((await other.storesOf("team")).map(({ id }) => id), ["vs_a", "vs_b"]);
      assertEquals(other.store("vs_b")?.ownerId, "team");
    } finally {
      await close();
    }
  });

  Deno.test("ids that nobody made are one question at a time, however many callers ask", async () => {
    const { sql, changes: [first], close } = await openAll(1);
    try {
      let questions = 0;
      const counting = new Proxy(sql, {
        apply: (target, self, args) => {
          questions++;
          return Reflect.apply(target, self, args);
        },
      });
      if (first === undefined) throw new Error("No instance was opened");
      const store = await PostgresPassageStore.open(counting, first);
      questions = 0;
      const ids = Array.from({ length: 500 }, (_, at) => `vs_none_${at}`);
      assertEquals(await Promise.all(ids.map((id) => store.find(id))), ids.map(() => undefined));
      assertLessOrEqual(questions, 2);
    } finally {
      await close();
    }
  });

  Deno.test("callers' text at two instances at once stays within the owner's maximum", async () => {
    const { stores: [one, other], close } = await openAll(2);
    try {
      for (const id of ["vs_a", "vs_b"]) {
        await one?.createStore({ ...vectorStore(id), isCallers: true });
      }
      const added = await Promise.all(Array.from({ length: 10 }, (_, at) => {
        const instance = at % 2 === 0 ? one : other;
        const file = fileOf(at % 3 === 0 ? "vs_a" : "vs_b", `f${at}`, ["x".repeat(10)]);
        return instance?.addFile(file, ["x".repeat(10)], { ownerMaxTextBytes: 45 });
      }));
      assertEquals(added.filter((each) => each === "added").length, 4);
      assertEquals(added.filter((each) => each === "owner_full").length, 6);
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
