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
const PAGES_SEARCHED = 10;

/** The keys of the service, as far as a page needs them. */
export class KeyDirectory {
  readonly #view: View;
  /** All keys; `undefined` where there are too many to choose from. */
  readonly all: KnownKeys | undefined;

  constructor(view: View, all: KnownKeys | undefined) {
    this.#view = view;
    this.all = all;
  }

  /** Returns the key of an id, or all keys of a name, regardless of case. */
  async called(text: string): Promise<readonly KnownKey[]> {
    if (text === "") return [];
    if (this.all !== undefined) return this.all.called(text);
    const [exact] = text.includes(",") ? [] : await this.#load({ ids: text });
    if (exact !== undefined) return [exact];
    return await this.#named(text);
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

  async #named(name: string): Promise<readonly KnownKey[]> {
    const limit = String(LOADED_MAX);
    let cursor: string | undefined;
    for (let page = 0; page < PAGES_SEARCHED; page++) {
      const answer: KeyPage = await this.#view.load("GET /keys", {
        query: { q: name, limit, cursor },
      });
      const matches = new KnownKeys(answer.keys.map((key) => knownKey(key, this.#view.nowMs)))
        .called(name);
      if (matches.length > 0 || answer.cursor === null) return matches;
      cursor = answer.cursor;
    }
    return [];
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
