import type { Child } from "@hono/hono/jsx";
import type { Refusal } from "../api.ts";
import type { InReading, Reading, Shown } from "../page.ts";
import { PageHead } from "./blocks.tsx";
import { ChangeForm, FormEnd, HiddenFields } from "./form.tsx";

/** The description of a page that is one form. */
export interface FormPage {
  readonly title: string;
  readonly intro?: string;
  /** The fields. */
  readonly fields: Child;
  /** Values that are sent along, by their names. */
  readonly hidden?: Readonly<Record<string, string>>;
  readonly submit: string;
  readonly cancelHref: string;
  /** Why the API refused the form. */
  readonly refusal?: Refusal | undefined;
  /** True where the console itself found a mistake. @default {false} */
  readonly isWrong?: boolean;
}

/** A form as a page; one that was refused or is wrong is answered with status 422. */
export function formPage(view: Reading, page: FormPage): Shown {
  const { title, intro, fields, hidden = {}, submit, cancelHref, refusal, isWrong = false } = page;
  return {
    title,
    status: refusal === undefined && !isWrong ? 200 : 422,
    body: (
      <>
        <PageHead title={title} intro={intro} />
        <section class="panel">
          <ChangeForm refusal={refusal}>
            <HiddenFields values={hidden} />
            {fields}
            <FormEnd {...{ view, submit, cancelHref }} />
          </ChangeForm>
        </section>
      </>
    ),
  };
}

/** The step before a change that cannot be undone, as a page: it says what will happen. */
export function confirmPage(
  view: Reading,
  page: Omit<FormPage, "fields" | "intro" | "isWrong"> & { readonly warning: Child },
): Shown {
  return {
    title: page.title,
    status: page.refusal?.status ?? 200,
    body: <Confirm view={view} {...page} />,
  };
}

/** Says what a change does that cannot be undone, and posts it to this page or to `action`. */
export function Confirm({ view, title, warning, submit, cancelHref, ...rest }: InReading<{
  title: string;
  warning: Child;
  submit: string;
  cancelHref: string;
  action?: string;
  /** Values that are sent along, by their names. */
  hidden?: Readonly<Record<string, string>>;
  refusal?: Refusal | undefined;
}>) {
  const { hidden = {}, ...form } = rest;
  return (
    <section class="panel confirm" aria-labelledby="confirm-title">
      <h1 id="confirm-title">{title}</h1>
      <p>{warning}</p>
      <ChangeForm {...form}>
        <HiddenFields values={hidden} />
        <FormEnd {...{ view, submit, cancelHref }} isDangerous />
      </ChangeForm>
    </section>
  );
}
