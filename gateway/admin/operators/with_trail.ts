import type { AdminOperation } from "../../admin_api/operation.ts";
import type { EntryMaker } from "../../domain/operators/trail.ts";
import type { AdminContext, AdminDeps } from "../deps.ts";
import { authorOf } from "./author.ts";

/** A call of a handler whose name, and so its types, are not known. */
export interface AnyCall {
  readonly context: AdminContext;
  readonly mayGoOn: () => Promise<boolean>;
  readonly path: Readonly<Record<string, string>>;
  readonly query: () => unknown;
  readonly body: () => Promise<unknown>;
  /** Absent where the change is not stored with its entry. */
  readonly entry?: EntryMaker | undefined;
}

/** A handler as it is called when its name, and so its types, are not known. */
export type AnyHandler = { handle(call: AnyCall): object | Promise<object> }["handle"];

/** Returns a handler that writes the audit log as its operation says. */
export function withTrail(
  { operation, handler, deps }: {
    readonly operation: AdminOperation;
    readonly handler: AnyHandler;
    readonly deps: Pick<AdminDeps, "trail">;
  },
): AnyHandler {
  const { trail } = deps;
  const { id: action, body, logged = (sent) => sent } = operation;
  const hasBody = body !== undefined;
  const actionOf = (context: AdminContext) => ({
    ...{ author: authorOf(context), action, subject: subjectOf(context) },
  });
  return async (call) => {
    const kind = operation.trail ?? (call.context.req.method === "GET" ? "none" : "change");
    if (kind === "none" || kind === "own") return await handler(call);
    if (kind === "read" || kind === "export") {
      await trail.note({ ...actionOf(call.context), remark: kind });
      return await handler(call);
    }
    // A body that is refused changes nothing: it is checked before the first entry.
    const sent = hasBody ? await call.body() : undefined;
    const noted = hasBody ? { ...call, body: () => Promise.resolve(sent) } : call;
    if (kind === "commit") {
      const action = { ...actionOf(call.context), values: logged(sent) };
      return await trail.together(action, async (entry) => await handler({ ...noted, entry }));
    }
    return await trail.change({ ...actionOf(call.context), values: logged(sent) }, {
      work: async () => await handler(noted),
      // Of what is done outside the store, the result is all that there is to show.
      state: (result) => Promise.resolve(result instanceof Response ? undefined : result),
    });
  };
}

function subjectOf({ req }: AdminContext): string {
  return new URL(req.url).pathname.replace(/^\/admin\/v1/, "");
}
