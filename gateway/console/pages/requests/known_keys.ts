import type { AnswerOf } from "../../../admin_api/operations.ts";
import { AUDIT_KEY_ID, AUDIT_KEY_NAME, stateOf } from "../../../domain/policy/key.ts";
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

/** Keys that are loaded at once; of more, only those in use are loaded. */
const LOADED_MAX = 500;
/** Pages that are searched for a name. */
const PAGES_SEARCHED = 25;

/** The keys that a text means. */
export interface CalledKeys {
  readonly keys: readonly KnownKey[];
  /** False when the search of names was given up before its end: older keys may have the name too. */
  readonly isComplete: boolean;
}

/** The keys of the service, as far as a page needs them. */
export class KeyDirectory {
  readonly #view: View;
  /** All keys; `undefined` where there are too many to choose from. */
  readonly all: KnownKeys | undefined;

  constructor(view: View, all: KnownKeys | undefined) {
    this.#view = view;
    this.all = all;
  }

  /** Returns the key of an id, or the keys of a name, regardless of case. */
  async called(text: string): Promise<CalledKeys> {
    if (text === "") return { keys: [], isComplete: true };
    if (this.all !== undefined) return { keys: this.all.called(text), isComplete: true };
    const exact = text.includes(",") ? [] : await this.#load({ ids: text });
    return exact.length > 0 ? { keys: exact, isComplete: true } : await this.#named(text);
  }

  /** Returns the keys of some requests. */
  async of(requests: readonly { readonly key: string }[]): Promise<KnownKeys> {
    if (this.all !== undefined) return this.all;
    const ids = new Set(requests.map(({ key }) => key));
    return new KnownKeys(ids.size === 0 ? [] : await this.#load({ ids: [...ids].join(",") }));
  }

  async #load(query: { readonly ids: string }): Promise<readonly KnownKey[]> {
    const { keys } = await this.#view.load("GET /keys", { query });
    return keys.map((key) => knownKey(key, this.#view.nowMs));
  }

  async #named(name: string): Promise<CalledKeys> {
    const limit = String(LOADED_MAX);
    const keys: KnownKey[] = [];
    let cursor: string | undefined;
    for (let pages = 0; pages < PAGES_SEARCHED; pages++) {
      const answer: KeyPage = await this.#view.load("GET /keys", {
        query: { q: name, limit, cursor },
      });
      const page = new KnownKeys(answer.keys.map((key) => knownKey(key, this.#view.nowMs)));
      keys.push(...page.called(name));
      if (answer.cursor === null) return { keys, isComplete: true };
      cursor = answer.cursor;
    }
    return { keys, isComplete: false };
  }
}

type KeyPage = AnswerOf<"GET /keys">;

/** Loads the keys, where they are few enough. */
export async function keyDirectory(view: View): Promise<KeyDirectory> {
  const { keys, cursor } = await view.load("GET /keys", { query: { limit: String(LOADED_MAX) } });
  const all = keys.map((key) => knownKey(key, view.nowMs));
  return new KeyDirectory(view, cursor === null ? new KnownKeys(all) : undefined);
}

function knownKey(key: KeyPage["keys"][number], nowMs: number): KnownKey {
  const { id, name, hint } = key;
  return { id, name, hint, isOver: ["revoked", "expired"].includes(stateOf(key, nowMs)) };
}
