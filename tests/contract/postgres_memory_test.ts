import { assert, assertEquals, assertStrictEquals } from "@std/assert";
import { conversationOf } from "../../gateway/domain/requests/features.ts";
import { SearchMemory } from "../../gateway/flows/hosted/search_memory.ts";
import {
  ConversationModels,
  conversationName,
} from "../../gateway/flows/plan/conversation_models.ts";
import { SignatureMemory } from "../../gateway/flows/plan/signature_memory.ts";
import { Recall } from "../../gateway/flows/recall/recall.ts";
import { MEMORY_CAPACITY, type MemoryName } from "../../gateway/ports/caller_memory.ts";
import type { JsonBody } from "../../gateway/ports/upstream.ts";
import { connect, type Sql } from "../../gateway/stores/postgres/connection.ts";
import { PostgresCallerMemory } from "../../gateway/stores/postgres/memory/caller_memory.ts";
import { migrate } from "../../gateway/stores/postgres/migrate.ts";
import {
  newDatabase,
  postgresBin,
  type PostgresServer,
  startPostgres,
} from "../fixtures/postgres.ts";

const bin = await postgresBin();
let server: (PostgresServer & AsyncDisposable) | undefined;

/** Runs a test in a new database. */
function test(name: string, run: (sql: Sql) => Promise<void>): void {
  Deno.test(`CallerMemory in PostgreSQL: ${name}`, async () => {
    server ??= await startPostgres(bin ?? "");
    const { url, drop } = await newDatabase(server);
    const sql = connect(url);
    try {
      await migrate(sql);
      await run(sql);
    } finally {
      await sql.end();
      await drop();
    }
  });
}

/** An instance, as model calls use it. */
function instance(sql: Sql) {
  const memory = new PostgresCallerMemory(sql);
  const conversations = new ConversationModels(memory);
  const signatures = new SignatureMemory(memory);
  const searchMemory = new SearchMemory(memory);
  const own = { memory, conversations, signatures, searchMemory };
  return { ...own, recall: new Recall(own) };
}

function body(value: Readonly<Record<string, unknown>>): JsonBody {
  return { text: JSON.stringify(value), value };
}

function call(id: string) {
  return { id, type: "function", function: { name: "f", arguments: "{}" } };
}

/** A chat after so many calls, one in each turn. */
function chatAfter(...ids: readonly string[]): JsonBody {
  const turns = ids.flatMap((id) => [
    { role: "assistant", tool_calls: [call(id)] },
    { role: "tool", tool_call_id: id, content: "1" },
  ]);
  return body({ model: "auto", messages: [{ role: "user", content: "q\u0000" }, ...turns] });
}

function signed(id: string) {
  return { ...{ id, name: "f", arguments: "{}" }, opaque: new Map([["thought_signature", '"s"']]) };
}

const NAME = conversationName("key_1", conversationOf([{ role: "user", content: "q\u0000" }]));

