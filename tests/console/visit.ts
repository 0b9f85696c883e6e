import type { TestService } from "../fixtures/service.ts";

/** A page to picture and to check, as somebody finds it. */
export interface Visit {
  /** Name of its pictures. */
  readonly name: string;
  /** Below `/console`; may need what `prepare` made. */
  readonly path: string;
  /** Seen by somebody who has not signed in. @default {false} */
  readonly isPublic?: boolean;
  /** Makes what the page is to show. @default {nothing} */
  readonly prepare?: (service: TestService) => Promise<void>;
}
