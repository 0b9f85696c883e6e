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
  /** What the API has found wrong with it. */
  readonly problems: readonly Problem[];
}

interface EnteredProps {
  readonly entered: Entered;
  readonly name: string;
  readonly label: string;
  readonly hint?: string;
}

/** A line of text whose value and error are those of the form. */
export function EnteredText(
  { entered, name, ...props }: EnteredProps & {
    isRequired?: boolean;
    inputmode?: "decimal" | "numeric";
  },
) {
  return <ui.TextField name={name} {...props} {...enteredIn(entered, name)} />;
}

/** The id, which is chosen once: of a new entry alone. */
export function NewId({ view, entered, id }: InView<{ entered: Entered; id: string | undefined }>) {
  const say = view.say(editMessages);
  if (id !== undefined) return null;
  return <EnteredText entered={entered} name="id" label={say.id} hint={say.idHint} isRequired />;
}

/** Several lines. */
export function EnteredLines({ entered, name, ...props }: EnteredProps) {
  return <ui.TextArea name={name} rows={3} {...props} {...enteredIn(entered, name)} />;
}

/** One of several; by their names, where they have any. */
export function EnteredChoice(
  { entered, name, options, ...props }: EnteredProps & {
    options: readonly string[] | Readonly<Record<string, string>>;
  },
) {
  const own = enteredIn(entered, name);
  const named = isList(options) ? options.map((each) => [each, each]) : Object.entries(options);
  // What is no choice any more stays in sight: else the first one would take its place unseen.
  const isThere = own.value === "" || named.some(([value]) => value === own.value);
  const all = isThere ? named : [[own.value, own.value], ...named];
  return (
    <ui.SelectField
      name={name}
      {...props}
      {...own}
      options={all.map(([value = "", text = ""]) => ({ value, text }))}
    />
  );
}

/** What {@linkcode EnteredError} stands for. */
const GROUPS: readonly string[] = ["price", "endpoints", "apiKey"];

/** What is wrong with fields that are one entry together, or with what is no field. */
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

/** Value and error of a field. */
function enteredIn(
  entered: Entered,
  name: string,
): { readonly value: string; readonly error?: string } {
  const own = ownOf(entered).filter(({ field }) => isOf(name, field));
  return {
    value: entered.fields.get(name) ?? "",
    ...(own.length === 0 ? {} : { error: sentences(own) }),
  };
}

/** True where one of the fields has a value or a mistake: then it is not hidden. */
export function isEntered(entered: Entered, names: readonly string[]): boolean {
  return names.some((name) => {
    const { value, error } = enteredIn(entered, name);
    return value !== "" || error !== undefined;
  });
}

/** True where one of the fields has a mistake. */
export function isWrong(entered: Entered, names: readonly string[]): boolean {
  return names.some((name) => enteredIn(entered, name).error !== undefined);
}

/** What is wrong with the entry of the form. */
function ownOf({ id, part, problems }: Entered): readonly Problem[] {
  return problems.filter((each) => each.part === part && each.id === id);
}

/** Whether a field of the form is what the API calls so, or a list or an object that has it. */
function isOf(name: string, field: string): boolean {
  return field === name || field.startsWith(`${name}.`);
}

function sentences(problems: readonly Problem[]): string {
  return ui.shownText([...new Set(problems.map(({ text }) => text))].join("; "));
}

function isList(
  options: readonly string[] | Readonly<Record<string, string>>,
): options is readonly string[] {
  return Array.isArray(options);
}
