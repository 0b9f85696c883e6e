/**
 * A second set of books, computed from the journal as it becomes durable by other code than the
 * gateway's: it must match the rows of the gateway.
 *
 * @module
 */

import type { Mutation } from "./simulated_kv.ts";

/** A line of the journal as text. */
type Line = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;

/** The row of a key's spend. */
export interface SpendRow {
  readonly keyId: string;
  readonly held: bigint;
  readonly totalSpent: bigint;
  readonly named?:
    | Readonly<Record<string, { readonly held: bigint; readonly totalSpent: bigint }>>
    | undefined;
}

/** A wallet row of the gateway. */
export interface WalletRow extends Readonly<ReckonedWallet> {
  readonly id: string;
  readonly available: bigint;
  readonly closedAtMs?: number | undefined;
}

/** A wallet computed from the journal. */
export interface ReckonedWallet {
  tier: string;
  credits: bigint;
  held: bigint;
  spent: bigint;
  writtenOff: bigint;
}

/** A tier of a wallet, from its line in the journal on. */
interface TierChange {
  /** Id of its correction. */
  readonly id: string;
  readonly wallet: string;
  readonly tier: string;
}

/** A hold in the journal. */
export interface ReckonedHold {
  readonly wallet: string;
  /** Owner of the budget that it counts against. */
  readonly owner: string;
  /** Names of further budgets that it counts against. */
  readonly names: readonly string[];
  readonly amount: bigint;
  readonly end: "open" | "settle" | "void" | "expire";
  /** Cost of its call at the last checkpoint; absent before the first. */
  readonly progress?: bigint;
  /** Number of changes of tiers before it in the journal. */
  readonly tierChanges: number;
}

/** A settlement in the journal. */
export interface Settlement {
  readonly holdId: string;
  readonly held: bigint;
  readonly charged: bigint;
  readonly writtenOff: bigint;
  readonly model: string;
  readonly priceVersion: number;
  readonly wallet: string;
  /** True when a start made it after a crash. */
  readonly recovered: boolean;
}

/** Reports a violated invariant. */
export type Accuse = (invariant: string, detail: string) => void;

/** A second ledger. */
export class ReckonedBooks {
  readonly wallets = new Map<string, ReckonedWallet>();
  readonly holds = new Map<string, ReckonedHold>();
  readonly credits = new Map<string, bigint>();
  /** Change of the available credits by each correction. */
  readonly corrections = new Map<string, bigint>();
  /** Changes of tiers, in order. */
  readonly tierChanges: TierChange[] = [];
  /** Wallets that are closed, with the ids of the corrections that closed them. */
  readonly closed = new Map<string, string>();
  /** Wallets of the keys that were moved. */
  readonly moved = new Map<string, string>();
  /** Sum of held and spent credits, by the owner of a budget; under a name of it, by both. */
  readonly owners = new Map<string, bigint>();
  readonly settlements: Settlement[] = [];
  /** Number of checkpoints of streams. */
  checkpoints = 0;
  /** Text of each version of the catalog. */
  readonly catalogs = new Map<number, string>();
  /** Called with each settlement. */
  onSettlement: (settlement: Settlement) => void = () => {};
  /** Called with each hold. */
  onHold: (holdId: string, hold: ReckonedHold) => void = () => {};
  readonly #accuse: Accuse;
  /** Tiers of wallets when they were opened. */
  readonly #opened = new Map<string, string>();
  /** Corrections of the commit that lands. */
  #landed = 0;
  #segments = 0;
  /** Lines of single commits that no segment has yet. */
  #unfolded: string[] = [];

  constructor(accuse: Accuse) {
    this.#accuse = accuse;
  }

  /** Ids of open holds. */
  get open(): string[] {
    return [...this.holds].filter(([, { end }]) => end === "open").map(([id]) => id);
  }

  /** Applies the changes of a commit, journal first, and compares. */
  land(mutations: readonly Mutation[]): void {
    for (const { key, value } of mutations) {
      if (key[0] === "commit") this.#takeCommit(text(value));
      if (key[0] === "journal") this.#append(Number(key[1]), text(value));
      if (key[0] === "catalog_chunk") this.catalogs.set(Number(key[1]), text(value));
    }
    const noted = mutations.filter(({ key }) => key[0] === "audit_trail").length;
    if (noted !== this.#landed) {
      this.#accuse("a correction lands with its audit entry", `${this.#landed}, ${noted} entries`);
    }
    this.#landed = 0;
    for (const { key, value } of mutations) {
      if (key[0] === "wallet") this.compare(value as WalletRow);
      if (key[0] === "spend") this.compareSpend(value as SpendRow);
    }
    const isFold = mutations.some(({ key }) => key[0] === "journal" || key[0] === "wallet");
    if (isFold && this.#unfolded.length > 0) {
      this.#accuse("a fold has every line", `${this.#unfolded.length} lines are missing`);
    }
  }

  /** Enters further lines of a journal. */
  append(lines: readonly string[]): void {
    for (const line of lines) this.#enter(JSON.parse(line) as Line);
  }

