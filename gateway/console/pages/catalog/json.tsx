import * as ui from "../../components/mod.ts";
import type { Outcome, Page, Shown, View } from "../../page.ts";
import { contentText, currentCatalog } from "./content.ts";
import { BaseField, baseOf } from "./entry_form.tsx";
import { editMessages } from "./edit_messages.ts";
import { catalogMessages } from "./messages.ts";
import { type Problem, problemsOf } from "./problems.ts";
import { apply, type Edit, review } from "./review.tsx";
import { CatalogTabs } from "./tabs.tsx";
import { ProblemLines } from "./entry_fields.tsx";

/** The whole catalog as text, for all that has no form. */
export const catalogJson: Page = {
  path: "/catalog/json",
  async show(view) {
    const { content, version } = await currentCatalog(view);
    return editor(view, { text: contentText(content), base: version });
  },
  change: (view, form) => onward(view, form, review),
};

/** The page that applies differences. */
export const catalogApply: Page = {
  path: "/catalog/apply",
  show(view) {
    const { start, startHint } = view.say(editMessages);
    const body = (
      <>
        <h1 class="unseen">{start}</h1>
        <ui.EmptyState title={start} hint={startHint}>
          <a class="button" href="/console/catalog">{view.say(catalogMessages).title}</a>
        </ui.EmptyState>
      </>
    );
    return { title: start, body };
  },
  change: (view, form) => {
    const wanted = form.get("do");
    if (wanted === "apply") return onward(view, form, apply);
    return editor(view, { text: legible(form.get("content") ?? ""), base: baseOf(form) });
  },
};

async function onward(
  view: View,
  form: URLSearchParams,
  go: typeof review | typeof apply,
): Promise<Outcome> {
  const text = form.get("content") ?? "";
  const base = baseOf(form);
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    const wrong = view.say(editMessages).badJson(problem);
    return { ...editor(view, { text, base, wrong }), status: 422 };
  }
  const edit: Edit = {
    content,
    base,
    note: form.get("note")?.trim() ?? "",
    isForced: form.has("force"),
  };
  return await go(view, edit, (refusal, refused) => {
    const problems = problemsOf(refusal, refused.content);
    const shown = editor(view, {
      text: contentText(refused.content),
      base: refused.base,
      problems,
    });
    return { ...shown, status: refusal.status };
  });
}

/** A catalog as lines, whatever way it came; a text that is none stays as it is. */
function legible(text: string): string {
  try {
    return contentText(JSON.parse(text));
  } catch {
    return text;
  }
}

function editor(
  view: View,
  { text, base, wrong, problems }: {
    text: string;
    base: number;
    wrong?: string;
    problems?: readonly Problem[];
  },
): Shown {
  const say = view.say(editMessages);
  return {
    title: say.jsonTitle,
    body: (
      <>
        <ui.PageHead title={say.jsonTitle} intro={say.jsonIntro} />
        <CatalogTabs view={view} here="json" />
        <div class="wide-form">
          <ui.ChangeForm action="/console/catalog/json">
            {problems !== undefined && (
              <ui.Notice kind="problem">
                <ProblemLines problems={problems} />
              </ui.Notice>
            )}
            <BaseField base={base} />
            <ui.Field
              name="content"
              label={say.jsonLabel}
              rows={28}
              value={text}
              hint={say.editIntro}
              error={wrong}
            />
            <ui.FormEnd view={view} submit={say.check} cancelHref="/console/catalog" />
          </ui.ChangeForm>
        </div>
      </>
    ),
  };
}
