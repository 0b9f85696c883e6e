import type { Child } from "@hono/hono/jsx";
import type { InView } from "../page.ts";
import { ChangeForm, FormEnd } from "./form.tsx";
import type { Refusal } from "../api.ts";

/**
 * The step before what cannot be undone: a page of its own, that says what will happen and posts to
 * itself or to `action`. `fields` go along with it.
 */
export function Confirm({
  view,
  title,
  warning,
  submit,
  cancelHref,
  action,
  fields = {},
  refusal,
}: InView<
  {
    title: string;
    warning: Child;
    submit: string;
    cancelHref: string;
    action?: string;
    fields?: Readonly<Record<string, string>>;
    refusal?: Refusal | undefined;
  }
>) {
  return (
    <section class="panel confirm" aria-labelledby="confirm-title">
      <h1 id="confirm-title">{title}</h1>
      <p>{warning}</p>
      <ChangeForm refusal={refusal} {...(action === undefined ? {} : { action })}>
        {Object.entries(fields).map(([name, value]) => (
          <input type="hidden" name={name} value={value} />
        ))}
        <FormEnd view={view} submit={submit} cancelHref={cancelHref} isDangerous />
      </ChangeForm>
    </section>
  );
}
