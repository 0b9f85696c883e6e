import type { Child } from "@hono/hono/jsx";
import type { Refusal } from "../../api.ts";
import * as ui from "../../components/mod.ts";
import { sharedMessages } from "../../messages/shared.ts";
import type { View } from "../../page.ts";
import type { Choices } from "./choices.ts";
import { formMessages } from "./form_messages.ts";
import { PolicyFields } from "./policy_fields.tsx";
import { fieldOf } from "./policy_form.ts";
import { PREVIEW_FEED } from "./preview.tsx";
import { type PreviewAnswer, PreviewResult } from "./reach.tsx";

/** Properties of the form of a policy. */
export interface PolicyEditorProps {
  readonly view: View;
  readonly fields: URLSearchParams;
  readonly choices: Choices;
  readonly preview: PreviewAnswer;
  /** Why it was not saved. */
  readonly refusal?: Refusal | undefined;
  readonly submit: string;
  readonly cancelHref: string;
  /** Fields before those of the policy. */
  readonly children: Child;
}

/** The form of a policy with what it leaves beside it. The first button, which Enter presses, saves nothing. */
export function PolicyEditor(props: PolicyEditorProps) {
  const { view, fields, choices, preview, refusal, submit, cancelHref, children } = props;
  const say = view.say(formMessages);
  return (
    <form
      method="post"
      class="policy-form"
      autocomplete="off"
      data-preview={`/console${PREVIEW_FEED}`}
    >
      {refusal !== undefined && <ui.Notice kind="problem">{refusal.message}</ui.Notice>}
      <div class="policy-columns">
        <div class="policy-fields">
          {children}
          <PolicyFields
            {...{ view, fields, choices }}
            errors={errorsOf(view, { refusal, preview })}
          />
        </div>
        <aside class="panel policy-preview" aria-labelledby="leaves">
          <h2 id="leaves">{say.leaves}</h2>
          <p class="hint">{say.reachHint}</p>
          <div data-result="">
            <PreviewResult view={view} preview={preview} />
          </div>
          <button type="submit" name="do" value="preview" class="button wide" formnovalidate>
            {say.preview}
          </button>
        </aside>
      </div>
      <div class="actions form-end">
        <button type="submit" name="do" value="save" class="button primary">{submit}</button>
        <a class="button" href={cancelHref}>{view.say(sharedMessages).cancel}</a>
      </div>
    </form>
  );
}

/**
 * Returns the problems of a policy by field: the API's refusal, and fields that allow more than the key
 * does.
 */
export function errorsOf(
  view: View,
  { refusal, preview }: { refusal?: Refusal | undefined; preview: PreviewAnswer },
): ReadonlyMap<string, string> {
  const errors = new Map<string, string>();
  if (preview.ok) {
    const { allowsMore } = view.say(formMessages);
    for (const path of preview.value.wider) errors.set(fieldOf(path), allowsMore);
  }
  const refused = refusal ?? (preview.ok ? undefined : preview.refusal);
  const field = fieldOf(refused?.param ?? "");
  if (refused !== undefined && field !== "" && !errors.has(field)) {
    errors.set(field, refused.message);
  }
  return errors;
}
