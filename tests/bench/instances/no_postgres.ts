import type { Finding } from "../marks.ts";

/** Says that a measurement needs a server that is not there. */
export function noPostgres(name: string): Finding {
  return { name, measured: "SKIPPED: there is no PostgreSQL", mark: "none", met: undefined };
}
