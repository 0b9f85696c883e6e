/** Query of a permission. */
interface Descriptor {
  readonly name: string;
  readonly variable?: string;
}

/** The part of Deno's API that reports permissions. */
interface DenoPermissions {
  querySync(descriptor: Descriptor): { readonly state: string; readonly partial?: boolean };
}

const NAMES = ["read", "write", "net", "env", "sys", "run", "ffi", "import"];

function permissions(): DenoPermissions | undefined {
  return Reflect.get(globalThis, "Deno")?.permissions;
}

/** True when the process has a permission; always on Node and Bun. The query never prompts. */
export function isPermitted(descriptor: Descriptor): boolean {
  return (permissions()?.querySync(descriptor).state ?? "granted") === "granted";
}

/** True when the process has every permission without an exception. */
export function isUnrestricted(): boolean {
  const api = permissions();
  return api === undefined || NAMES.every((name) => isWhole(api, name));
}

function isWhole(permissions: DenoPermissions, name: string): boolean {
  try {
    const { state, partial } = permissions.querySync({ name });
    return state === "granted" && partial !== true;
  } catch (error) {
    // An older Deno has no permission of that name.
    if (error instanceof TypeError) return true;
    throw error;
  }
}
