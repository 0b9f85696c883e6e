/**
 * The books of the gateway as its admin API shows them, collected over many of its processes.
 *
 * @module
 */

import type { MortalService } from "./mortal_service.ts";

/** The API that the books are read from. */
export type AdminApi = Pick<MortalService, "admin">;

/** A line of a statement; amounts are decimal strings of credits. */
interface StatementEntry {
  readonly kind: "open" | "credit" | "hold" | "settle" | "void" | "expire";
  readonly at: string;
  readonly id?: string;
  readonly key?: string;
  readonly log?: string;
  readonly amount?: string;
  readonly charged?: string;
}

/** One step of a wallet, in micros. */
export interface Step {
  readonly kind: StatementEntry["kind"];
  /** Id of the credit or of the hold. */
  readonly id: string;
  readonly key: string;
  readonly wallet: string;
  /** Amount that was paid in, held, or charged. */
  readonly micros: bigint;
  readonly atMs: number;
}

/** A hold and all its endings: there must be exactly one at the end. */
export interface HoldHistory {
  readonly id: string;
  readonly key: string;
  readonly wallet: string;
  /** Row of the request log that it belongs to, if that was written. */
  readonly log: string;
  readonly held: bigint;
  readonly atMs: number;
  readonly endings: Step[];
}

/** A row of the request log. */
export interface LoggedRequest {
  readonly id: string;
  readonly requestId: string;
  /** `killed`: the gateway died, and its next start settled at the last checkpoint. */
  readonly outcome: string;
  /** Charge, in credits. */
  readonly charged: string;
}

/** A wallet row; amounts are decimal strings of credits. */
export interface WalletRow {
  readonly id: string;
  readonly credits: string;
  readonly available: string;
  readonly held: string;
  readonly spent: string;
}

/** Parses a decimal string of credits to micros. */
export function microsOf(credits: string): bigint {
  return BigInt(credits.replace(".", ""));
}

/** Everything that was read so far. */
export class Books {
  /** Steps of each wallet, oldest first. */
  readonly steps = new Map<string, Step[]>();
  readonly holds = new Map<string, HoldHistory>();
  /** Rows of the request log, by id. */
  readonly rows = new Map<string, LoggedRequest>();
  /** Wallet rows as they were read last. */
  wallets: readonly WalletRow[] = [];

  /** Reads what is new. The settlements of each row are read after it. */
  async read(api: AdminApi): Promise<void> {
    await this.#readRows(api);
    this.wallets = (await api.admin("GET", "/wallets")).wallets;
    for (const { id } of this.wallets) await this.#readStatement(api, id);
  }

  /** Returns the charges for a row of the log, by its holds. */
  chargedFor(rowId: string): bigint {
    return this.#chargedByRow.get(rowId) ?? 0n;
  }

  readonly #chargedByRow = new Map<string, bigint>();

  async #readRows(api: AdminApi): Promise<void> {
    for (let cursor = "";;) {
      const page = await api.admin("GET", `/requests?limit=500${cursor}`);
      const rows: readonly LoggedRequest[] = page.requests;
      const fresh = rows.filter(({ id }) => !this.rows.has(id));
      for (const row of fresh) this.rows.set(row.id, row);
      if (page.cursor === null || fresh.length < rows.length) return;
      cursor = `&cursor=${page.cursor}`;
    }
  }

  async #readStatement(api: AdminApi, wallet: string): Promise<void> {
    const known = this.steps.get(wallet) ?? [];
    this.steps.set(wallet, known);
    const newest = known.at(-1);
    const fresh: StatementEntry[] = [];
    for (let cursor = "";;) {
      const page = await api.admin(
        "GET",
        `/wallets/${wallet}/statement?limit=500${cursor}`,
      );
      const entries: readonly StatementEntry[] = page.entries;
      const end = entries.findIndex((entry) =>
        entry.kind === newest?.kind && (entry.id ?? "") === newest.id &&
        Date.parse(entry.at) === newest.atMs
      );
      fresh.push(...end < 0 ? entries : entries.slice(0, end));
      if (end >= 0 || page.cursor === null) break;
      cursor = `&cursor=${page.cursor}`;
    }
    for (const entry of fresh.reverse()) this.#take(entry, wallet);
  }

  #take(entry: StatementEntry, wallet: string): void {
    const { kind, id = "", key = "", log = "" } = entry;
    const micros = microsOf(entry.amount ?? entry.charged ?? "0");
    const atMs = Date.parse(entry.at);
    const step: Step = { kind, id, key, wallet, micros, atMs };
    this.steps.get(wallet)?.push(step);
    if (kind === "open" || kind === "credit") return;
    if (kind === "hold") {
      this.holds.set(id, { id, key, wallet, log, held: micros, atMs, endings: [] });
      return;
    }
    this.holds.get(id)?.endings.push(step);
    this.#chargedByRow.set(log, this.chargedFor(log) + micros);
  }
}
