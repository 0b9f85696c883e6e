import type { Child } from "@hono/hono/jsx";
import type { Refusal } from "../api.ts";
import { sharedMessages } from "../messages/shared.ts";
import type { InReading } from "../page.ts";
import { Notice } from "./blocks.tsx";

/** Choices of a select: values, or values with their texts. */
export type Choices =
  | readonly (string | readonly [value: string, text: string])[]
  | Readonly<Record<string, string>>;

/** The values entered in a form, and their problems. */
export interface FormState {
  readonly fields: URLSearchParams;
  /** Returns the problem of a field; `undefined` where it has none. */
  readonly errorOf: (name: string) => string | undefined;
}

/** Properties of a field beside its name and its label. */
export interface FieldOptions {
  readonly hint?: Child;
  /** @default {what was entered} */
  readonly value?: string | undefined;
  /** @default {the problem that the form has of it} */
  readonly error?: string | undefined;
  /** Makes the field a select. */
  readonly options?: Choices;
  /** Makes the field one of several lines, such as JSON, with this many in sight. */
  readonly rows?: number;
  /** @default {"text"} */
  readonly type?: "text" | "password" | "number" | "search" | "datetime-local";
  readonly isRequired?: boolean;
  readonly autocomplete?: string;
  readonly inputmode?: "decimal" | "numeric";
  readonly maxLength?: number;
}

/**
 * A form that changes something: a POST to this page or to `action`. With a refusal it says at its head
 * why nothing was changed; fields show theirs by {@linkcode fieldError}. No browser fills it in as it
 * was sent before: an id that makes it count once would be filled in as well.
 */
export function ChangeForm(
  { action, refusal, children }: {
    action?: string;
    refusal?: Refusal | undefined;
    children: Child;
  },
) {
  return (
    <form method="post" action={action} class="change" autocomplete="off">
      {refusal !== undefined && <Notice kind="problem">{refusal.message}</Notice>}
      {children}
    </form>
  );
}

/** The state of a form that the API may have refused; `fields` are those that were sent. */
export function formState(fields: URLSearchParams, refusal: Refusal | undefined): FormState {
  return { fields, errorOf: (name) => fieldError(refusal, name) };
}

/** The message of a refusal that is about one field; `undefined` where it is about another. */
export function fieldError(refusal: Refusal | undefined, param: string): string | undefined {
  return refusal?.param === param ? refusal.message : undefined;
}

/** Makes the fields of a form, each with its value and its problem. */
export function inputs({ fields, errorOf }: FormState) {
  return (name: string, label: string, options: FieldOptions = {}) => (
    <Field
      key={name}
      {...{ name, label, value: fields.get(name) ?? "", error: errorOf(name), ...options }}
    />
  );
}

/** A field with its label: a line or several lines of text, or a select. */
export function Field(props: FieldOptions & { readonly name: string; readonly label: string }) {
  const { name, label, hint, error, value, options, rows } = props;
  const described = [
    ...(error === undefined ? [] : [`error-${name}`]),
    ...(hint === undefined ? [] : [`hint-${name}`]),
  ].join(" ");
  const control = {
    id: `field-${name}`,
    ...(described === "" ? {} : { "aria-describedby": described }),
    ...(error === undefined ? {} : { "aria-invalid": true }),
    name,
  };
  return (
    <div class={error === undefined ? "field" : "field field-wrong"}>
      <label for={`field-${name}`}>{label}</label>
      {options !== undefined
        ? (
          <select {...control}>
            <Options options={options} value={value} />
          </select>
        )
        : rows !== undefined
        ? <textarea {...control} rows={rows} spellcheck={false}>{value ?? ""}</textarea>
        : (
          <input
            {...control}
            type={props.type ?? "text"}
            value={value}
            required={props.isRequired}
            autocomplete={props.autocomplete ?? "off"}
            inputmode={props.inputmode}
            maxlength={props.maxLength}
            spellcheck={false}
          />
        )}
      {hint !== undefined && <p class="hint" id={`hint-${name}`}>{hint}</p>}
      {error !== undefined && <p class="error" id={`error-${name}`}>{error}</p>}
    </div>
  );
}

/**
 * The choices of a select. A value that is no choice any more stays in sight: else the first one would
 * take its place unseen.
 */
export function Options({ options, value = "" }: { options: Choices; value?: string | undefined }) {
  const named = pairs(options);
  const isThere = value === "" || named.some(([known]) => known === value);
  const all = isThere ? named : [...named, [value, value] as const];
  return (
    <>
      {all.map(([known, text]) => (
        <option key={known} value={known} selected={known === value}>{text}</option>
      ))}
    </>
  );
}

function pairs(options: Choices): readonly (readonly [value: string, text: string])[] {
  if (!isList(options)) return Object.entries(options);
  return options.map((option) => typeof option === "string" ? [option, option] : option);
}

function isList(options: Choices): options is Exclude<Choices, Readonly<Record<string, string>>> {
  return Array.isArray(options);
}

/** Yes or no: `on` where it is checked, else absent. */
export function CheckField(
  { name, label, isChecked, value }: {
    name: string;
    label: Child;
    isChecked?: boolean;
    value?: string;
  },
) {
  return (
    <label class="check">
      <input type="checkbox" name={name} value={value} checked={isChecked} />
      <span>{label}</span>
    </label>
  );
}

/** Several fields that belong together. */
export function FieldGroup({ legend, children }: { legend: string; children: Child }) {
  return (
    <fieldset>
      <legend>{legend}</legend>
      {children}
    </fieldset>
  );
}

/** Fields that are seldom needed: folded, unless something stands in them or is wrong with them. */
export function Fold(
  { title, isOpen, children }: { title: string; isOpen: boolean; children: Child },
) {
  return (
    <details class="fold" open={isOpen}>
      <summary>{title}</summary>
      <fieldset aria-label={title}>{children}</fieldset>
    </details>
  );
}

/** Values that are sent along with a form, by their names. */
export function HiddenFields({ values }: { values: Readonly<Record<string, string>> }) {
  return (
    <>
      {Object.entries(values).map(([name, value]) => (
        <input key={name} type="hidden" name={name} value={value} />
      ))}
    </>
  );
}

/** The end of a form: what sends it, and a way back. */
export function FormEnd({ view, submit, isDangerous, cancelHref }: InReading<{
  submit: string;
  isDangerous?: boolean;
  cancelHref?: string;
}>) {
  return (
    <div class="actions form-end">
      <button type="submit" class={isDangerous ? "button danger" : "button primary"}>
        {submit}
      </button>
      {cancelHref !== undefined && (
        <a class="button" href={cancelHref}>{view.say(sharedMessages).cancel}</a>
      )}
    </div>
  );
}
