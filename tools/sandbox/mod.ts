/**
 * Parts of the local tools for tools of other packages: a program that is ended with all its
 * processes, and the question for a permission.
 *
 * @module
 */

export { type ChildGroup, startGroup } from "./child_group.ts";
export { GRACE_MS, timeLimit } from "./limits.ts";
export { isGranted, type PermissionWait } from "./permission.ts";
export type { GroupCommand } from "./process_group.ts";
