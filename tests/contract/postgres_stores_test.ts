import { connect, type Sql } from "../../gateway/stores/postgres/connection.ts";
import { PostgresPasses } from "../../gateway/stores/postgres/keys/passes.ts";
import { PostgresCallerFiles } from "../../gateway/stores/postgres/files/files.ts";
import { PostgresEmbeddingPins } from "../../gateway/stores/postgres/keys/embedding_pins.ts";
import { PostgresAudits } from "../../gateway/stores/postgres/learning/audits.ts";
import { PostgresSnapshots } from "../../gateway/stores/postgres/learning/snapshots.ts";
import { PostgresVotes } from "../../gateway/stores/postgres/learning/votes.ts";
import { Batches } from "../../gateway/stores/postgres/ledger/batches.ts";
import { PostgresLedger } from "../../gateway/stores/postgres/ledger/ledger.ts";
import { migrate } from "../../gateway/stores/postgres/migrate.ts";
import { PostgresNotices } from "../../gateway/stores/postgres/notices/notices.ts";
import { PostgresOperators } from "../../gateway/stores/postgres/operators/operators.ts";
import { PostgresTrail } from "../../gateway/stores/postgres/operators/trail.ts";
import { PostgresConsoleSessions } from "../../gateway/stores/postgres/sessions/console_sessions.ts";
import { PostgresSettings } from "../../gateway/stores/postgres/settings.ts";
import { PostgresBlobs } from "../../gateway/stores/postgres/values/blobs.ts";
import { PostgresResponses } from "../../gateway/stores/postgres/values/responses.ts";
import {
  newDatabase,
  postgresBin,
  type PostgresServer,
  startPostgres,
} from "../fixtures/postgres.ts";
import { auditStoreContract } from "./audit_store_contract.ts";
import { blobStoreContract } from "./blob_store_contract.ts";
import { embeddingPinStoreContract } from "./embedding_pin_store_contract.ts";
import { consoleSessionStoreContract } from "./console_session_store_contract.ts";
import type { Open } from "./contract.ts";
import { ledgerStoreContract } from "./ledger_store_contract.ts";
import { fileStoreContract } from "./file_store_contract.ts";
import { noticeStoreContract } from "./notice_store_contract.ts";
import { operatorStoreContract } from "./operator_store_contract.ts";
import { passStoreContract } from "./pass_store_contract.ts";
import { responseStoreContract } from "./response_store_contract.ts";
import { settingsStoreContract } from "./settings_store_contract.ts";
import { snapshotStoreContract } from "./snapshot_store_contract.ts";
import { voteStoreContract } from "./vote_store_contract.ts";

const MIB = 1024 * 1024;

const bin = await postgresBin();
let server: (PostgresServer & AsyncDisposable) | undefined;

/** Opens a store in a new database of the one server of this file. */
function of<T>(make: (sql: Sql) => T): Open<T> {
  return async () => {
    server ??= await startPostgres(bin ?? "");
    const { url, drop } = await newDatabase(server);
    const sql = connect(url);
    await migrate(sql);
    const close = async () => {
      await sql.end();
      await drop();
    };
    return { store: make(sql), close };
  };
}

/** Opens a ledger as the only instance. */
async function openLedger() {
  const { store: sql, close } = await of((sql) => sql)();
  await sql`insert into instance (id) values ('one')`;
  const batches = new Batches(sql, { id: "one" });
  const ledger = new PostgresLedger(sql, batches);
  return {
    store: ledger,
    close: async () => {
      await ledger.close();
      await batches.close();
      await close();
    },
  };
}

/** A clock that tests set. */
function clocked<T>(make: (nowMs: () => number) => T): T & { passTo(nowMs: number): void } {
  let now = 10_000;
  return { ...make(() => now), passTo: (nowMs: number) => void (now = nowMs) };
}

if (bin === undefined) {
  console.error("SKIPPED: no PostgreSQL: install Debian's package postgresql, or set PG_BIN");
} else {
  settingsStoreContract("SettingsStore in PostgreSQL", of((sql) => new PostgresSettings(sql)));
  passStoreContract("PassStore in PostgreSQL", of((sql) => new PostgresPasses(sql)));
  embeddingPinStoreContract(
    "EmbeddingPinStore in PostgreSQL",
    of((sql) => new PostgresEmbeddingPins(sql)),
  );
  voteStoreContract("VoteStore in PostgreSQL", of((sql) => new PostgresVotes(sql)));
  auditStoreContract("AuditStore in PostgreSQL", of((sql) => new PostgresAudits(sql)));
  fileStoreContract(
    "CallerFileStore in PostgreSQL",
    of((sql) => new PostgresCallerFiles(sql, { maxBytes: 1_000_000 })),
  );
  noticeStoreContract(
    "NoticeStore in PostgreSQL",
    of((sql) => new PostgresNotices(sql, { id: "one" })),
  );
  operatorStoreContract(
    "Operators and audit log in PostgreSQL",
    of((sql) => ({
      operatorStore: new PostgresOperators(sql),
      trailStore: new PostgresTrail(sql),
    })),
  );
  consoleSessionStoreContract(
    "ConsoleSessionStore in PostgreSQL",
    of((sql) => new PostgresConsoleSessions(sql)),
  );
  snapshotStoreContract("SnapshotStore in PostgreSQL", of((sql) => new PostgresSnapshots(sql)));
  blobStoreContract(
    "BlobStore in PostgreSQL",
    of((sql) => clocked((nowMs) => ({ blobs: new PostgresBlobs(sql, { nowMs, maxBytes: MIB }) }))),
  );
  responseStoreContract(
    "ResponseStore in PostgreSQL",
    of((sql) =>
      clocked((nowMs) => ({
        responses: new PostgresResponses(sql, { nowMs, retention: { maxBytes: 2 * MIB } }),
      }))
    ),
  );
  ledgerStoreContract("LedgerStore in PostgreSQL", openLedger);
  Deno.test("the server of these tests stops", async () => {
    await server?.[Symbol.asyncDispose]();
  });
}
