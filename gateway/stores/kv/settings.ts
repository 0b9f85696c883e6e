import type { SettingsStore } from "../../ports/settings_store.ts";
import { StoreError } from "../../ports/store_error.ts";
import { MAX_VALUE_BYTES } from "./limits.ts";
import { Mutex } from "./mutex.ts";
import { read } from "./read.ts";
import { jsonRow, keyPart, textOf } from "./rows.ts";
import type { Writer } from "./journal/writer.ts";

/** Settings in Deno KV, one row each. */
export class KvSettingsStore implements SettingsStore {
  readonly #kv: Deno.Kv;
  readonly #writer: Writer;
  readonly #writing = new Mutex();

  constructor(kv: Deno.Kv, writer: Writer) {
    this.#kv = kv;
    this.#writer = writer;
  }

  get(name: string): Promise<string | undefined> {
    return readSetting(this.#kv, name);
  }

  setOnce(name: string, value: string): Promise<string> {
    return this.#writing.run(async () => {
      const existing = await this.get(name);
      if (existing !== undefined) return existing;
      await this.#write(name, value);
      return value;
    });
  }

  set(name: string, value: string): Promise<void> {
    return this.#writing.run(() => this.#write(name, value));
  }

  async #write(name: string, value: string): Promise<void> {
    const row = jsonRow(keyOf(name), value);
    if (row.bytes > MAX_VALUE_BYTES) {
      throw new StoreError(
        `Cannot write setting "${name}": it is ${row.bytes} bytes, at most ${MAX_VALUE_BYTES}`,
      );
    }
    await this.#writer.write([row]);
  }
}

/** Reads a setting of a store that may have no writer. */
export async function readSetting(kv: Deno.Kv, name: string): Promise<string | undefined> {
  const { value } = await read(kv.get<Uint8Array>(keyOf(name)));
  return value === null ? undefined : JSON.parse(textOf(value)) as string;
}

function keyOf(name: string): Deno.KvKey {
  return ["setting", keyPart(name)];
}
