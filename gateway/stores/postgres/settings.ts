import type { SettingsStore } from "../../ports/settings_store.ts";
import { StoreError } from "../../ports/store_error.ts";
import { MAX_VALUE_BYTES } from "../kv/limits.ts";
import { query, type Sql } from "./connection.ts";
import { textId } from "./text_id.ts";

/** Settings in PostgreSQL, one row each. */
export class PostgresSettings implements SettingsStore {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  async get(name: string): Promise<string | undefined> {
    return (await this.getMany([name])).get(name);
  }

  async getMany(names: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const ids = new Map(names.map((name) => [textId(name), name]));
    const rows = await query(this.#sql<{ name: string; value: string }[]>`
      select name, value from setting where name = any(${[...ids.keys()]})
    `);
    return new Map(rows.map(({ name, value }) => [ids.get(name) ?? name, JSON.parse(value)]));
  }

  async setOnce(name: string, value: string): Promise<string> {
    const text = textOf(name, value);
    // Two statements: the second sees the row of another instance that came first.
    await query(this.#sql`
      insert into setting (name, value) values (${textId(name)}, ${text}) on conflict do nothing
    `);
    return await this.get(name) ?? value;
  }

  async set(name: string, value: string): Promise<void> {
    await query(this.#sql`
      insert into setting (name, value) values (${textId(name)}, ${textOf(name, value)})
      on conflict (name) do update set value = excluded.value
    `);
  }
}

function textOf(name: string, value: string): string {
  const text = JSON.stringify(value);
  if (text.length <= MAX_VALUE_BYTES) return text;
  throw new StoreError(
    `Cannot write setting "${name}": it is ${text.length} bytes, at most ${MAX_VALUE_BYTES}`,
  );
}
