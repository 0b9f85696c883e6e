import type { CorrectionCommand } from "../../../domain/ledger/correction_types.ts";
import type { Wallet } from "../../../domain/ledger/ledger.ts";
import type { CreditRecord } from "../../../domain/ledger/state.ts";
import type { Correction } from "../../../domain/ledger/waiting_correction.ts";
import type { TrailDraft } from "../../../domain/operators/trail.ts";
import type { CorrectionRecords, CorrectionStore } from "../../../ports/correction_store.ts";
import type { Applied } from "../../../ports/ledger_store.ts";
import { decodeCorrection, encodeCorrection, newestFirst } from "../../correction_json.ts";
import type { KvLedgerStore } from "../journal/ledger.ts";
import type { Writer } from "../journal/writer.ts";
import type { KvKeyStore } from "../keys/keys.ts";
import { Mutex } from "../mutex.ts";
import { read } from "../read.ts";
import { bytesOf, keyPart, type Row, textOf } from "../rows.ts";

const PREFIX: Deno.KvKey = ["correction"];

/** Stores that share commits with corrections. */
interface Together {
  readonly writer: Writer;
  readonly ledger: Pick<KvLedgerStore, "correct" | "operation">;
  readonly keys: Pick<KvKeyStore, "toWallet">;
}

/** Corrections in Deno KV, one row each, stored with their entries of the audit log. */
export class KvCorrectionStore implements CorrectionStore {
  readonly #kv: Deno.Kv;
  readonly #stores: Together;
  readonly #changing = new Mutex();

  constructor(kv: Deno.Kv, stores: Together) {
    this.#kv = kv;
    this.#stores = stores;
  }

  async all(): Promise<readonly Correction[]> {
    const rows = await read(Array.fromAsync(this.#kv.list<Uint8Array>({ prefix: PREFIX })));
    return newestFirst(rows.map(({ value }) => decodeCorrection(textOf(value))));
  }

  put(
    correction: Correction,
    entry: TrailDraft,
    forget: readonly string[] = [],
  ): Promise<boolean> {
    return this.#changing.run(async () => {
      if (!await this.#follows(correction)) return false;
      const forgotten = forget.map((id) => ({ key: keyOf(id), bytes: 0 }));
      await this.#stores.writer.write([rowOf(correction), ...forgotten], entry);
      return true;
    });
  }

  apply(
    command: CorrectionCommand,
    { entry, ended }: CorrectionRecords,
  ): Promise<Applied<Wallet>> {
    const { ledger, keys } = this.#stores;
    return this.#changing.run(async () => {
      if (ended !== undefined && !await this.#follows(ended)) {
        return { ok: false, refusal: "overtaken" };
      }
      const apply = (rows: readonly Row[]) =>
        ledger.correct(command, (stage, wallet) => {
          const own = ended === undefined ? [] : [rowOf(ended)];
          for (const row of [...rows, ...own]) stage.write(row);
          stage.note(entry(wallet));
        });
      if (command.kind !== "move") return await apply([]);
      const { keyId, from, walletId: to } = command;
      const moved = await keys.toWallet(keyId, { from, to }, apply);
      return moved ?? { ok: false, refusal: "overtaken" };
    });
  }

  /** Stores a correction without an entry. */
  async write(correction: Correction): Promise<void> {
    await this.#stores.writer.write([rowOf(correction)]);
  }

  operation(opId: string): Promise<CreditRecord | undefined> {
    return this.#stores.ledger.operation(opId);
  }

  /** True when the stored version is the one before. */
  async #follows({ id, version }: Correction): Promise<boolean> {
    const { value } = await read(this.#kv.get<Uint8Array>(keyOf(id)));
    const stored = value === null ? 0 : decodeCorrection(textOf(value)).version;
    return stored === version - 1;
  }
}

function keyOf(id: string): Deno.KvKey {
  return [...PREFIX, keyPart(id)];
}

function rowOf(correction: Correction): Row {
  const value = bytesOf(encodeCorrection(correction));
  return { key: keyOf(correction.id), value, bytes: value.length };
}
