import type { Child } from "@hono/hono/jsx";
import type { Refusal } from "../api.ts";
import { sharedMessages } from "../messages/shared.ts";
import type { InView } from "../page.ts";
import { Notice } from "./notice.tsx";

/** What a field has beside its control. */
interface FieldProps {
  readonly name: string;
  readonly label: string;
  readonly hint?: Child;
  /** What is wrong with what was entered. */
  readonly error?: string | undefined;
}

/** What a field of text takes. */
export interface TextFieldProps extends FieldProps {
  readonly value?: string | undefined;
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

/** What a refusal says of one field; `undefined` where it is about another. */
export function fieldError(refusal: Refusal | undefined, param: string): string | undefined {
  return refusal?.param === param ? refusal.message : undefined;
}

/** One line of text. */
export function TextField(props: TextFieldProps) {
  const { name, value, type = "text", isRequired, autocomplete, inputmode, maxLength } = props;
  return (
    <Field {...props}>
      <input
        {...control(props)}
        name={name}
        type={type}
        value={value}
        required={isRequired}
        autocomplete={autocomplete ?? "off"}
        inputmode={inputmode}
        maxlength={maxLength}
        spellcheck={false}
      />
    </Field>
  );
}

/** Several lines of text, such as JSON. */
export function TextArea(props: FieldProps & { value?: string; rows?: number }) {
  return (
    <Field {...props}>
      <textarea {...control(props)} name={props.name} rows={props.rows ?? 8} spellcheck={false}>
        {props.value ?? ""}
      </textarea>
    </Field>
  );
}

/** A choice of a select. */
export interface Choice {
  readonly value: string;
  readonly text: string;
}

/** One of several. */
export function SelectField(
  props: FieldProps & { value?: string | undefined; options: readonly Choice[] },
) {
  return (
    <Field {...props}>
      <select {...control(props)} name={props.name}>
        <Options options={props.options} value={props.value} />
      </select>
    </Field>
  );
}

/** The choices of a select. */
export function Options(
  { options, value }: { options: readonly Choice[]; value?: string | undefined },
) {
  return (
    <>
      {options.map((option) => (
        <option value={option.value} selected={option.value === value}>{option.text}</option>
      ))}
    </>
  );
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

/** The end of a form: what sends it, and a way back. */
export function FormEnd(
  { view, submit, isDangerous, cancelHref }: InView<
    { submit: string; isDangerous?: boolean; cancelHref?: string }
  >,
) {
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

function Field({ name, label, hint, error, children }: FieldProps & { children?: Child }) {
  return (
    <div class={error === undefined ? "field" : "field field-wrong"}>
      <label for={`field-${name}`}>{label}</label>
      {children}
      {hint !== undefined && <p class="hint" id={`hint-${name}`}>{hint}</p>}
      {error !== undefined && <p class="error" id={`error-${name}`}>{error}</p>}
    </div>
  );
}

function control({ name, hint, error }: FieldProps) {
  const described = [
    ...(error === undefined ? [] : [`error-${name}`]),
    ...(hint === undefined ? [] : [`hint-${name}`]),
  ].join(" ");
  return {
    id: `field-${name}`,
    ...(described === "" ? {} : { "aria-describedby": described }),
    ...(error === undefined ? {} : { "aria-invalid": true }),
  };
}
