import type { UncheckedArguments } from "../admin_api/call.ts";
import type { AnswerOf, Target } from "../admin_api/operations.ts";
import type { CatalogContent } from "../domain/catalog/catalog.ts";
import type { ServeSettings } from "../config/settings.ts";

/** Facts and functions that the checks share. */
export interface DoctorContext {
  readonly settings: ServeSettings;
  /** Returns an environment variable; one that may not be read is absent. */
  readonly env: (name: string) => string | undefined;
  /** Calls the operator's API; rejects when it does not answer, or refuses. */
  readonly ask: <Name extends Target>(
    target: Name,
    ...args: UncheckedArguments<Name>
  ) => Promise<AnswerOf<Name>>;
  /**
   * Returns the effects of a change to this catalog, and changes nothing. Rejects as `ask` does.
   */
  readonly rehearse: (content: CatalogContent) => Promise<AnswerOf<"POST /catalog/apply">>;
  /** Classifies a rejection of `ask`: no answer, no token to send, or a refusal. */
  readonly classifyFailure: (error: unknown) => "unreachable" | "no token" | "refused";
  /** Version of this program. */
  readonly version: string;
  /** Unix milliseconds. */
  readonly nowMs: number;
  /** Longest wait for one upstream, in milliseconds. */
  readonly timeoutMs: number;
}

/** State of the service. */
export type ServiceState =
  | { readonly kind: "running"; readonly about: AnswerOf<"GET /service"> }
  | { readonly kind: "stopped" }
  /** A service that does not accept the token. */
  | { readonly kind: "closed"; readonly reason: string };
