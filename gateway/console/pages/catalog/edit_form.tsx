/**
 * What the forms of models, tiers and upstreams have in common: the version they began with, and what
 * the API says of their fields.
 *
 * @module
 */

import type { Refusal } from "../../api.ts";
import { CheckField, TextField } from "../../components/form.tsx";
import type { Outcome, View } from "../../page.ts";
import { type CatalogText, catalogVersion, withThing } from "./content.ts";
import { review, type ShowRefused } from "./review.tsx";

/** A part of the catalog that is a list of things with ids. */
export type Part = "models" | "tiers" | "upstreams";

/** A form with what was entered. */
export interface Entered {
  readonly fields: URLSearchParams;
  /** The version that the form began with. */
  readonly base: number;
  readonly refusal?: Refusal | undefined;
}

/** A line of text whose value and error are those of the form. */
export function EnteredField(
  { entered, part, name, label, hint, isRequired, inputmode }: {
    entered: Entered;
    part: Part;
    name: string;
    label: string;
    hint?: string;
    isRequired?: boolean;
    inputmode?: "decimal" | "numeric";
  },
) {
  return (
    <TextField
      name={name}
      label={label}
      value={entered.fields.get(name) ?? ""}
      error={enteredError(entered, part, name)}
      {...(hint === undefined ? {} : { hint })}
      {...(isRequired === undefined ? {} : { isRequired })}
      {...(inputmode === undefined ? {} : { inputmode })}
    />
  );
}

/** What the API says of a field of the thing that is edited. */
export function enteredError(
  { refusal }: Entered,
  part: Part,
  name: string,
): string | undefined {
  const param = refusal?.param ?? "";
  const own = param.startsWith(`${part}.`) ? param.replace(/^\w+\.\d+\.?/, "") : "";
  return own === name || own.startsWith(`${name}.`) ? refusal?.message : undefined;
}

/** The version that a form began with, kept in it. */
export function BaseField({ base }: { base: number }) {
  return <input type="hidden" name="base" value={String(base)} />;
}

/** Takes the thing out of the catalog instead of changing it. */
export function RemoveField({ entered, label }: { entered: Entered; label: string }) {
  return <CheckField name="remove" label={label} isChecked={entered.fields.has("remove")} />;
}

/** The version that a form says it began with. */
export function baseOf(form: URLSearchParams): number {
  const base = Number(form.get("base"));
  return Number.isSafeInteger(base) && base > 0 ? base : 1;
}

/** Shows what a form would change: its thing put into the catalog that it began with, or taken out. */
export async function reviewThing(
  view: View,
  form: URLSearchParams,
  { part, id, make, refused }: {
    part: Part;
    /** The thing that is edited; `undefined` for a new one. */
    id: string | undefined;
    make: (content: CatalogText) => { readonly id: string };
    refused: ShowRefused;
  },
): Promise<Outcome> {
  const base = baseOf(form);
  const { content } = await catalogVersion(view, String(base));
  const list: readonly { readonly id: string }[] = content[part];
  const edited = form.has("remove")
    ? list.filter((each) => each.id !== id)
    : id === undefined
    ? [...list, make(content)]
    : withThing(list, id, make(content));
  const edit = { content: { ...content, [part]: edited }, base, note: "", isForced: false };
  return await review(view, edit, refused);
}
