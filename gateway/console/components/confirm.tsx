import type { Child } from "@hono/hono/jsx";
import type { InView } from "../page.ts";
import { ChangeForm, FormEnd, HiddenFields } from "./form.tsx";
import type { Refusal } from "../api.ts";

/** Says what a change does that cannot be undone, and posts it to this page or to `action`. */
export function Confirm({ view, title, warning, submit, cancelHref, ...rest }: InView<{
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
