import { openPostgresStores } from "../../gateway/stores/postgres/open.ts";
import {
  newDatabase,
  postgresBin,
  type PostgresServer,
  startPostgres,
} from "../fixtures/postgres.ts";
import { correctionStoreContract } from "./correction_store_contract.ts";

const bin = await postgresBin();
let server: (PostgresServer & AsyncDisposable) | undefined;

if (bin === undefined) {
  console.error("SKIPPED: no PostgreSQL: install Debian's package postgresql, or set PG_BIN");
} else {
  correctionStoreContract("Corrections in PostgreSQL", async () => {
    server ??= await startPostgres(bin);
    const { url, drop } = await newDatabase(server);
    const clock = { nowMs: () => Date.now(), monotonicMs: () => performance.now() };
    const store = await openPostgresStores(url, { clock });
    const close = async () => {
      await store.close();
      await drop();
    };
    return { store, close };
  });
  Deno.test("the server of the tests of corrections stops", async () => {
    await server?.[Symbol.asyncDispose]();
  });
}
