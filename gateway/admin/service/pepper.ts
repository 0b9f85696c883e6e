import { ServiceFault } from "../../domain/fault.ts";
import type { PepperChange, PepperRefusal, PepperVersions } from "../../flows/keys/pepper_book.ts";
import { usersText } from "../../flows/keys/pepper_use.ts";
import { invariant } from "../../domain/invariant.ts";
import type { AnswerOf } from "../../admin_api/operations.ts";
import type { AdminDeps } from "../deps.ts";
import type { Handlers } from "../routes.ts";

/** Handlers of the pepper of key digests, and of the one before it. */
export function pepperHandlers(deps: AdminDeps) {
  const { adminTokens, pepperBook } = deps;
  const changed = async (change: () => Promise<PepperChange>) => {
    await adminTokens.idle();
    requireDone(await change());
    return await pepperJson(deps);
  };
  return {
    "GET /pepper": () => pepperJson(deps),
    "POST /pepper/rotate": ({ entry }) =>
      changed(() => pepperBook.rotate({ entry: entry(versionsState) })),
    "POST /pepper/drop": ({ entry }) =>
      changed(() => pepperBook.drop({ entry: entry(versionsState) })),
  } satisfies Partial<Handlers>;
}

/** Returns the peppers as the audit log shows them. */
function versionsState([current, previous]: PepperVersions) {
  return { current, previous: previous ?? null };
}

async function pepperJson(
  { adminTokens, pepperBook }: AdminDeps,
): Promise<AnswerOf<"GET /pepper">> {
  // The token of this request may be moving to the current pepper.
  await adminTokens.idle();
  const [current, previous] = await pepperBook.uses();
  invariant(current !== undefined, "There is a current pepper");
  // The ids are those of keys to be used, rotated or revoked.
  const { keyIds: _ids, ...summary } = current;
  return { current: summary, previous: previous ?? null };
}

function requireDone(change: PepperChange): void {
  if (!change.ok) throw new ServiceFault("conflict", { message: reasonOf(change.refusal) });
}

function reasonOf(refusal: PepperRefusal): string {
  switch (refusal.code) {
    case "pepper_given":
      return "The pepper is given by SERVICE_KEY_PEPPER: start the service with the new one in " +
        "it, and the old one in SERVICE_KEY_PEPPER_PREVIOUS";
    case "no_previous":
      return "There is only one pepper, and keys use it";
    case "in_use":
      return `The previous pepper is still needed by ${usersText(refusal.use)}; a ` +
        "key moves when it is used, and one that is not can be rotated or revoked";
  }
}
