import type { Noted, TrailDraft } from "../../domain/operators/trail.ts";
import type { SettingsStore } from "../../ports/settings_store.ts";
import type { NamedSetting } from "../../ports/store_copying.ts";
import { StoreError } from "../../ports/store_error.ts";
import { eachRow } from "./each_row.ts";
import { MAX_VALUE_BYTES } from "./limits.ts";
import { Mutex } from "./mutex.ts";
import { read } from "./read.ts";
import { jsonRow, keyPart, textOf } from "./rows.ts";
import type { Writer } from "./journal/writer.ts";

const PREFIX = "setting";

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

  async getMany(names: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const nameByPart = new Map(names.map((name) => [keyPart(name), name]));
    const values = new Map<string, string>();
    // Names with one beginning are neighbours, and most of them have no value.
    const [first, ...rest] = [...nameByPart.keys()].filter(isPlain).sort();
    if (first !== undefined) {
      const range = { start: [PREFIX, first], end: [PREFIX, `${rest.at(-1) ?? first}\0`] };
      for await (const { key, value } of eachRow<Uint8Array>(this.#kv, range)) {
        const name = nameByPart.get(String(key[1]));
        if (name !== undefined) values.set(name, JSON.parse(textOf(value)) as string);
      }
    }
    for (const [part, name] of nameByPart) {
      const value = isPlain(part) ? undefined : await this.get(name);
      if (value !== undefined) values.set(name, value);
    }
    return values;
  }

  setOnce(name: string, value: string): Promise<string> {
    return this.#writing.run(async () => {
      const existing = await this.get(name);
      if (existing !== undefined) return existing;
      await this.#write(name, value);
      return value;
    });
  }

  set(name: string, value: string, { entry }: Noted<string> = {}): Promise<void> {
    return this.#writing.run(async () => {
      const before = await this.get(name);
      if (before === value) return;
      await this.#write(name, value, entry?.({ before, after: value }));
    });
  }

  replace(
    name: string,
    { from, to, entry }:
      & { readonly from: string | undefined; readonly to: string }
      & Noted<string>,
  ): Promise<boolean> {
    return this.#writing.run(async () => {
      if (await this.get(name) !== from) return false;
      await this.#write(name, to, entry?.({ before: from, after: to }));
      return true;
    });
  }

  /** Yields all settings under their stored names. */
  async *all(): AsyncGenerator<NamedSetting> {
    for await (const { key, value } of eachRow<Uint8Array>(this.#kv, { prefix: [PREFIX] })) {
      yield { name: String(key[1]), value: JSON.parse(textOf(value)) as string };
    }
  }

  /** Writes a setting under its stored name. */
  async put({ name, value }: NamedSetting): Promise<void> {
    const key = name.startsWith("#") ? [PREFIX, name] : keyOf(name);
    await this.#writer.write([jsonRow(key, value)]);
  }

  async #write(name: string, value: string, entry?: TrailDraft): Promise<void> {
    const row = jsonRow(keyOf(name), value);
    if (row.bytes > MAX_VALUE_BYTES) {
      throw new StoreError(
        `Cannot write setting "${name}": it is ${row.bytes} bytes, at most ${MAX_VALUE_BYTES}`,
      );
    }
    await this.#writer.write([row], entry);
  }
}

/** True for a part of a key that sorts in the store as it sorts here. */
function isPlain(part: string): boolean {
  return /^[\x20-\x7e]+$/.test(part) && !part.startsWith("#");
}

/** Reads a setting of a store that may have no writer. */
export async function readSetting(kv: Deno.Kv, name: string): Promise<string | undefined> {
  const { value } = await read(kv.get<Uint8Array>(keyOf(name)));
  return value === null ? undefined : JSON.parse(textOf(value)) as string;
}

function keyOf(name: string): Deno.KvKey {
  return [PREFIX, keyPart(name)];
}
