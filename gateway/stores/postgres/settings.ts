import type { Noted, TrailDraft } from "../../domain/operators/trail.ts";
import type { SettingsStore } from "../../ports/settings_store.ts";
import type { NamedSetting } from "../../ports/store_copying.ts";
import { StoreError } from "../../ports/store_error.ts";
import { MAX_VALUE_BYTES } from "../kv/limits.ts";
import { announce, type Topic } from "./changes/announce.ts";
import type { Watcher } from "./changes/changes.ts";
import { query, type Sql, type Transaction } from "./connection.ts";
import { noteIn } from "./operators/trail.ts";
import { textId } from "./text_id.ts";

/** Settings in PostgreSQL, one row each; all instances hear of changes. */
export class PostgresSettings implements SettingsStore, Watcher {
  readonly topics: readonly Topic[] = ["setting"];
  readonly #sql: Sql;
  #refresh: () => Promise<void> = () => Promise.resolve();
  #isOld = false;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  /** Calls `refresh` after each change, of this instance too, and again after a failure. */
  watch(refresh: () => Promise<void>): void {
    this.#refresh = refresh;
    // Settings may have changed since they were read.
    this.#isOld = true;
  }

  changed(): void {
    this.#isOld = true;
  }

  reset(): void {
    this.#isOld = true;
  }

  async catchUp(): Promise<void> {
    if (!this.#isOld) return;
    this.#isOld = false;
    try {
      await this.#refresh();
    } catch (error) {
      this.#isOld = true;
      throw error;
    }
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
    await this.#write(
      name,
      (sql, id) =>
        sql`insert into setting (name, value) values (${id}, ${text}) on conflict do nothing`,
    );
    return await this.get(name) ?? value;
  }

  async set(name: string, value: string, { entry }: Noted<string> = {}): Promise<void> {
    const text = textOf(name, value);
    let before: string | undefined;
    await this.#write(name, async (sql, id) => {
      const [row] = await sql<{ value: string }[]>`
        select value from setting where name = ${id} for update
      `;
      before = row && JSON.parse(row.value);
      return await sql`
        insert into setting (name, value) values (${id}, ${text})
        on conflict (name) do update set value = excluded.value
        where setting.value <> excluded.value
      `;
    }, () => entry?.({ before, after: value }));
  }

  replace(
    name: string,
    { from, to, entry }:
      & { readonly from: string | undefined; readonly to: string }
      & Noted<string>,
  ): Promise<boolean> {
    const text = textOf(name, to);
    // Of two instances the second waits for the first, and then finds another value.
    return this.#write(
      name,
      (sql, id) =>
        from === undefined
          ? sql`insert into setting (name, value) values (${id}, ${text}) on conflict do nothing`
          : sql`
          update setting set value = ${text} where name = ${id} and value = ${JSON.stringify(from)}
        `,
      () => entry?.({ before: from, after: to }),
    );
  }

  /**
   * Writes at most one row, announces it, and appends its entry to the audit log; resolves to false if
   * there was nothing to write.
   */
  #write(
    name: string,
    write: (sql: Transaction, id: string) => Promise<{ readonly count: number }>,
    draft: () => TrailDraft | undefined = () => undefined,
  ): Promise<boolean> {
    const id = textId(name);
    return query(this.#sql.begin(async (sql) => {
      const { count } = await write(sql, id);
      if (count > 0) {
        await announce(sql, "setting", [id]);
        await noteIn(sql, draft());
      }
      return count > 0;
    }));
  }

  /** Yields all settings under their stored names. */
  async *all(): AsyncGenerator<NamedSetting> {
    const rows = await query(this.#sql<{ name: string; value: string }[]>`
      select name, value from setting order by name
    `);
    for (const { name, value } of rows) yield { name, value: JSON.parse(value) };
  }

  /** Writes a setting under its stored name. */
  async put({ name, value }: NamedSetting): Promise<void> {
    const stored = name.startsWith("#") ? name : textId(name);
    await query(this.#sql`
      insert into setting (name, value) values (${stored}, ${textOf(name, value)})
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
