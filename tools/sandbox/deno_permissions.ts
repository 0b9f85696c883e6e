/** What a permission is asked about. */
interface Descriptor {
  readonly name: string;
  readonly variable?: string;
}

/** The part of Deno that says what the process may do. */
interface DenoPermissions {
  querySync(descriptor: Descriptor): { readonly state: string; readonly partial?: boolean };
}

const NAMES = ["read", "write", "net", "env", "sys", "run", "ffi", "import"];

function permissions(): DenoPermissions | undefined {
  return Reflect.get(globalThis, "Deno")?.permissions;
}

/**
 * Whether the process may do something: on Node and Bun always. Asking this way never makes Deno ask
 * its user.
 */
export function isPermitted(descriptor: Descriptor): boolean {
  return (permissions()?.querySync(descriptor).state ?? "granted") === "granted";
}

/** True where the process may do everything, without an exception. */
export function isUnrestricted(): boolean {
  const asked = permissions();
  return asked === undefined || NAMES.every((name) => isWhole(asked, name));
}

function isWhole(asked: DenoPermissions, name: string): boolean {
  try {
    const { state, partial } = asked.querySync({ name });
    return state === "granted" && partial !== true;
  } catch (error) {
    // An older Deno has no permission of that name to withhold.
    if (error instanceof TypeError) return true;
    throw error;
  }
}
