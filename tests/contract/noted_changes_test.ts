import { connect } from "../../gateway/stores/postgres/connection.ts";
import { openKvStores } from "../../gateway/stores/kv/open.ts";
import { openPostgresStores } from "../../gateway/stores/postgres/open.ts";
import {
  newDatabase,
  postgresBin,
  type PostgresServer,
  startPostgres,
} from "../fixtures/postgres.ts";
import { faultyKv } from "./faulty_kv.ts";
import { notedChangesContract } from "./noted_changes_contract.ts";

const bin = await postgresBin();
let server: (PostgresServer & AsyncDisposable) | undefined;

notedChangesContract("Noted changes in KV", async () => {
  const { faults, openKv } = faultyKv();
  const stores = await openKvStores(":memory:", { openKv });
  const setBroken = (isBroken: boolean) => {
    faults.commit = isBroken ? "before" : "none";
    return Promise.resolve();
  };
  return { store: { stores, setBroken }, close: () => stores.close() };
});

if (bin === undefined) {
  console.error("SKIPPED: no PostgreSQL: install Debian's package postgresql, or set PG_BIN");
} else {
  notedChangesContract("Noted changes in PostgreSQL", async () => {
    server ??= await startPostgres(bin);
    const { url, drop } = await newDatabase(server);
    const clock = { nowMs: () => Date.now(), monotonicMs: () => performance.now() };
    const stores = await openPostgresStores(url, { clock });
    const sql = connect(url);
    // Only the entry fails: the transaction takes its change back.
    const setBroken = async (isBroken: boolean) => {
      await sql.unsafe(
        isBroken
          ? "alter table audit_trail add constraint broken check (false) not valid"
          : "alter table audit_trail drop constraint broken",
      );
    };
    const close = async () => {
      await sql.end();
      await stores.close();
      await drop();
    };
    return { store: { stores, setBroken }, close };
  });
  Deno.test("the server of the tests of noted changes stops", async () => {
    await server?.[Symbol.asyncDispose]();
  });
}