if (bin === undefined) {
  console.error("SKIPPED: no PostgreSQL: install Debian's package postgresql, or set PG_BIN");
} else {
  test("each turn reaches another instance, with its signatures and its model", async (sql) => {
    const instances = [instance(sql), instance(sql), instance(sql)] as const;
    assertEquals(instances[0].recall.chat("key_1", chatAfter()), undefined);
    const ids: string[] = [];
    for (const turn of [0, 1, 2, 3, 4, 5]) {
      const here = instances[turn % 3] ?? instances[0];
      const request = chatAfter(...ids);
      await here.recall.chat("key_1", request);
      const restored = here.signatures.restore("key_1", request);
      assertEquals(restored.text.split('"thought_signature":"s"').length - 1, turn);
      assertEquals(here.conversations.get(NAME), turn === 0 ? undefined : `model ${turn - 1}`);
      here.conversations.set(NAME, `model ${turn}`);
      ids.push(`call\u0000 ${turn}`);
      here.signatures.remember("key_1", [signed(`call\u0000 ${turn}`)]);
      await here.memory.written();
    }
  });

  test("results of searches reach another instance, by item and by call", async (sql) => {
    const [one, other] = [instance(sql), instance(sql)];
    const findings = new Map([["ws_1", "Results 1"]]);
    one.searchMemory.remember("key_1", { findings, calls: [JSON.stringify(call("a"))] });
    await one.memory.written();
    const items = [body({ type: "web_search_call", id: "ws_1" })];
    await other.recall.searches("key_1", items);
    assertEquals(other.searchMemory.ofItems("key_1", items), findings);
    // Nothing is read a second time.
    assertEquals(other.recall.searches("key_1", items), undefined);
    await other.recall.chat("key_1", chatAfter("a"));
    assert(other.searchMemory.restore("key_1", chatAfter("a")).text.includes("Results 1"));
  });

  test("another key gets nothing", async (sql) => {
    const [one, other] = [instance(sql), instance(sql)];
    one.signatures.remember("key_1", [signed("a")]);
    one.conversations.set(NAME, "model");
    const calls = [JSON.stringify(call("a"))];
    one.searchMemory.remember("key_1", { findings: new Map([["ws_1", "Results"]]), calls });
    await one.memory.written();
    const request = chatAfter("a");
    await other.recall.chat("key_2", request);
    await other.recall.searches("key_2", [body({ type: "web_search_call", id: "ws_1" })]);
    assertStrictEquals(other.signatures.restore("key_2", request), request);
    assertStrictEquals(other.searchMemory.restore("key_2", request), request);
    assertStrictEquals(other.signatures.restore("key_1", request), request);
    assertEquals(other.conversations.get(NAME), undefined);
  });

  test("the bound holds for all instances together, and the oldest go", async (sql) => {
    const capacity = { ...MEMORY_CAPACITY, signature: 100 };
    const memories = [1, 2].map(() => new PostgresCallerMemory(sql, { capacity }));
    const names = Array.from({ length: 60 }, (_, at): MemoryName => (
      { kind: "signature", id: `${at}` }
    ));
    for (const [at, name] of names.entries()) {
      memories[at % 2]?.note(name, { text: "text", size: 10 });
      // A second note of a name counts once.
      memories[at % 2]?.note(name, { text: `text ${at}`, size: 5 });
      if (at % 7 === 0) await Promise.all(memories.map((memory) => memory.written()));
      const [row] = await sql<{ size: number; counted: number }[]>`
        select coalesce(sum(size), 0)::int as size, (select size::int from caller_memory_head) as counted
        from caller_memory
      `;
      assert((row?.size ?? 0) <= 100, `${row?.size} of 100`);
    }
    await Promise.all(memories.map((memory) => memory.written()));
    const [row] = await sql<{ same: boolean; newest: number }[]>`
      select sum(size) = (select size from caller_memory_head) as same,
        max(id::int) as newest from caller_memory
    `;
    assertEquals([row?.same, row?.newest], [true, 59]);
    assertEquals(await memories[0]?.read(names.slice(0, 30)), []);
    assertEquals((await memories[0]?.read(names.slice(58)))?.map(({ text }) => text).sort(), [
      "text 58",
      "text 59",
    ]);
  });

  test("a write is waited for, but not those that come after it", async (sql) => {
    const [memory, other] = [new PostgresCallerMemory(sql), new PostgresCallerMemory(sql)];
    let count = 0;
    const note = () => {
      memory.note({ kind: "conversation", id: `${count++}` }, { text: "model", size: 1 });
    };
    note();
    const busy = setInterval(note, 0);
    for (let turn = 0; turn < 20; turn++) {
      const last = { kind: "conversation", id: `${count}` } as const;
      note();
      await memory.written();
      assertEquals((await other.read([last])).length, 1);
    }
    clearInterval(busy);
    await memory.close();
  });

  test("what is noted while the database is away is written afterwards", async (sql) => {
    const heard: unknown[] = [];
    const memory = new PostgresCallerMemory(sql, { onError: (error) => heard.push(error) });
    await sql`alter table caller_memory rename to away`;
    memory.note({ kind: "conversation", id: "c" }, { text: "old", size: 1 });
    while (heard.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    memory.note({ kind: "conversation", id: "c" }, { text: "new", size: 1 });
    await sql`alter table away rename to caller_memory`;
    await memory.written();
    const other = new PostgresCallerMemory(sql);
    assertEquals(await other.read([{ kind: "conversation", id: "c" }]), [
      { kind: "conversation", id: "c", text: "new" },
    ]);
    await memory.close();
  });

  Deno.test("the server of these tests stops", async () => {
    await server?.[Symbol.asyncDispose]();
  });
}
