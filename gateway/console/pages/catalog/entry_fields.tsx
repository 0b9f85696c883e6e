/**
 * Fields of the forms of models, tiers and upstreams: with what was entered, and what the API says of it.
 *
 * @module
 */

import * as ui from "../../components/mod.ts";
import { sharedMessages } from "../../messages/shared.ts";
import type { InView } from "../../page.ts";
import { editMessages } from "./edit_messages.ts";
import { type Problem, problemText } from "./problems.ts";

/** A part of the catalog that is a list of entries with ids. */
export type Part = "models" | "tiers" | "upstreams";

/** A form with what was entered. */
export interface Entered {
  readonly part: Part;
  /** Of the entry, as it is or as it was entered. */
  readonly id: string;
  readonly fields: URLSearchParams;
  /** The version that the form began with. */
  readonly base: number;
  /** The problems that the API has found in it. */
  readonly problems: readonly Problem[];
}

/** Makes the fields of an entry's form, with what the API has found wrong with each. */
export function entryInputs(entered: Entered) {
  const { fields } = entered;
  return ui.inputs({ fields, errorOf: (name) => errorIn(entered, name) });
}

/** The id, which is chosen once: of a new entry alone. */
export function NewId({ view, entered, id }: InView<{ entered: Entered; id: string | undefined }>) {
  const say = view.say(editMessages);
  if (id !== undefined) return null;
  return entryInputs(entered)("id", say.id, { hint: say.idHint, isRequired: true });
}

/** Names of the groups of fields whose problems {@linkcode EnteredError} shows. */
const GROUPS: readonly string[] = ["price", "endpoints", "apiKey"];

/** Problems of fields that form one entry together, or that have no field of their own name. */
export function EnteredError(
  { entered, name }: { entered: Entered; name: "price" | "endpoints" | "apiKey" },
) {
  const own = ownOf(entered).filter(({ field }) => field === name);
  if (own.length === 0) return null;
  return <p class="error" id={`error-${name}`}>{sentences(own)}</p>;
}

/** The head of a form that was refused: what is wrong elsewhere, or that something is marked below. */
export function Refused({ view, entered }: InView<{ entered: Entered }>) {
  const { problems, fields } = entered;
  if (problems.length === 0) return null;
  const marked = ownOf(entered).filter(({ field }) =>
    GROUPS.includes(field) || [...fields.keys()].some((name) => isOf(name, field))
  );
  const elsewhere = problems.filter((each) => !marked.includes(each));
  return (
    <ui.Notice kind="problem">
      {elsewhere.length === 0
        ? view.say(sharedMessages).fixThese
        : <ProblemLines problems={elsewhere} />}
    </ui.Notice>
  );
}

/** Problems, each with the entry that it is about. */
export function ProblemLines({ problems }: { problems: readonly Problem[] }) {
  return (
    <ul class="plain">
      {problems.map(problemText).map((line) => <li key={line}>{ui.shownText(line)}</li>)}
    </ul>
  );
}

function errorIn(entered: Entered, name: string): string | undefined {
  const own = ownOf(entered).filter(({ field }) => isOf(name, field));
  return own.length === 0 ? undefined : sentences(own);
}

/** True where one of the fields has a value or a mistake: then it is not hidden. */
export function isEntered(entered: Entered, names: readonly string[]): boolean {
  return isWrong(entered, names) || names.some((name) => (entered.fields.get(name) ?? "") !== "");
}

/** True where one of the fields has a mistake. */
export function isWrong(entered: Entered, names: readonly string[]): boolean {
  return names.some((name) => errorIn(entered, name) !== undefined);
}

/** Returns the problems of the form's own entry. */
function ownOf({ id, part, problems }: Entered): readonly Problem[] {
  return problems.filter((each) => each.part === part && each.id === id);
}

/** True when a field of the form has the name that the API uses, or is a list or an object with it. */
function isOf(name: string, field: string): boolean {
  return field === name || field.startsWith(`${name}.`);
}

function sentences(problems: readonly Problem[]): string {
  return ui.shownText([...new Set(problems.map(({ text }) => text))].join("; "));
}
