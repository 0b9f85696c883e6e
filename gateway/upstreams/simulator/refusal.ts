import { isJsonObject } from "@svc/sdk/protocol";

/** The simulator does not take a request, as a provider would not: a value, never thrown. */
export interface Refusal {
  readonly kind: "refusal";
  /** One sentence for the caller. */
  readonly message: string;
  /** Path of the offending field. */
  readonly param: string;
}

/** Makes a {@linkcode Refusal}. */
export function refuse(param: string, message: string): Refusal {
  return { kind: "refusal", message, param };
}

/** Whether a value is a {@linkcode Refusal}; meant for unions with shapes that never look like one. */
export function isRefusal(value: unknown): value is Refusal {
  return isJsonObject(value) && value.kind === "refusal";
}
