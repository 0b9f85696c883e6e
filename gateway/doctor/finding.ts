/** What one look came to. */
export interface Finding {
  /** What was looked at, one word or two. */
  readonly check: string;
  /** `skipped`: it could not be looked at, and that is no fault. */
  readonly status: "ok" | "warning" | "failure" | "skipped";
  readonly message: string;
  /** What to do about it. */
  readonly advice?: string | undefined;
}

/** All is well. */
export function ok(check: string, message: string): Finding {
  return { check, status: "ok", message };
}

/** Something to mend when there is time. */
export function warning(check: string, message: string, advice: string): Finding {
  return { check, status: "warning", message, advice };
}

/** Something that does not work, or is not safe. */
export function failure(check: string, message: string, advice: string): Finding {
  return { check, status: "failure", message, advice };
}

/** It was not looked at. */
export function skipped(check: string, message: string): Finding {
  return { check, status: "skipped", message };
}
