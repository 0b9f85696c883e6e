import type {
  CallerFile,
  CallerFileStore,
  FileFinished,
  FileRange,
  FileRoom,
} from "../../../ports/file_store.ts";
import { MAX_CALLER_FILES_BYTES } from "../../kv/limits.ts";
import { query, type Sql } from "../connection.ts";
import { lockCallerFiles } from "../sql/locks.ts";
import { textId } from "../text_id.ts";

/** Files of callers in PostgreSQL. */
export class PostgresCallerFiles implements CallerFileStore {
  readonly #sql: Sql;
  readonly #maxBytes: number;

  /** `maxBytes`: maximum size of the files of all owners. @default maxBytes {4294967296} */
  constructor(sql: Sql, options: { readonly maxBytes?: number | undefined } = {}) {
    this.#sql = sql;
    this.#maxBytes = options.maxBytes ?? MAX_CALLER_FILES_BYTES;
  }

  async begin(id: string, startedAtMs: number): Promise<void> {
    await query(this.#sql`
      insert into caller_file_upload (id, started_at_ms) values (${textId(id)}, ${startedAtMs})
      on conflict (id) do update set started_at_ms = excluded.started_at_ms
    `);
  }

  async writePart(id: string, number: number, bytes: Uint8Array): Promise<void> {
    await query(this.#sql`
      insert into caller_file_part (file_id, number, content)
      values (${textId(id)}, ${number}, ${bytes})
      on conflict (file_id, number) do update set content = excluded.content
    `);
  }

  finish(file: CallerFile, { maxBytes, maxFiles }: FileRoom): Promise<FileFinished> {
    const owner = textId(file.ownerId);
    return query(this.#sql.begin(async (sql) => {
      await lockCallerFiles(sql);
      const uploads = await sql`
        select 1 from caller_file_upload where id = ${textId(file.id)} for update
      `;
      if (uploads.length === 0) return "gone";
      const [row] = await sql<{ all: bigint; own: bigint; files: number }[]>`
        select coalesce(sum(bytes), 0)::bigint as all,
          coalesce(sum(bytes) filter (where owner = ${owner}), 0)::bigint as own,
          (count(*) filter (where owner = ${owner}))::int as files
        from caller_file
      `;
      if ((row?.files ?? 0) >= maxFiles) return "too_many";
      if (Number(row?.own ?? 0) + file.bytes > maxBytes) return "too_large";
      if (Number(row?.all ?? 0) + file.bytes > this.#maxBytes) return "full";
      await sql`
        insert into caller_file (owner, id, bytes, data)
        values (${owner}, ${textId(file.id)}, ${file.bytes}, ${JSON.stringify(file)})
      `;
      await sql`delete from caller_file_upload where id = ${textId(file.id)}`;
      return "stored";
    }));
  }

  async discard(id: string): Promise<void> {
    await query(this.#sql.begin(async (sql) => {
      // Waits for a `finish` that is still in progress.
      const uploads = await sql`
        delete from caller_file_upload where id = ${textId(id)} returning id
      `;
      if (uploads.length === 0) return;
      await sql`delete from caller_file_part where file_id = ${textId(id)}`;
    }));
  }

  async get(ownerId: string, id: string): Promise<CallerFile | undefined> {
    const [row] = await query(this.#sql<{ data: string }[]>`
      select data from caller_file where owner = ${textId(ownerId)} and id = ${textId(id)}
    `);
    return row && JSON.parse(row.data);
  }

  async list(ownerId: string): Promise<readonly CallerFile[]> {
    const rows = await query(this.#sql<{ data: string }[]>`
      select data from caller_file where owner = ${textId(ownerId)}
    `);
    return rows.map(({ data }): CallerFile => JSON.parse(data)).sort(byAge);
  }

  async page(
    ownerId: string,
    { order, after, before, limit }: FileRange,
  ): Promise<readonly CallerFile[]> {
    const [low, high] = order === "desc" ? [before, after] : [after, before];
    const direction = order === "desc" ? this.#sql`desc` : this.#sql`asc`;
    const rows = await query(this.#sql<{ data: string }[]>`
      select data from caller_file where owner = ${textId(ownerId)}
        and (${low ?? null}::text is null or id collate "C" > ${low ?? null}::text)
        and (${high ?? null}::text is null or id collate "C" < ${high ?? null}::text)
      order by id collate "C" ${direction} limit ${limit}
    `);
    return rows.map(({ data }): CallerFile => JSON.parse(data));
  }

  async *content({ id }: CallerFile): AsyncGenerator<Uint8Array<ArrayBuffer>> {
    for (let number = 0;; number++) {
      const [row] = await query(this.#sql<{ content: Uint8Array<ArrayBuffer> }[]>`
        select content from caller_file_part where file_id = ${textId(id)} and number = ${number}
      `);
      if (row === undefined) return;
      yield row.content;
    }
  }

  remove(ownerId: string, id: string): Promise<boolean> {
    return query(this.#sql.begin(async (sql) => {
      await lockCallerFiles(sql);
      const rows = await sql`
        delete from caller_file where owner = ${textId(ownerId)} and id = ${textId(id)} returning id
      `;
      if (rows.length === 0) return false;
      await sql`delete from caller_file_part where file_id = ${textId(id)}`;
      return true;
    }));
  }

  async *all(): AsyncGenerator<CallerFile> {
    const owners = await query(this.#sql<{ owner: string }[]>`
      select distinct owner from caller_file order by owner
    `);
    for (const { owner } of owners) {
      const rows = await query(this.#sql<{ data: string }[]>`
        select data from caller_file where owner = ${owner} order by id
      `);
      for (const { data } of rows) yield JSON.parse(data);
    }
  }

  async sweepUploads(beforeMs: number): Promise<number> {
    const rows = await query(this.#sql<{ id: string }[]>`
      select id from caller_file_upload where started_at_ms < ${beforeMs}
    `);
    for (const { id } of rows) await this.discard(id);
    return rows.length;
  }
}

/** Compares files by age, oldest first. */
function byAge(one: CallerFile, other: CallerFile): number {
  return one.createdAtMs - other.createdAtMs || (one.id < other.id ? -1 : 1);
}
