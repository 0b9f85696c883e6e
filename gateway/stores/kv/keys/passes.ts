import type { Noted } from "../../../domain/operators/trail.ts";
import type { Pass, PassName, PassStore } from "../../../ports/pass_store.ts";
import { eachRow } from "../each_row.ts";
import type { Writer } from "../journal/writer.ts";
import { Mutex } from "../mutex.ts";
import { read } from "../read.ts";
import { jsonRow, keyPart, type Row, textOf } from "../rows.ts";

const PREFIX: Deno.KvKey = ["key_pass"];
/** Passes that are removed in one commit. */
const BATCH = 100;

/** Passes in Deno KV, one row each, by key. */
export class KvPassStore implements PassStore {
  readonly #kv: Deno.Kv;
  readonly #writer: Writer;
  /** Changes run one after another, so that each pass is taken once and no bound is passed. */
  readonly #changing = new Mutex();

  constructor(kv: Deno.Kv, writer: Writer) {
    this.#kv = kv;
    this.#writer = writer;
  }

  put(pass: Pass, { max, entry }: { readonly max: number } & Noted<Pass>): Promise<void> {
    return this.#changing.run(async () => {
      const own = keyOf(pass);
      const others: Pass[] = [];
      for await (
        const { value } of eachRow<Uint8Array>(this.#kv, { prefix: own.slice(0, -1) })
      ) {
        const other = decoded(value);
        if (other.digest !== pass.digest) others.push(other);
      }
      const over = others.sort((one, other) => other.beganAtMs - one.beganAtMs).slice(max - 1);
      const rows: Row[] = over.map((other) => ({ key: keyOf(other), bytes: 0 }));
      await this.#writer.write([...rows, jsonRow(own, pass)], entry?.({ after: pass }));
    });
  }

  async get(name: PassName): Promise<Pass | undefined> {
    const { value } = await read(this.#kv.get<Uint8Array>(keyOf(name)));
    return value === null ? undefined : decoded(value);
  }

  take(name: PassName): Promise<Pass | undefined> {
    return this.#changing.run(async () => {
      const pass = await this.get(name);
      if (pass !== undefined) await this.#writer.write([{ key: keyOf(name), bytes: 0 }]);
      return pass;
    });
  }

  async removeAll(keyId: string): Promise<void> {
    await this.#remove([...PREFIX, keyPart(keyId)], () => true);
  }

  sweep(nowMs: number): Promise<number> {
    return this.#remove(PREFIX, ({ endsAtMs }) => endsAtMs <= nowMs);
  }

  #remove(prefix: Deno.KvKey, isOver: (pass: Pass) => boolean): Promise<number> {
    return this.#changing.run(async () => {
      const over: Deno.KvKey[] = [];
      for await (const { key, value } of eachRow<Uint8Array>(this.#kv, { prefix })) {
        if (isOver(decoded(value))) over.push(key);
      }
      for (let at = 0; at < over.length; at += BATCH) {
        await this.#writer.write(over.slice(at, at + BATCH).map((key) => ({ key, bytes: 0 })));
      }
      return over.length;
    });
  }
}

function keyOf({ keyId, kind, digest }: PassName): Deno.KvKey {
  return [...PREFIX, keyPart(keyId), kind, keyPart(digest)];
}

function decoded(value: Uint8Array): Pass {
  return JSON.parse(textOf(value)) as Pass;
}
