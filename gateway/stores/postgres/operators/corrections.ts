import { decideCorrection } from "../../../domain/ledger/correction.ts";
import type { CorrectionCommand } from "../../../domain/ledger/correction_types.ts";
import type { Wallet } from "../../../domain/ledger/ledger.ts";
import type { CreditRecord } from "../../../domain/ledger/state.ts";
import type { Correction } from "../../../domain/ledger/waiting_correction.ts";
import type { TrailDraft } from "../../../domain/operators/trail.ts";
import type { CorrectionRecords, CorrectionStore } from "../../../ports/correction_store.ts";
import type { Applied } from "../../../ports/ledger_store.ts";
import { decodeCorrection, encodeCorrection, newestFirst } from "../../correction_json.ts";
import { query, type Sql, type Transaction } from "../connection.ts";
import type { PostgresKeyStore } from "../keys/keys.ts";
import { updateKey } from "../keys/write_key.ts";
import { applied } from "../ledger/applied.ts";
import type { Batches } from "../ledger/batches.ts";
import type { BatchView } from "../ledger/batch_view.ts";
import { decodeCredit } from "../ledger/rows.ts";
import { assertTexts } from "../ledger/texts.ts";
import { TimelyBatches } from "../ledger/timely_batches.ts";
import { textId } from "../text_id.ts";
import { appendTo } from "./trail.ts";

/**
 * Corrections in PostgreSQL. One that is applied is part of a batch of the ledger. Locks are taken in
 * one order: the ledger, the row of the correction, the key, the end of the audit log.
 */
export class PostgresCorrections implements CorrectionStore {
  readonly #sql: Sql;
  readonly #batches: TimelyBatches;
  readonly #keys: Pick<PostgresKeyStore, "forget">;

  constructor(
    sql: Sql,
    { batches, keys }: {
      readonly batches: Pick<Batches, "submit">;
      readonly keys: Pick<PostgresKeyStore, "forget">;
    },
  ) {
    this.#sql = sql;
    this.#batches = new TimelyBatches(batches);
    this.#keys = keys;
  }

  async all(): Promise<readonly Correction[]> {
    const rows = await query(this.#sql<{ data: string }[]>`select data from correction`);
    return newestFirst(rows.map(({ data }) => decodeCorrection(data)));
  }

  put(correction: Correction, entry: TrailDraft, forget: readonly string[] = []): Promise<boolean> {
    return query(this.#sql.begin(async (tx) => {
      if (!await store(tx, correction)) return false;
      for (const id of forget) await tx`delete from correction where id = ${textId(id)}`;
      await appendTo(tx, entry);
      return true;
    }));
  }

  async apply(command: CorrectionCommand, records: CorrectionRecords): Promise<Applied<Wallet>> {
    const { opId, walletId, note } = command;
    assertTexts({ ids: [opId, walletId], note });
    const moved = command.kind === "move" ? [command.keyId] : [];
    const needs = {
      ...{ wallets: [walletId], credits: [opId], movedKeys: moved },
      corrections: records.ended === undefined ? [] : [records.ended.id],
    };
    let digest: string | undefined;
    try {
      return await this.#batches.submit(needs, (view) => {
        digest = moved.map((id) => view.movedKey(id)?.digest).at(0);
        return applyIn(view, command, records);
      });
    } finally {
      // It may be remembered with its former wallet.
      if (digest !== undefined) this.#keys.forget(digest);
    }
  }

  /** Stores a correction without an entry. */
  async write(correction: Correction): Promise<void> {
    const { version, atMs } = correction;
    const [id, data] = [textId(correction.id), encodeCorrection(correction)];
    await query(this.#sql`
      insert into correction (id, version, at_ms, data) values (${id}, ${version}, ${atMs}, ${data})
      on conflict (id) do update
      set version = excluded.version, at_ms = excluded.at_ms, data = excluded.data
    `);
  }

  async operation(opId: string): Promise<CreditRecord | undefined> {
    const [row] = await query(this.#sql<{ data: string }[]>`
      select json_build_object(
        'id', id, 'wallet', wallet, 'amount', amount::text, 'correction', correction)::text as data
      from credit where id = ${textId(opId)}
    `);
    return row && decodeCredit(row.data).credit;
  }
}

/** Decides in a batch, with what is to be written in its transaction. */
function applyIn(
  view: BatchView,
  command: CorrectionCommand,
  { entry, ended }: CorrectionRecords,
): Applied<Wallet> {
  const { walletId } = command;
  const stored = ended && view.correction(ended.id);
  if (ended !== undefined && stored?.version !== ended.version - 1) return OVERTAKEN;
  if (command.kind === "move") {
    const key = view.movedKey(command.keyId);
    if (key?.record.walletId !== command.from) return OVERTAKEN;
  }
  const before = view.wallet(walletId);
  const decision = decideCorrection(view, command);
  if (decision.ok && decision.change !== undefined && before !== undefined) {
    const draft = entry({ before, after: decision.value });
    view.companions.push(async (tx) => {
      if (ended !== undefined) await store(tx, ended);
      if (command.kind === "move") {
        await updateKey(tx, {
          id: command.keyId,
          change: ({ record }) => ({ ...record, walletId }),
        });
      }
      await appendTo(tx, draft);
    });
    // A second operation of this batch sees the record and the key as they become.
    if (ended !== undefined) view.setCorrection(ended);
    if (command.kind === "move") view.setWalletOfKey(command.keyId, walletId);
  }
  return applied(view, decision, walletId);
}

const OVERTAKEN = { ok: false, refusal: "overtaken" } as const;

/** Stores a record unless another version is stored than the one before. */
async function store(tx: Transaction, correction: Correction): Promise<boolean> {
  const { version, atMs } = correction;
  const [id, data] = [textId(correction.id), encodeCorrection(correction)];
  const stored = version === 1
    ? await tx`
      insert into correction (id, version, at_ms, data) values (${id}, 1, ${atMs}, ${data})
      on conflict do nothing
    `
    : await tx`
      update correction set version = ${version}, at_ms = ${atMs}, data = ${data}
      where id = ${id} and version = ${version - 1}
    `;
  return stored.count > 0;
}