  /** Checks that a wallet row is consistent in itself. */
  weigh(row: WalletRow): void {
    const { available, credits, held, spent } = row;
    if (available < 0n) this.#accuse("available is never below zero", walletText(row));
    if (credits !== available + held + spent) {
      this.#accuse("credits = available + held + spent", walletText(row));
    }
  }

  /** Checks that a wallet row matches the journal. */
  compare(row: WalletRow): void {
    this.weigh(row);
    const { id } = row;
    const reckoned = this.wallets.get(id) ?? emptyWallet("");
    const available = reckoned.credits - reckoned.held - reckoned.spent;
    const closed = this.closed.has(id) ? { closedAtMs: 1 } : {};
    const journal = walletText({ ...reckoned, id, available, ...closed });
    if (walletText(row) === journal) return;
    this.#accuse("the journal comes to the wallets", `${walletText(row)}; journal: ${journal}`);
  }

  /** Checks that the row of a key's spend matches the journal, under each of its names. */
  compareSpend({ keyId, held, totalSpent, named = {} }: SpendRow): void {
    const sums = [...this.owners.keys()].filter((owner) => owner.startsWith(`${keyId} `));
    const rows = [
      [keyId, held + totalSpent] as const,
      ...Object.entries(named).map(([name, part]) =>
        [nameOf(keyId, name), part.held + part.totalSpent] as const
      ),
    ];
    for (const [owner, used] of rows) {
      if (this.owners.get(owner) === used) continue;
      const detail = `${owner}: ${used}; journal: ${this.owners.get(owner)}`;
      this.#accuse("the journal comes to the spends", detail);
    }
    if (sums.length === rows.length - 1) return;
    this.#accuse("the journal comes to the spends", `${keyId} has other names than the journal`);
  }

