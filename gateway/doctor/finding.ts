/** The result of one check. */
export interface Finding {
  /** Subject, in one or two words. */
  readonly check: string;
  /** `skipped`: the check was impossible, which is no fault. */
  readonly status: "ok" | "warning" | "failure" | "skipped";
  readonly message: string;
  /** Remedy. */
  readonly advice?: string | undefined;
}

/** Returns a finding without a problem. */
export function ok(check: string, message: string): Finding {
  return { check, status: "ok", message };
}

/** Returns a problem to solve when there is time. */
export function warning(check: string, message: string, advice: string): Finding {
  return { check, status: "warning", message, advice };
}

/** Returns a problem that breaks or endangers the service. */
export function failure(check: string, message: string, advice: string): Finding {
  return { check, status: "failure", message, advice };
}

/** Returns the finding of an impossible check. */
export function skipped(check: string, message: string): Finding {
  return { check, status: "skipped", message };
}
