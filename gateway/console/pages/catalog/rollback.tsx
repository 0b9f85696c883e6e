import type { Refusal } from "../../api.ts";
import { EmptyState } from "../../components/empty_state.tsx";
import { ChangeForm, CheckField, FormEnd, TextField } from "../../components/form.tsx";
import { PageHead } from "../../components/page_head.tsx";
import { Panel } from "../../components/panel.tsx";
import type { Outcome, Page, Shown, View } from "../../page.ts";
import { type CatalogIds, catalogVersion, currentCatalog } from "./content.ts";
import { Changes } from "./changes.tsx";
import { baseOf } from "./edit_form.tsx";
import { editMessages } from "./edit_messages.ts";
import { Advice, type Made, made } from "./review.tsx";

/** Back to a version, by a new one that equals it; its difference is shown first. */
export const rollback: Page = {
  path: "/catalog/rollback",
  show: (view) => rehearsed(view),
  change: (view, form) => rollBack(view, form),
};

async function rollBack(view: View, form: URLSearchParams): Promise<Outcome> {
  const answer = await view.api.post("/catalog/rollback", made, {
    version: Number(view.query.get("number")),
    expectedVersion: baseOf(form),
    note: form.get("note")?.trim() || undefined,
    force: form.has("force"),
  });
  const say = view.say(editMessages);
  if (answer.ok) {
    const { applied, version } = answer.value;
    const done = applied ? say.applied(version) : say.nothingApplied;
    return { goTo: "/catalog/history", done };
  }
  const { refusal } = answer;
  const isStale = refusal.param === "expectedVersion";
  const shown = await rehearsed(
    view,
    isStale ? { ...refusal, message: say.staleRollback } : refusal,
  );
  return { ...shown, status: refusal.status };
}

async function rehearsed(view: View, refusal?: Refusal): Promise<Shown> {
  const number = view.query.get("number") ?? "";
  const [target, current] = [await catalogVersion(view, number), await currentCatalog(view)];
  const rehearse = (force: boolean) =>
    view.api.post("/catalog/rollback", made, { version: target.version, dryRun: true, force });
  const first = await rehearse(false);
  const isHeld = !first.ok && first.refusal.param === "tiers";
  const result = view.need(isHeld ? await rehearse(true) : first);
  const held = first.ok || !isHeld ? undefined : first.refusal;
  return page(view, {
    number: target.version,
    made: result,
    contents: [target.content, current.content],
    held,
    refusal,
  });
}

function page(view: View, { number, made, contents, held, refusal }: {
  number: number;
  made: Made;
  contents: readonly CatalogIds[];
  held: Refusal | undefined;
  refusal: Refusal | undefined;
}): Shown {
  const say = view.say(editMessages);
  const title = say.rollBackTitle(number);
  if (made.changes.length === 0) {
    const same = <EmptyState title={say.sameAsNow(number)} hint={say.nothingHint} />;
    return {
      title,
      body: (
        <>
          <PageHead title={title} />
          {same}
        </>
      ),
    };
  }
  const advice = [...held === undefined ? [] : [held.message], ...made.warnings];
  return {
    title,
    body: (
      <>
        <PageHead title={title} intro={say.rollBackIntro(made.version)} />
        <Panel title={say.difference}>
          <Changes view={view} changes={made.changes} contents={contents} />
        </Panel>
        {advice.length === 0 ? null : <Advice view={view} lines={advice} />}
        <section class="panel">
          <ChangeForm refusal={refusal}>
            <TextField
              name="note"
              label={say.note}
              value={say.rollBackNote(number)}
              maxLength={500}
            />
            {held === undefined ? null : <CheckField name="force" label={say.force} />}
            <FormEnd view={view} submit={say.rollBack} cancelHref="/console/catalog/history" />
            <input type="hidden" name="base" value={String(made.version)} />
          </ChangeForm>
        </section>
      </>
    ),
  };
}