  #append(segment: number, content: string): void {
    if (segment !== ++this.#segments) {
      this.#accuse("the journal is only appended to", `segment ${segment} after others`);
    }
    for (const line of content.split("\n").slice(1)) {
      const known = this.#unfolded.shift();
      if (known === undefined) this.#enter(JSON.parse(line) as Line);
      else if (known !== line) this.#accuse("a fold changes no line", `${known} became ${line}`);
    }
  }

  /** Enters the journal's lines of a single commit: those that its header counts. */
  #takeCommit(content: string): void {
    const [_hash, header = "", ...lines] = content.trimEnd().split("\n");
    for (const line of lines.slice(0, Number(JSON.parse(header).journal))) {
      this.#unfolded.push(line);
      this.#enter(JSON.parse(line) as Line);
    }
  }

  #enter(line: Line): void {
    const id = String(line.id);
    const wallet = this.#wallet(String(line.wallet), String(line.tier));
    const isEnd = line.op === "settle" || line.op === "void" || line.op === "expire";
    if (this.closed.has(String(line.wallet)) && !isEnd) {
      this.#accuse("a closed wallet takes nothing", `${line.op} ${id}`);
    }
    switch (line.op) {
      case "open":
        return;
      case "credit": {
        if (this.credits.has(id)) this.#accuse("a credit is paid in once", id);
        const amount = BigInt(String(line.amount));
        this.credits.set(id, amount);
        wallet.credits += amount;
        return;
      }
      case "debit":
      case "adjust":
      case "tier":
      case "close":
      case "refund":
      case "move":
        return this.#correct(id, line, wallet);
      case "hold":
        return this.#hold(id, line, wallet);
      case "progress":
        return this.#progress(id, BigInt(String(line.cost)));
      default:
        return this.#end(id, line, wallet);
    }
  }

  #correct(id: string, line: Line, wallet: ReckonedWallet): void {
    if (this.corrections.has(id)) this.#accuse("a correction is made once", id);
    this.#landed++;
    const amountOf = (name: string) => BigInt(String(line[name] ?? 0));
    const change = line.op === "adjust"
      ? amountOf("counted") - amountOf("expected")
      : line.op === "debit" || line.op === "close"
      ? -amountOf("amount")
      : amountOf("amount");
    this.corrections.set(id, change);
    if (line.op === "tier") this.#retier(line, wallet);
    if (line.op === "move") this.#move(line);
    if (line.op === "close") this.closed.set(String(line.wallet), id);
    if (line.op === "close" && wallet.credits + change !== wallet.spent) {
      this.#accuse("a wallet that closes is empty", id);
    }
    if (line.op === "adjust" && wallet.credits - wallet.spent !== amountOf("expected")) {
      this.#accuse("an adjustment is of the expected balance", id);
    }
    if (line.op === "refund") wallet.spent -= change;
    else wallet.credits += change;
    if (wallet.spent < 0n || wallet.held + wallet.spent > wallet.credits) {
      this.#accuse("a correction takes only what is available", id);
    }
  }

  #move({ moved, from, wallet }: Line): void {
    const before = this.moved.get(String(moved)) ?? from;
    if (before !== from) this.#accuse("a key moves from its wallet", `${moved}: ${from}`);
    this.moved.set(String(moved), String(wallet));
  }

  #retier(line: Line, wallet: ReckonedWallet): void {
    if (line.before !== wallet.tier) {
      this.#accuse("a change of the tier is of the tier before", `${line.before}, ${wallet.tier}`);
    }
    wallet.tier = String(line.tier);
    this.tierChanges.push({ id: String(line.id), wallet: String(line.wallet), tier: wallet.tier });
  }

  /** Returns the tiers that a wallet had between two numbers of changes. */
  tiersOf(wallet: string, { from, to }: { readonly from: number; readonly to: number }): string[] {
    const changes = this.tierChanges.slice(0, to).map((change, at) => ({ ...change, at }))
      .filter((change) => change.wallet === wallet);
    const before = changes.findLast(({ at }) => at < from)?.tier ?? this.#opened.get(wallet) ?? "";
    return [before, ...changes.filter(({ at }) => at >= from).map(({ tier }) => tier)];
  }

  #hold(id: string, line: Line, wallet: ReckonedWallet): void {
    if (this.holds.has(id)) this.#accuse("a hold begins once", id);
    const amount = BigInt(String(line.amount));
    const owner = String(line.budget ?? line.key);
    const names = Array.isArray(line.budgets) ? line.budgets.map(String) : [];
    const tierChanges = this.tierChanges.length;
    const place = { wallet: String(line.wallet), owner, names, tierChanges };
    const hold = { ...place, amount, end: "open" as const };
    this.holds.set(id, hold);
    this.#count(hold, amount);
    wallet.held += amount;
    if (wallet.held + wallet.spent > wallet.credits) {
      this.#accuse("available is never below zero", `${id} holds ${amount} of what is not there`);
    }
    this.onHold(id, hold);
  }

  #progress(id: string, cost: bigint): void {
    const hold = this.holds.get(id);
    if (hold === undefined || hold.end !== "open" || cost < (hold.progress ?? 0n)) {
      return this.#accuse("progress is of an open hold, and never falls", `${id} at ${cost}`);
    }
    this.holds.set(id, { ...hold, progress: cost });
    this.checkpoints++;
  }

  /** Checks a settlement after a kill against the last checkpoint. */
  #recover(id: string, { progress }: ReckonedHold, cost: bigint | undefined): void {
    if (cost === progress) return;
    const detail = `${id} was at ${progress ?? "none"}, and was charged ${cost ?? "nothing"}`;
    this.#accuse("a crash charges the last durable checkpoint", detail);
  }

  #end(id: string, line: Line, wallet: ReckonedWallet): void {
    const hold = this.holds.get(id);
    if (hold === undefined || hold.end !== "open") {
      return this.#accuse("a hold ends at most once", `${id} by ${line.op}`);
    }
    this.holds.set(id, { ...hold, end: line.op as ReckonedHold["end"] });
    wallet.held -= hold.amount;
    const charged = BigInt(String(line.charged ?? 0));
    this.#count(hold, charged - hold.amount);
    if (line.op === "expire") this.#recover(id, hold, undefined);
    if (line.op !== "settle") return;
    const writtenOff = BigInt(String(line.writtenOff));
    const recovered = line.recovered === true;
    if (recovered) this.#recover(id, hold, charged + writtenOff);
    wallet.spent += charged;
    wallet.writtenOff += writtenOff;
    if (charged > hold.amount) this.#accuse("a charge is at most its hold", id);
    const settlement: Settlement = {
      holdId: id,
      held: hold.amount,
      charged,
      writtenOff,
      model: String(line.model),
      priceVersion: Number(line.priceVersion),
      wallet: hold.wallet,
      recovered,
    };
    this.settlements.push(settlement);
    this.onSettlement(settlement);
  }

  /** Returns a wallet; its first line opens it, with a tier. */
  #wallet(id: string, tier: string): ReckonedWallet {
    const known = this.wallets.get(id);
    if (known !== undefined) return known;
    const wallet = emptyWallet(tier);
    this.wallets.set(id, wallet);
    this.#opened.set(id, tier);
    return wallet;
  }

  #count({ owner, names }: Pick<ReckonedHold, "owner" | "names">, change: bigint): void {
    for (const each of [owner, ...names.map((name) => nameOf(owner, name))]) {
      this.owners.set(each, (this.owners.get(each) ?? 0n) + change);
    }
  }
}

/** Returns the key of the sum of an owner under a name. */
export function nameOf(owner: string, name: string): string {
  return `${owner} ${name}`;
}

function emptyWallet(tier: string): ReckonedWallet {
  return { tier, credits: 0n, held: 0n, spent: 0n, writtenOff: 0n };
}

function walletText(row: WalletRow): string {
  const { id, tier, credits, available, held, spent, writtenOff, closedAtMs } = row;
  return `${id}: ${tier}, credits ${credits}, available ${available}, held ${held}, ` +
    `spent ${spent}, written off ${writtenOff}${closedAtMs === undefined ? "" : ", closed"}`;
}

function text(value: unknown): string {
  return new TextDecoder().decode(value as Uint8Array);
}
