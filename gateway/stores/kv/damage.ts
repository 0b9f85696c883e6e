import { StoreError } from "../../ports/store_error.ts";
import { MAX_PROBLEMS } from "./limits.ts";

const DAMAGED = "Cannot read the store: a row is damaged";

/** Damaged rows that were met: they do not mend themselves, and a restart alone does not help. */
export class Damage {
  readonly #onDamage: (message: string) => void;
  readonly #told = new Set<string>();
  #first: string | undefined;

  /** `onDamage` is called once for each kind of damage. */
  constructor(onDamage: (message: string) => void = () => {}) {
    this.#onDamage = onDamage;
  }

  /** What was met first; `undefined` where nothing was. */
  get first(): string | undefined {
    return this.#first;
  }

  /** The error to pass on. Where it tells of a damaged row, that is noted. */
  note(error: unknown): unknown {
    // What is in a row was written as JSON by this program.
    const isDamage = error instanceof SyntaxError ||
      (error instanceof StoreError && error.isDamage);
    if (!isDamage) return error;
    const message = error.message;
    this.#first ??= message;
    if (!this.#told.has(message) && this.#told.size < MAX_PROBLEMS) {
      this.#told.add(message);
      this.#onDamage(message);
    }
    return error instanceof StoreError
      ? error
      : new StoreError(DAMAGED, { cause: error, isDamage: true });
  }

  /**
   * The store, with what its methods reject with noted. `only`: of these methods, where the others are
   * called too often and read no rows.
   */
  watched<Store extends object>(store: Store, only?: readonly (keyof Store)[]): Store {
    const wrapped = new Map<PropertyKey, unknown>();
    return new Proxy(store, {
      get: (target, name) => {
        const member: unknown = Reflect.get(target, name, target);
        if (typeof member !== "function") return member;
        if (only?.every((one) => one !== name)) return member.bind(target);
        const known = wrapped.get(name);
        if (known !== undefined) return known;
        const method = (...args: unknown[]): unknown => {
          try {
            return this.#watchedResult(Reflect.apply(member, target, args));
          } catch (error) {
            throw this.note(error);
          }
        };
        wrapped.set(name, method);
        return method;
      },
    });
  }

  #watchedResult(result: unknown): unknown {
    if (result instanceof Promise) {
      return result.then((value) => this.#watchedResult(value), (error) => {
        throw this.note(error);
      });
    }
    if (isIterable(result)) return this.#watchedSteps(result);
    // A reading of the journal, whose entries are read later.
    return isReading(result) ? this.watched(result) : result;
  }

  async *#watchedSteps(steps: AsyncIterable<unknown>): AsyncGenerator<unknown> {
    try {
      yield* steps;
    } catch (error) {
      throw this.note(error);
    }
  }
}

function isIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === "object" && value !== null && Symbol.asyncIterator in value;
}

function isReading(value: unknown): value is { readonly entries: () => unknown } {
  return typeof value === "object" && value !== null && "entries" in value &&
    typeof value.entries === "function" && !(value instanceof Map) && !Array.isArray(value);
}
