/**
 * Searchable columns of some hundred rows of the request log: a search reads a twentieth of the
 * log, and parses only matches.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { hasStatus, modelsOf, providersOf } from "../../../domain/requests/filter.ts";
import { hasParts, NO_MODEL, partsOf } from "../../../domain/requests/parts.ts";
import { classOf, endingOf, type RolledRow } from "../../../domain/requests/rollup.ts";
import type { RequestFilter, RequestRecord } from "../../../ports/request_log.ts";
import { StoreError } from "../../../ports/store_error.ts";
import type { BlockTime } from "./log_block_times.ts";
import { Columns, MIDDLE, NARROW, ROW_BYTES, WIDE } from "./log_columns.ts";
import { BLOCK_BYTES_MAX, BLOCK_IDS_BYTES_MAX, BLOCK_ROWS_MAX } from "../limits.ts";
import { type PartJson, partJson, readPart } from "./log_parts.ts";
import { bytesOf, type Row, textOf } from "../rows.ts";

/** Prefix of blocks; the rest of the key is the last segment of the block. */
export const LOG_BLOCKS = "log_block";
/** Prefix of the ids of their rows. */
export const LOG_BLOCK_IDS = "log_block_ids";

/** Position of a row in the log. */
export interface LogPosition {
  readonly segment: number;
  readonly line: number;
}

/** Routing of a row. */
interface Route {
  /** Model that answered; empty if none did. */
  readonly model: string;
  /** The model that answered and the others that were tried. */
  readonly models: readonly string[];
  readonly providers: readonly string[];
}

/** Ending and kind of a request. */
interface Kind {
  readonly endpoint: string;
  readonly outcome: string;
  readonly status: number;
  readonly errorCode: string;
}

/** Texts that repeat, by number, and the block's own header. */
interface Header {
  /** First and last segment. */
  readonly first: number;
  last: number;
  rows: number;
  sinceMs: number;
  untilMs: number;
  readonly keys: string[];
  readonly routes: Route[];
  readonly kinds: Kind[];
  /** Parts of split rows, by row; absent from blocks of older gateways. */
  readonly splits?: [row: number, parts: readonly PartJson[]][] | undefined;
}

/** Approximate size of a list entry besides its texts, in bytes. */
const ENTRY_BYTES = 96;
const LEAD_BYTES = 8;
const NONE = 0xffff_ffff;

const AT = 0;
const CHARGED = 1;
const [ID, REQUEST_ID, DURATION, FIRST_BYTE, INPUT, CACHED, OUTPUT] = [0, 1, 2, 3, 4, 5, 6];
const [SEGMENT, LINE, KEY, ROUTE, KIND] = [0, 1, 2, 3, 4];

/** Some hundred consecutive rows of the log; complete segments. */
export class LogBlock {
  readonly #header: Header;
  readonly #columns: Columns;
  readonly #wide: readonly Float64Array[];
  readonly #middle: readonly Uint32Array[];
  readonly #narrow: readonly Uint16Array[];
  /** Numbers of the list entries; entries of most rows have a shorter key. */
  readonly #codes = new Map<string, number>();
  readonly #keyCodes = new Map<string, number>();
  readonly #plainRoutes = new Map<string, { readonly provider: string; readonly code: number }>();
  readonly #plainKinds = new Map<string, number>();
  /** Id and request id of each row added here. */
  readonly #ids: string[] = [];
  #idBytes = 0;
  #listBytes = 0;

