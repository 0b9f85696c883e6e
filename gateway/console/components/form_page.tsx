import type { Child } from "@hono/hono/jsx";
import type { Refusal } from "../api.ts";
import type { Shown, View } from "../page.ts";
import { Confirm } from "./confirm.tsx";
import { ChangeForm, FormEnd, HiddenFields } from "./form.tsx";
import { PageHead } from "./page_head.tsx";

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
export function formPage(view: View, page: FormPage): Shown {
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
  view: View,
  page: Omit<FormPage, "fields" | "intro" | "isWrong"> & { readonly warning: Child },
): Shown {
  return {
    title: page.title,
    status: page.refusal?.status ?? 200,
    body: <Confirm view={view} {...page} />,
  };
}
