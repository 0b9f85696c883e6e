import type { EmbeddingPin } from "../../../domain/policy/embedding_pin.ts";
import type { EmbeddingPinStore, PinChange } from "../../../ports/embedding_pin_store.ts";
import { pinOf, pinText } from "../../embedding_pin_text.ts";
import { eachRow } from "../each_row.ts";
import type { Writer } from "../journal/writer.ts";
import { Mutex } from "../mutex.ts";
import { read } from "../read.ts";
import { jsonRow, keyPart, textOf } from "../rows.ts";

const PREFIX: Deno.KvKey = ["embedding_pin"];

/** Pins in Deno KV, one row each. One process has the store, so changes wait for each other here. */
export class KvEmbeddingPinStore implements EmbeddingPinStore {
  readonly #kv: Deno.Kv;
  readonly #writer: Writer;
  readonly #changing = new Mutex();

  constructor(kv: Deno.Kv, writer: Writer) {
    this.#kv = kv;
    this.#writer = writer;
  }

  async get(lineId: string): Promise<EmbeddingPin | undefined> {
    const { value } = await read(this.#kv.get<Uint8Array>(keyOf(lineId)));
    return value === null ? undefined : pinOf(textOf(value));
  }

  replace(lineId: string, { from, to, entry }: PinChange): Promise<boolean> {
    return this.#changing.run(async () => {
      const stored = await this.get(lineId);
      if ((stored && pinText(stored)) !== (from && pinText(from))) return false;
      if (from === undefined && to === undefined) return true;
      const key = keyOf(lineId);
      const row = to === undefined ? { key, bytes: 0 } : jsonRow(key, JSON.parse(pinText(to)));
      await this.#writer.write([row], entry?.({ before: from, after: to }));
      return true;
    });
  }

  async *all(): AsyncGenerator<EmbeddingPin> {
    for await (const { value } of eachRow<Uint8Array>(this.#kv, { prefix: PREFIX })) {
      yield pinOf(textOf(value));
    }
  }
}

function keyOf(lineId: string): Deno.KvKey {
  return [...PREFIX, keyPart(lineId)];
}
