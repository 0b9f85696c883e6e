import type { HolderAccess } from "../flows/keys/holder_access.ts";
import type { OwnRecords } from "../key_holder/own_records.ts";
import type { Clock } from "../ports/clock.ts";
import type { Logger } from "../ports/logger.ts";

/** Parts of the service that the pages of key holders use. */
export interface KeyPageParts {
  readonly access: Pick<HolderAccess, "enter" | "find" | "leave">;
  readonly records: OwnRecords;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Returns the number of wrong links that an address may send in a minute; 0 is no limit. */
  readonly badLinksPerMinute: () => number;
}
