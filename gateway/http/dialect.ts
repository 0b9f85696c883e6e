import { askedDialect, type Dialect, DIALECT_HEADER, DIALECTS } from "@svc/sdk/protocol";
import { ServiceFault } from "../domain/fault.ts";
import type { KeyPolicy } from "../domain/policy/policy.ts";
import type { HeaderLookUp } from "./request_headers.ts";

/**
 * Returns the dialect of a call: the one in its header, else the one of its key's policy, else the
 * one that its client is known to need. Throws a {@linkcode ServiceFault} for an unknown dialect in
 * the header. No other code depends on which client calls.
 */
export function dialectOf(
  headers: HeaderLookUp,
  { dialect = "auto" }: Pick<KeyPolicy, "dialect">,
): Dialect {
  const isStated = headers.has(DIALECT_HEADER);
  if (!isStated && dialect !== "auto") return dialect;
  const requested = askedDialect(headers)?.trim().toLowerCase() ?? "service";
  const known = DIALECTS.find((name) => name === requested);
  if (known !== undefined) return known;
  throw new ServiceFault("invalid_request", {
    message: `Send ${DIALECT_HEADER} as one of ${
      DIALECTS.map((name) => `"${name}"`).join(", ")
    }, or leave it out`,
    param: DIALECT_HEADER,
  });
}
