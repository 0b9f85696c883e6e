/** What a permission is asked about. */
interface Descriptor {
  readonly name: string;
  readonly variable?: string;
}

/** The part of Deno that says what the process may do. */
interface DenoPermissions {
  querySync(descriptor: Descriptor): { state: string };
}

/**
 * Whether the process may do something: on Node and Bun always. Asking this way never makes Deno ask
 * its user.
 */
export function isPermitted(descriptor: Descriptor): boolean {
  const permissions: DenoPermissions | undefined = Reflect.get(globalThis, "Deno")?.permissions;
  return permissions === undefined || permissions.querySync(descriptor).state === "granted";
}