  constructor(first: number, read?: { readonly header: Header; readonly columns: Columns }) {
    this.#header = read?.header ?? {
      ...{ first, last: first, rows: 0, sinceMs: Infinity, untilMs: -Infinity },
      ...{ keys: [], routes: [], kinds: [], splits: [] },
    };
    const columns = this.#columns = read?.columns ?? new Columns(BLOCK_ROWS_MAX);
    this.#wide = Array.from({ length: WIDE }, (_, at) => columns.wide(at));
    this.#middle = Array.from({ length: MIDDLE }, (_, at) => columns.middle(at));
    this.#narrow = Array.from({ length: NARROW }, (_, at) => columns.narrow(at));
  }

  get rows(): number {
    return this.#header.rows;
  }

  /** First segment of the block. */
  get first(): number {
    return this.#header.first;
  }

  /** Last segment of the block. */
  get last(): number {
    return this.#header.last;
  }

  /** Start times of its requests. */
  get time(): BlockTime {
    const { first, last, sinceMs, untilMs } = this.#header;
    return { first, last, sinceMs, untilMs };
  }

  /** True when a further segment fits. An empty block takes any. */
  hasRoom(records: readonly RequestRecord[], segment: number): boolean {
    const rows = this.rows + records.length;
    if (this.rows === 0) return true;
    if (rows > BLOCK_ROWS_MAX || segment - this.first > 0xffff) return false;
    let ids = this.#idBytes;
    let lists = this.#listBytes;
    for (const { id, requestId, keyId, routing, tasks = [], others = [] } of records) {
      ids += id.length + requestId.length + 2;
      lists += keyId.length + (routing === undefined ? 0 : ENTRY_BYTES);
      const parts = [...tasks, ...tasks.flatMap((task) => task.others ?? []), ...others];
      for (const { model = "" } of parts) lists += model.length + ENTRY_BYTES;
    }
    return ids <= BLOCK_IDS_BYTES_MAX && rows * ROW_BYTES + lists <= BLOCK_BYTES_MAX;
  }

  /** Adds a segment. */
  add(records: readonly RequestRecord[], segment: number): void {
    this.#header.last = segment;
    for (let line = 0; line < records.length; line++) {
      const record = records[line];
      if (record !== undefined) this.#addRow(record, { segment, line });
    }
  }

  #addRow(record: RequestRecord, { segment, line }: LogPosition): void {
    const header = this.#header;
    const row = header.rows++;
    const { id, requestId, atMs, firstByteMs = NONE } = record;
    if (atMs < header.sinceMs) header.sinceMs = atMs;
    if (atMs > header.untilMs) header.untilMs = atMs;
    const [at, charged] = this.#wide;
    if (at !== undefined) at[row] = atMs;
    if (charged !== undefined) charged[row] = microsOf(record.charged);
    const [idHash, requestHash, duration, firstByte, input, cached, output] = this.#middle;
    if (idHash !== undefined) idHash[row] = hashOf(id);
    if (requestHash !== undefined) requestHash[row] = hashOf(requestId);
    if (duration !== undefined) duration[row] = bounded(record.durationMs);
    if (firstByte !== undefined) firstByte[row] = bounded(firstByteMs);
    if (input !== undefined) input[row] = bounded(record.inputTokens);
    if (cached !== undefined) cached[row] = bounded(record.cachedInputTokens);
    if (output !== undefined) output[row] = bounded(record.outputTokens);
    const [segments, lines, keys, routes, kinds] = this.#narrow;
    if (segments !== undefined) segments[row] = segment - header.first;
    if (lines !== undefined) lines[row] = line;
    if (keys !== undefined) keys[row] = this.#keyOf(record);
    if (routes !== undefined) routes[row] = this.#routeOf(record);
    if (kinds !== undefined) kinds[row] = this.#kindOf(record);
    if (hasParts(record)) this.#noteParts(record, row);
    const ids = `${id} ${requestId}`;
    this.#ids.push(ids);
    this.#idBytes += ids.length + 1;
  }

  #noteParts(record: RequestRecord, row: number): void {
    const parts = partsOf(record).map(partJson);
    this.#header.splits?.push([row, parts]);
    this.#listBytes += Buffer.byteLength(JSON.stringify(parts)) + 8;
  }

  #keyOf({ keyId }: RequestRecord): number {
    const existing = this.#keyCodes.get(keyId);
    if (existing !== undefined) return existing;
    const code = this.#codeOf(`k ${keyId}`, this.#header.keys, () => keyId);
    this.#keyCodes.set(keyId, code);
    return code;
  }

  #routeOf(record: RequestRecord): number {
    const { routing, tasks } = record;
    const model = routing?.model ?? NO_MODEL;
    const provider = routing?.provider ?? "";
    const [first, second] = routing?.attempts ?? [];
    const isPlain = tasks === undefined && second === undefined &&
      (first === undefined || first.model === model && first.provider === provider);
    const existing = isPlain ? this.#plainRoutes.get(model) : undefined;
    if (existing?.provider === provider) return existing.code;
    const route: Route = { model, models: modelsOf(record), providers: providersOf(record) };
    const code = this.#codeOf(`r ${JSON.stringify(route)}`, this.#header.routes, () => route);
    if (isPlain) this.#plainRoutes.set(model, { provider, code });
    return code;
  }

  #kindOf(record: RequestRecord): number {
    const { endpoint, outcome, status } = record;
    const errorCode = record.errorCode ?? "";
    const isPlain = outcome === "ok" && status === 200 && errorCode === "";
    const existing = isPlain ? this.#plainKinds.get(endpoint) : undefined;
    if (existing !== undefined) return existing;
    const kind = { endpoint, outcome, status, errorCode };
    const code = this.#codeOf(`e ${JSON.stringify(kind)}`, this.#header.kinds, () => kind);
    if (isPlain) this.#plainKinds.set(endpoint, code);
    return code;
  }

  #codeOf<T>(name: string, list: T[], make: () => T): number {
    const existing = this.#codes.get(name);
    if (existing !== undefined) return existing;
    const entry = make();
    const code = list.push(entry) - 1;
    this.#codes.set(name, code);
    this.#listBytes += Buffer.byteLength(JSON.stringify(entry)) + 1;
    return code;
  }

  /** Returns the position of a row. */
  positionOf(row: number): LogPosition {
    const segment = this.first + (this.#narrow[SEGMENT]?.[row] ?? 0);
    return { segment, line: this.#narrow[LINE]?.[row] ?? 0 };
  }

  /** Returns the rows that may match, in order; `ids` is given when a text is searched. */
  find(filter: RequestFilter, ids: string | undefined): number[] {
    const { sinceMs = -Infinity, untilMs = Infinity, keyId, minCharged, id, requestId } = filter;
    const header = this.#header;
    if (header.untilMs < sinceMs || header.sinceMs > untilMs) return [];
    const key = keyId === undefined ? -1 : header.keys.indexOf(keyId);
    if (keyId !== undefined && key < 0) return [];
    const routes = wantedMask(
      header.routes,
      ({ models, providers }) =>
        (filter.model === undefined || models.includes(filter.model)) &&
        (filter.provider === undefined || providers.includes(filter.provider)),
    );
    const kinds = wantedMask(header.kinds, (kind) => isKind(kind, filter));
    if (routes === undefined || kinds === undefined) return [];
    const least = minCharged === undefined ? -1 : Number(minCharged);
    const [at, charged] = [this.#wide[AT] ?? [], this.#wide[CHARGED] ?? []];
    const [keyCodes, routeCodes, kindCodes] = [KEY, ROUTE, KIND].map((one) =>
      this.#narrow[one] ?? []
    );
    const idHash = id === undefined ? undefined : hashOf(id);
    const requestHash = requestId === undefined ? undefined : hashOf(requestId);
    const hits = filter.text === undefined ? undefined : rowsWith(ids ?? "", filter.text);
    const rows: number[] = [];
    for (let row = 0; row < header.rows; row++) {
      const time = at[row] ?? 0;
      if (time < sinceMs || time > untilMs || (charged[row] ?? 0) < least) continue;
      if (key >= 0 && keyCodes?.[row] !== key) continue;
      if (routes[routeCodes?.[row] ?? 0] === 0 || kinds[kindCodes?.[row] ?? 0] === 0) continue;
      if (idHash !== undefined && this.#middle[ID]?.[row] !== idHash) continue;
      if (requestHash !== undefined && this.#middle[REQUEST_ID]?.[row] !== requestHash) continue;
      if (hits === undefined || hits.has(row)) rows.push(row);
    }
    return rows;
  }

  /** Yields the summed fields of its rows after a segment. */
  *rolled(afterSegment: number): Generator<RolledRow & { readonly atMs: number }> {
    const { keys, routes, kinds, rows, splits = [] } = this.#header;
    const parts = new Map(splits);
    const endings = kinds.map(endingOf);
    const classes = endings.map(classOf);
    const number = (column: number, row: number) => this.#middle[column]?.[row] ?? 0;
    const code = (column: number, row: number) => this.#narrow[column]?.[row] ?? 0;
    for (let row = 0; row < rows; row++) {
      if (this.first + code(SEGMENT, row) <= afterSegment) continue;
      const firstByte = number(FIRST_BYTE, row);
      yield {
        atMs: this.#wide[AT]?.[row] ?? 0,
        keyId: keys[code(KEY, row)] ?? "",
        model: routes[code(ROUTE, row)]?.model ?? NO_MODEL,
        ending: endings[code(KIND, row)] ?? "",
        kind: classes[code(KIND, row)] ?? "ok",
        charged: BigInt(this.#wide[CHARGED]?.[row] ?? 0),
        inputTokens: number(INPUT, row),
        cachedInputTokens: number(CACHED, row),
        outputTokens: number(OUTPUT, row),
        durationMs: number(DURATION, row),
        firstByteMs: firstByte === NONE ? undefined : firstByte,
        parts: parts.get(row)?.map(readPart),
      };
    }
  }

  /** Ids of its rows, for a block built here. */
  get ids(): string {
    return this.#ids.join("\n");
  }

  /** Encodes the rows that store the block. */
  encode(): [Row, Row] {
    const { rows, last } = this.#header;
    const columns = this.#columns.cut(rows).bytes;
    const header = bytesOf(JSON.stringify(this.#header));
    const value = new Uint8Array(LEAD_BYTES + columns.length + header.length);
    new DataView(value.buffer).setUint32(0, rows);
    value.set(columns, LEAD_BYTES);
    value.set(header, LEAD_BYTES + columns.length);
    const ids = bytesOf(this.ids);
    return [
      { key: [LOG_BLOCKS, last], value, bytes: value.length },
      { key: [LOG_BLOCK_IDS, last], value: ids, bytes: ids.length },
    ];
  }
}

/** True when a block may contain one of the ids; reads only a part of its row. */
export function mayHaveIds(value: Uint8Array, { id, requestId }: RequestFilter): boolean {
  if (id === undefined && requestId === undefined) return true;
  const columns = columnsOf(value);
  return (id === undefined || columns.middle(ID).includes(hashOf(id))) &&
    (requestId === undefined || columns.middle(REQUEST_ID).includes(hashOf(requestId)));
}

/** Returns the columns in a block's row. */
function columnsOf(value: Uint8Array): Columns {
  // A typed array needs an offset that is a multiple of its element size.
  const bytes = value.byteOffset % 8 === 0 ? value : value.slice();
  const rows = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0);
  return new Columns(rows, ownBuffer(bytes), bytes.byteOffset + LEAD_BYTES);
}

/**
 * Decodes a block.
 *
 * @throws {StoreError} When it is damaged.
 */
export function decodeBlock(value: Uint8Array): LogBlock {
  try {
    const columns = columnsOf(value);
    const text = textOf(value.subarray(LEAD_BYTES + columns.bytes.length));
    return new LogBlock(0, { header: JSON.parse(text) as Header, columns });
  } catch (cause) {
    const message = "Cannot read the index of the log: a block is damaged";
    throw new StoreError(message, { cause, isDamage: true });
  }
}

function ownBuffer({ buffer }: Uint8Array): ArrayBuffer {
  return buffer as ArrayBuffer;
}

/** Marks the wanted entries of a list with ones; `undefined` when there are none. */
function wantedMask<T>(
  list: readonly T[],
  isWanted: (entry: T) => boolean,
): Uint8Array | undefined {
  const marks = Uint8Array.from(list, (entry) => isWanted(entry) ? 1 : 0);
  return marks.includes(1) ? marks : undefined;
}

function isKind(kind: Kind, { endpoint, outcome, errorCode, status }: RequestFilter): boolean {
  if (endpoint !== undefined && kind.endpoint !== endpoint) return false;
  if (outcome !== undefined && kind.outcome !== outcome) return false;
  if (errorCode !== undefined && kind.errorCode !== errorCode) return false;
  return status === undefined || hasStatus(kind.status, status);
}

/** Returns the rows whose ids contain a text. */
function rowsWith(ids: string, text: string): ReadonlySet<number> {
  const rows = new Set<number>();
  if (!ids.includes(text)) return rows;
  ids.split("\n").forEach((line, row) => {
    if (line.includes(text)) rows.add(row);
  });
  return rows;
}

/** Exact up to nine thousand million credits. */
function microsOf(credits: string): number {
  return Math.round(Number(credits) * 1e6) || 0;
}

function bounded(count: number): number {
  return Math.min(count, NONE);
}

/** Returns an FNV-1a hash of 32 bits: matches are compared afterwards. */
function hashOf(text: string): number {
  let hash = 0x811c_9dc5;
  for (let at = 0; at < text.length; at++) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x0100_0193);
  }
  return hash >>> 0;
}
