import type { CatalogContent } from "../domain/catalog/catalog.ts";
import type { ServeSettings } from "../config/settings.ts";

/** A JSON object of the operator's API. */
export type Answer = Readonly<Record<string, unknown>>;

/** What is examined, and with what. */
export interface DoctorContext {
  readonly settings: ServeSettings;
  /** Looks an environment variable up; one that may not be read is absent. */
  readonly env: (name: string) => string | undefined;
  /** Asks the operator's API; rejects where it does not answer, or refuses. */
  readonly ask: (path: string, query?: Record<string, string>) => Promise<Answer>;
  /** Tells the effects of a change to this catalog, and changes nothing. Rejects as `ask` does. */
  readonly rehearse: (content: CatalogContent) => Promise<Answer>;
  /** What a rejection of `ask` means: nobody is there, there is no token to ask with, or it refused. */
  readonly whyNot: (error: unknown) => "nobody" | "no token" | "refused";
  /** Version of this program. */
  readonly version: string;
  /** Unix milliseconds. */
  readonly nowMs: number;
  /** Longest wait for one upstream. */
  readonly timeoutMs: number;
}

/** The service, as it was found. */
export type ServiceState =
  | { readonly kind: "running"; readonly about: Answer }
  | { readonly kind: "stopped" }
  /** Something is there and does not let us in. */
  | { readonly kind: "closed"; readonly reason: string };
