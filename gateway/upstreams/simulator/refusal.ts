import { isJsonObject } from "@svc/sdk/protocol";

/** A refused request, as a provider would refuse it. It is returned and never thrown. */
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

/** True for a {@linkcode Refusal}; for unions with types that have other members. */
export function isRefusal(value: unknown): value is Refusal {
  return isJsonObject(value) && value.kind === "refusal";
}
