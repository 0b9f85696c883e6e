import type { AnswerOf } from "../../admin_api/operations.ts";
import { ServiceFault } from "../../domain/fault.ts";
import type { KeyRecord } from "../../domain/policy/key.ts";
import type { Noted } from "../../domain/operators/trail.ts";
import type { HolderAccess } from "../../flows/keys/holder_access.ts";
import type { Pass } from "../../ports/pass_store.ts";
import { PUBLIC_PATHS } from "../../http/public_paths.ts";
import { isoTime } from "../json_values.ts";

/** Parts of the service that make links to the pages of key holders. */
export interface SignInLinkDeps {
  /** Absent where the pages are switched off. */
  readonly holderAccess?: Pick<HolderAccess, "issueLink"> | undefined;
  /** Returns the base URL that applications call. */
  readonly publicUrl: () => string;
}

/**
 * Makes a link that signs the holder of a key in. The code follows a `#`: a browser sends it to no
 * server, so that no log on the way has it.
 */
export async function signInLinkJson(
  key: KeyRecord,
  { holderAccess, publicUrl }: SignInLinkDeps,
  options: Noted<Pass> = {},
): Promise<AnswerOf<"POST /keys/{id}/sign-in-link">> {
  if (holderAccess === undefined) {
    throw new ServiceFault("not_found", {
      message: "The pages of key holders are switched off (SERVICE_KEY_PAGES)",
    });
  }
  const { secret: code, endsAtMs } = await holderAccess.issueLink(key, options);
  const url = `${publicUrl()}${PUBLIC_PATHS.ownPages}/sign-in#${code}`;
  return { url, code, expiresAt: isoTime(endsAtMs) };
}

/** Returns a link as the audit log shows it: the way in is not in it. */
export function linkState({ endsAtMs }: Pass) {
  return { expiresAt: isoTime(endsAtMs) };
}
