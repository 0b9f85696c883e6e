import { AUDIT_KEY_ID, AUDIT_KEY_NAME } from "../../../domain/policy/key.ts";
import type { View } from "../../page.ts";

/** A key, as requests name it. */
export interface KnownKey {
  readonly id: string;
  readonly name: string;
  /** The beginning of its secret. */
  readonly hint: string;
  /** True when the key is revoked or has expired: it makes no more requests. */
  readonly isOver: boolean;
}

const ORDER = new Intl.Collator("en", { numeric: true });

/** Names of keys. Several may have the same one, as those of the playground do. */
export class KnownKeys {
  /** By their names. */
  readonly all: readonly KnownKey[];
  readonly #byId: ReadonlyMap<string, KnownKey>;
  readonly #shared: ReadonlySet<string>;

  constructor(keys: readonly KnownKey[]) {
    this.all = keys.toSorted((a, b) => ORDER.compare(a.name, b.name));
    this.#byId = new Map(keys.map((key) => [key.id, key]));
    this.#shared = new Set(
      this.all.filter(({ name }, at) => this.all[at - 1]?.name === name).map(({ name }) => name),
    );
  }

  /** Returns the name of a key; its id where the key is unknown. */
  nameOf(id: string): string {
    return this.#byId.get(id)?.name ?? (id === AUDIT_KEY_ID ? AUDIT_KEY_NAME : id);
  }

  /**
   * Returns the hint that distinguishes a key from others of its name; `undefined` where the name
   * suffices.
   */
  hintOf(id: string): string | undefined {
    const key = this.#byId.get(id);
    return key === undefined || !this.#shared.has(key.name) ? undefined : key.hint;
  }

  /** Its name in one line, that no other key has. */
  textOf(id: string): string {
    const hint = this.hintOf(id);
    return hint === undefined ? this.nameOf(id) : `${this.nameOf(id)} (${hint})`;
  }

  /** Returns the key of an id, or all keys of a name, regardless of case. */
  called(text: string): readonly KnownKey[] {
    const exact = this.#byId.get(text);
    if (exact !== undefined) return [exact];
    const name = text.toLowerCase();
    return this.all.filter((key) => key.name.toLowerCase() === name);
  }
}

/** Loads all keys in one request. */
export async function knownKeys(view: View): Promise<KnownKeys> {
  const { keys } = await view.load("GET /keys");
  return new KnownKeys(keys.map(({ status, policy: { expiresAt }, ...key }) => ({
    ...key,
    isOver: status === "revoked" || expiresAt !== undefined && Date.parse(expiresAt) <= view.nowMs,
  })));
}
