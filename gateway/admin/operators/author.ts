import type { TrailAuthor } from "../../domain/operators/trail.ts";
import type { AdminContext } from "../deps.ts";

/** Returns who makes a request, and from where, for the audit log. */
export function authorOf(context: AdminContext): TrailAuthor {
  const { kind, id, name } = context.get("actor");
  const address = context.env?.remoteAddress || null;
  return { kind, id, name, address, requestId: context.get("requestId") };
}
