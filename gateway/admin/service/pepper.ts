import { ServiceFault } from "../../domain/fault.ts";
import { type PepperChange, type PepperRefusal, whatStands } from "../../flows/keys/pepper_book.ts";
import type { AdminApp, AdminContext, AdminDeps } from "../deps.ts";
import { resource } from "../resource.ts";

/** `/pepper`: what keys are digested under, and what still stands under the one before. */
export function servePepper(app: AdminApp, deps: AdminDeps): void {
  const { pepperBook } = deps;
  const changes = { rotate: () => pepperBook.rotate(), drop: () => pepperBook.drop() };
  resource(app, "/pepper", { GET: (context) => showPepper(context, deps) });
  for (const [verb, change] of Object.entries(changes)) {
    resource(app, `/pepper/${verb}`, {
      POST: async (context) => {
        await deps.adminTokens.idle();
        requireDone(await change());
        return await showPepper(context, deps);
      },
    });
  }
}

async function showPepper(context: AdminContext, deps: AdminDeps): Promise<Response> {
  const { adminTokens, pepperBook } = deps;
  // The token of this very request may be moving.
  await adminTokens.idle();
  const [current, previous] = (await pepperBook.standing()).map(({ keyIds, ...rest }) => ({
    ...rest,
    keys: keyIds.length,
    keyIds,
  }));
  // The ids are those of keys to be used, rotated or revoked.
  const { keyIds: _ids, ...summary } = { ...current };
  return context.json({ current: summary, previous: previous ?? null });
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
      return "There is one pepper only, and keys stand under it";
    case "in_use":
      return `The previous pepper is still needed: ${whatStands(refusal.standing)} under it; a ` +
        "key moves when it is used, and one that is not can be rotated or revoked";
  }
}
