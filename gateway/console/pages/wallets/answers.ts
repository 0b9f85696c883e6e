import type { AnswerOf } from "../../../admin_api/operations.ts";

/** A wallet. */
export type Wallet = AnswerOf<"GET /wallets/{id}">;

/** An open hold. */
export type Hold = AnswerOf<"GET /wallets/{id}/holds">["holds"][number];

/** Kinds of entries that a statement can be filtered by. */
export const ENTRY_KINDS = [
  ...["credit", "hold", "settle", "void", "expire", "open"] as const,
  ...["debit", "adjust", "refund", "tier", "move", "close"] as const,
] as const;

type AnyEntry = AnswerOf<"GET /wallets/{id}/statement">["entries"][number];
type FieldOf<Kind> = Kind extends unknown ? keyof Kind : never;
type ValueOf<Kind, Name> = Kind extends unknown ? Name extends keyof Kind ? Kind[Name] : never
  : never;

/** An entry of a statement, with the fields of every kind; it lacks those of other kinds. */
export type Entry =
  & Pick<AnyEntry, keyof AnyEntry>
  & { readonly [Name in FieldOf<AnyEntry>]?: ValueOf<AnyEntry, Name> | undefined };
