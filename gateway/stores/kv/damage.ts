import { StoreError } from "../../ports/store_error.ts";
import { MAX_PROBLEMS } from "./limits.ts";

const DAMAGED = "Cannot read the store: a row is damaged";

/** Records damaged rows, which a restart does not repair. */
export class Damage {
  readonly #onDamage: (message: string) => void;
  readonly #reported = new Set<string>();
  #first: string | undefined;

  /** `onDamage` is called once for each kind of damage. */
  constructor(onDamage: (message: string) => void = () => {}) {
    this.#onDamage = onDamage;
  }

  /** The first damage; `undefined` without any. */
  get first(): string | undefined {
    return this.#first;
  }

  /** Returns the error, and records it if it reports a damaged row. */
  note(error: unknown): unknown {
    // Rows were written as JSON by this program.
    const isDamage = error instanceof SyntaxError ||
      (error instanceof StoreError && error.isDamage);
    if (!isDamage) return error;
    const message = error.message;
    this.#first ??= message;
    if (!this.#reported.has(message) && this.#reported.size < MAX_PROBLEMS) {
      this.#reported.add(message);
      this.#onDamage(message);
    }
    return error instanceof StoreError
      ? error
      : new StoreError(DAMAGED, { cause: error, isDamage: true });
  }

  /**
   * Wraps a store so that each error of its methods is recorded. `only` limits the methods, when
   * others are called too often and read no rows.
   */
  watched<Store extends object>(store: Store, only?: readonly (keyof Store)[]): Store {
    const watched: Store = Object.create(store);
    for (const [name, { value, get }] of membersOf(store)) {
      if (get !== undefined) {
        Object.defineProperty(watched, name, { get: get.bind(store), configurable: true });
      } else if (typeof value === "function") {
        const method = only?.every((one) => one !== name)
          ? value.bind(store)
          : (...args: unknown[]) => {
            try {
              return this.#watchedResult(Reflect.apply(value, store, args));
            } catch (error) {
              throw this.note(error);
            }
          };
        const kind = { writable: true, configurable: true };
        Object.defineProperty(watched, name, { value: method, ...kind });
      }
    }
    return watched;
  }

  #watchedResult(result: unknown): unknown {
    if (result instanceof Promise) {
      return result.then((value) => this.#watchedResult(value), (error) => {
        throw this.note(error);
      });
    }
    if (isIterable(result)) return this.#watchedSteps(result);
    // A journal reading yields its entries later.
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

/**
 * Returns the members of an object and its classes, the nearest first, without those of `Object`.
 */
function membersOf(object: object): Map<string, PropertyDescriptor> {
  const members = new Map<string, PropertyDescriptor>();
  for (let at = object; at !== Object.prototype; at = Object.getPrototypeOf(at)) {
    for (const [name, member] of Object.entries(Object.getOwnPropertyDescriptors(at))) {
      if (name !== "constructor" && !members.has(name)) members.set(name, member);
    }
  }
  return members;
}
