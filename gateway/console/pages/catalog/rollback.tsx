import type { Refusal } from "../../api.ts";
import * as ui from "../../components/mod.ts";
import type { Outcome, Page, Shown, View } from "../../page.ts";
import { type CatalogIds, catalogVersion, currentCatalog } from "./content.ts";
import { editMessages } from "./edit_messages.ts";
import { type ApplyAnswer, Consequences, NOTE_MAX, rehearsed } from "./review.tsx";
import { baseOf } from "./entry_form.tsx";

/** Back to a version, by a new one that equals it; its difference is shown first. */
export const rollback: Page = {
  path: "/catalog/rollback",
  show: (view) => shown(view, { note: undefined, refusal: undefined }),
  change: (view, form) => rollBack(view, form),
};

async function rollBack(view: View, form: URLSearchParams): Promise<Outcome> {
  const note = form.get("note")?.trim() ?? "";
  const answer = await view.api.call("POST /catalog/rollback", {
    body: {
      version: Number(view.query.get("number")),
      expectedVersion: baseOf(form),
      note: note || undefined,
      force: form.has("force"),
    },
  });
  const say = view.say(editMessages);
  if (answer.ok) {
    const { applied, version } = answer.value;
    const done = applied ? say.applied(version) : say.nothingApplied;
    return { goTo: "/catalog/history", done };
  }
  const { refusal } = answer;
  const isStale = refusal.param === "expectedVersion";
  const again = await shown(view, {
    note,
    refusal: isStale ? { ...refusal, message: say.staleRollback } : refusal,
  });
  return { ...again, status: refusal.status };
}

/** The form as it was sent, where it was refused. */
interface Sent {
  readonly note: string | undefined;
  readonly refusal: Refusal | undefined;
}

async function shown(view: View, sent: Sent): Promise<Shown> {
  const number = view.query.get("number") ?? "";
  const [target, current] = [await catalogVersion(view, number), await currentCatalog(view)];
  const rehearse = (force: boolean) =>
    view.api.call("POST /catalog/rollback", {
      body: { version: target.version, dryRun: true, force },
    });
  const { answer, held } = await rehearsed(rehearse, { isForced: false });
  return page(view, {
    ...sent,
    number: target.version,
    outcome: view.need(answer),
    contents: [target.content, current.content],
    held,
  });
}

function page(view: View, { number, outcome, contents, held, note, refusal }: Sent & {
  number: number;
  outcome: ApplyAnswer;
  contents: readonly CatalogIds[];
  held: Refusal | undefined;
}): Shown {
  const say = view.say(editMessages);
  const title = say.rollBackTitle(number);
  if (outcome.changes.length === 0) {
    const same = <ui.EmptyState title={say.sameAsNow(number)} hint={say.nothingHint} />;
    return {
      title,
      body: (
        <>
          <ui.PageHead title={title} />
          {same}
        </>
      ),
    };
  }
  return {
    title,
    body: (
      <>
        <ui.PageHead title={title} intro={say.rollBackIntro(outcome.version)} />
        <Consequences view={view} outcome={outcome} contents={contents} held={held} />
        <section class="panel">
          <ui.ChangeForm refusal={refusal}>
            <ui.Field
              name="note"
              label={say.note}
              value={note ?? say.rollBackNote(number)}
              maxLength={NOTE_MAX}
              error={ui.fieldError(refusal, "note")}
            />
            {held !== undefined && <ui.CheckField name="force" label={say.force} />}
            <ui.FormEnd view={view} submit={say.rollBack} cancelHref="/console/catalog/history" />
            <input type="hidden" name="base" value={String(outcome.version)} />
          </ui.ChangeForm>
        </section>
      </>
    ),
  };
}
