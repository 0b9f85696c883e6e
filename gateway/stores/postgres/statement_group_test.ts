import { assertEquals } from "@std/assert";
import { MIGRATIONS } from "./migrate.ts";
import { BEAT, HOLDS_OF } from "./sql/instances.ts";
import { LOCK_HEAD, READ_ROWS, WRITE_ROWS } from "./sql/ledger_batch.ts";
import { statementGroup } from "./statement_group.ts";

Deno.test("every table has a group of statements", () => {
  const tables = MIGRATIONS.flatMap(({ sql }) =>
    [...sql.matchAll(/create (?:unlogged )?table (\w+)/g)].map(([, name = ""]) => name)
  );
  const without = tables.filter((name) => statementGroup(`select 1 from ${name}`) === "other");
  assertEquals([tables.length > 40, without], [true, []]);
});

Deno.test("a statement's group is that of its first table", () => {
  const groups = {
    ...{ begin: "transaction", "begin isolation level serializable": "transaction" },
    ...{ commit: "commit", rollback: "transaction", "listen svc_change": "other" },
    ...{ [LOCK_HEAD]: "ledger_lock", [READ_ROWS]: "ledger", [WRITE_ROWS]: "ledger" },
    ...{ [BEAT]: "instances", [HOLDS_OF]: "ledger", "select pg_advisory_xact_lock($1)": "other" },
    "select 1 from pg_class where name is distinct from $1": "other",
    "with t as (select 1) insert into vote select from t join wallet on true": "learning",
  };
  const named = Object.keys(groups).map((text) => [text, statementGroup(text)]);
  assertEquals(Object.fromEntries(named), groups);
});
