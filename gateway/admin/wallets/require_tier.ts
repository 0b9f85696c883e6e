import { suggestion } from "../../config/suggestion.ts";
import { ServiceFault } from "../../domain/fault.ts";
import type { AdminDeps } from "../deps.ts";

/** Throws where the catalog has no such tier; the message suggests the nearest one. */
export function requireTier({ catalogs }: Pick<AdminDeps, "catalogs">, tier: string): void {
  const tiers = catalogs.current().tiers.map(({ id }) => id);
  if (tiers.includes(tier)) return;
  throw new ServiceFault("invalid_request", {
    message: `There is no tier "${tier}"${suggestion(tier, tiers)}`,
    param: "tier",
  });
}
