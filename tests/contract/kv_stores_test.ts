import { SessionMemory } from "../../gateway/flows/operators/session_memory.ts";
import { join } from "@std/path";
import { type KvStores, openKvStores } from "../../gateway/stores/kv/open.ts";
import { auditStoreContract } from "./audit_store_contract.ts";
import { catalogStoreContract } from "./catalog_store_contract.ts";
import { embeddingPinStoreContract } from "./embedding_pin_store_contract.ts";
import { keyStoreContract } from "./key_store_contract.ts";
import type { Open } from "./contract.ts";
import { fileStoreContract } from "./file_store_contract.ts";
import { correctionStoreContract } from "./correction_store_contract.ts";
import { ledgerStoreContract } from "./ledger_store_contract.ts";
import { noticeStoreContract } from "./notice_store_contract.ts";
import { consoleSessionStoreContract } from "./console_session_store_contract.ts";
import { operatorStoreContract } from "./operator_store_contract.ts";
import { passStoreContract } from "./pass_store_contract.ts";
import { requestLogContract } from "./request_log_contract.ts";
import { settingsStoreContract } from "./settings_store_contract.ts";
import { snapshotStoreContract } from "./snapshot_store_contract.ts";
import { voteStoreContract } from "./vote_store_contract.ts";

// The contracts' requests are of the first seconds of 1970.
const options = { nowMs: () => 10_000, callerFileRetention: { maxBytes: 1_000_000 } };

const KINDS: Record<string, () => Promise<{ stores: KvStores; remove(): Promise<void> }>> = {
  "memory": async () => ({
    stores: await openKvStores(":memory:", options),
    remove: () => Promise.resolve(),
  }),
  "file": async () => {
    const folder = await Deno.makeTempDir();
    const stores = await openKvStores(join(folder, "svc.kv"), options);
    return { stores, remove: () => Deno.remove(folder, { recursive: true }) };
  },
};

for (const [kind, openKind] of Object.entries(KINDS)) {
  const of = <T>(pick: (stores: KvStores) => T): Open<T> => async () => {
    const { stores, remove } = await openKind();
    const close = async () => {
      await stores.close();
      await remove();
    };
    return { store: pick(stores), close };
  };
  ledgerStoreContract(`LedgerStore in KV, ${kind}`, of((stores) => stores.ledger));
  keyStoreContract(`KeyStore in KV, ${kind}`, of((stores) => stores.keys));
  catalogStoreContract(`CatalogStore in KV, ${kind}`, of((stores) => stores.catalogs));
  requestLogContract(`RequestLog in KV, ${kind}`, of((stores) => stores.log));
  auditStoreContract(`AuditStore in KV, ${kind}`, of((stores) => stores.auditStore));
  noticeStoreContract(`NoticeStore in KV, ${kind}`, of((stores) => stores.noticeStore));
  passStoreContract(`PassStore in KV, ${kind}`, of((stores) => stores.passes));
  fileStoreContract(`CallerFileStore in KV, ${kind}`, of((stores) => stores.callerFiles));
  settingsStoreContract(`SettingsStore in KV, ${kind}`, of((stores) => stores.settings));
  snapshotStoreContract(`SnapshotStore in KV, ${kind}`, of((stores) => stores.snapshots));
  operatorStoreContract(`Operators and audit log in KV, ${kind}`, of((stores) => stores));
  embeddingPinStoreContract(`EmbeddingPinStore in KV, ${kind}`, of((one) => one.embeddingPins));
  correctionStoreContract(`Corrections in KV, ${kind}`, of((stores) => stores));
  voteStoreContract(`VoteStore in KV, ${kind}`, of((stores) => stores.votes));
}

// One process has a store in Deno KV: its memory is enough.
consoleSessionStoreContract(
  "ConsoleSessionStore in memory",
  () => {
    const store = new SessionMemory({ append: () => Promise.reject(new Error("No entry")) });
    return Promise.resolve({ store, close: () => Promise.resolve() });
  },
);
