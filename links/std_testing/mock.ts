/**
 * Stands in for `@std/testing/mock` where JSR cannot be reached: spies and stubs of methods.
 *
 * @module
 */

/** Parameters of a method. */
export type GetParametersFromProp<Self, Prop extends keyof Self> = Self[Prop] extends
  (...args: infer Args) => unknown ? Args : unknown[];

/** Return type of a method. */
export type GetReturnFromProp<Self, Prop extends keyof Self> = Self[Prop] extends
  (...args: never[]) => infer Return ? Return : unknown;

/** One recorded call. */
export interface SpyCall<Self, Args extends unknown[], Return> {
  /** Arguments of the call. */
  args: Args;
  /** The returned value. */
  returned?: Return;
  /** The object that the method was called on. */
  self?: Self;
}

/** A method that records its calls until it is restored. */
export interface MethodSpy<Self, Args extends unknown[], Return> extends Disposable {
  /** The calls that have returned, the oldest first. */
  calls: SpyCall<Self, Args, Return>[];
  /** Gives the object its own method back. */
  restore(): void;
}

/** A replaced method that records its calls until it is restored. */
export type Stub<Self, Args extends unknown[], Return> = MethodSpy<Self, Args, Return>;

/** The spy of a method. */
type SpyOf<Self, Prop extends keyof Self> = MethodSpy<
  Self,
  GetParametersFromProp<Self, Prop>,
  GetReturnFromProp<Self, Prop>
>;

/** Replaces a method by a function; the calls are recorded. */
export function stub<Self extends object, Prop extends keyof Self>(
  self: Self,
  property: Prop,
  func: (
    this: Self,
    ...args: GetParametersFromProp<Self, Prop>
  ) => GetReturnFromProp<Self, Prop>,
): SpyOf<Self, Prop> {
  const own = Object.getOwnPropertyDescriptor(self, property);
  const calls: SpyOf<Self, Prop>["calls"] = [];
  const restore = () => {
    if (own === undefined) delete self[property];
    else Object.defineProperty(self, property, own);
  };
  Object.defineProperty(self, property, {
    configurable: true,
    enumerable: own?.enumerable ?? false,
    writable: true,
    value(this: Self, ...args: GetParametersFromProp<Self, Prop>) {
      const returned = func.apply(this, args);
      calls.push({ args, returned, self: this });
      return returned;
    },
  });
  return { calls, restore, [Symbol.dispose]: restore };
}

/** Records the calls of a method, which still does its work. */
export function spy<Self extends object, Prop extends keyof Self>(
  self: Self,
  property: Prop,
): SpyOf<Self, Prop> {
  const original: unknown = self[property];
  if (typeof original !== "function") throw new TypeError("The property is not a method");
  return stub(self, property, function (...args) {
    return Reflect.apply(original, this, args);
  });
}
