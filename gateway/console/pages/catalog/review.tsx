import { z } from "zod";
import type { ApiAnswer, Refusal } from "../../api.ts";
import { apiPath } from "../../api.ts";
import { EmptyState } from "../../components/empty_state.tsx";
import { ChangeForm, CheckField, TextField } from "../../components/form.tsx";
import { Notice } from "../../components/notice.tsx";
import { PageHead } from "../../components/page_head.tsx";
import { Panel } from "../../components/panel.tsx";
import { shownText } from "../../components/shown_text.ts";
import { sharedMessages } from "../../messages/shared.ts";
import type { Outcome, Shown, View } from "../../page.ts";
import { type Change, change, Changes } from "./changes.tsx";
import {
  type CatalogIds,
  type CatalogText,
  catalogVersion,
  contentText,
  currentCatalog,
  idsOf,
} from "./content.ts";
import { editMessages } from "./edit_messages.ts";
import { mergeEdits } from "./merge.ts";

/** What the API says of a change, made or only rehearsed. */
export const made = z.object({
  changes: z.array(change),
  warnings: z.array(z.string()),
  version: z.number(),
  applied: z.boolean(),
});

/** What a change would come to. */
export type Made = z.output<typeof made>;

/** An edit on its way into the catalog. */
export interface Edit {
  /** The whole catalog, as it is to be. */
  readonly content: unknown;
  /** The version that the edit began with. */
  readonly base: number;
  readonly note: string;
  /** Also where wallets lose their tier. */
  readonly isForced: boolean;
}

/** A page for an edit that the API does not accept, such as its form with the reason. */
export type ShowRefused = (refusal: Refusal, edit: Edit) => Shown;

interface Staleness {
  /** What an edit began with. */
  readonly base: number;
  readonly changes: readonly Change[];
  readonly conflicts: readonly string[];
}

/** Shows what an edit would change, with what makes it so. Nothing is changed. */
export async function review(view: View, edit: Edit, refused: ShowRefused): Promise<Shown> {
  const current = await currentCatalog(view);
  const [fresh, stale] = current.version === edit.base
    ? [edit, undefined]
    : await broughtUp(view, edit, current);
  const first = await rehearse(view, fresh);
  const isHeld = !first.ok && first.refusal.param === "tiers" && first.refusal.status === 409;
  const answer = isHeld ? await rehearse(view, { ...fresh, isForced: true }) : first;
  if (!answer.ok) return refused(answer.refusal, fresh);
  const held = isHeld && !first.ok ? first.refusal : undefined;
  return reviewPage(view, {
    edit: fresh,
    made: answer.value,
    contents: [current.content, ...idsOf(fresh.content)],
    stale,
    held,
  });
}

/** Brings an edit into force, as one version; shows it again where that cannot be done. */
export async function apply(view: View, edit: Edit, refused: ShowRefused): Promise<Outcome> {
  const { content, base, note, isForced } = edit;
  const answer = await view.api.post("/catalog/apply", made, {
    content,
    note,
    force: isForced,
    expectedVersion: base,
  });
  if (!answer.ok) return await review(view, edit, refused);
  const say = view.say(editMessages);
  const { applied, version } = answer.value;
  return {
    goTo: "/catalog/history",
    done: applied ? say.applied(version) : say.nothingApplied,
  };
}

function rehearse(view: View, { content, base, isForced }: Edit): Promise<ApiAnswer<Made>> {
  const body = { content, dryRun: true, force: isForced, expectedVersion: base };
  return view.api.post("/catalog/apply", made, body);
}

const difference = z.object({ changes: z.array(change) });

/** The edit on top of what others have applied since it began. */
async function broughtUp(
  view: View,
  edit: Edit,
  current: { readonly version: number; readonly content: CatalogText },
): Promise<[Edit, Staleness]> {
  const base = await catalogVersion(view, String(edit.base));
  const since = apiPath`/catalog/versions/${String(current.version)}/changes?since=${
    String(edit.base)
  }`;
  const { changes } = view.need(await view.api.get(since, difference));
  const { value, conflicts } = mergeEdits(base.content, edit.content, current.content);
  return [
    { ...edit, content: value, base: current.version },
    { base: edit.base, changes, conflicts },
  ];
}

interface Reviewed {
  readonly edit: Edit;
  readonly made: Made;
  readonly contents: readonly CatalogIds[];
  readonly stale: Staleness | undefined;
  /** Why it is applied by force only. */
  readonly held: Refusal | undefined;
}

function reviewPage(view: View, reviewed: Reviewed): Shown {
  const say = view.say(editMessages);
  const { made, contents, stale, held } = reviewed;
  const advice = [...held === undefined ? [] : [held.message], ...made.warnings];
  return {
    title: say.reviewTitle,
    body: (
      <>
        <PageHead title={say.reviewTitle} intro={say.reviewIntro(made.version)} />
        {stale === undefined
          ? null
          : <Stale view={view} stale={stale} version={made.version} contents={contents} />}
        {made.changes.length === 0
          ? <EmptyState title={say.nothing} hint={say.nothingHint} />
          : (
            <Panel title={say.difference}>
              <Changes view={view} changes={made.changes} contents={contents} />
            </Panel>
          )}
        {advice.length === 0 ? null : <Advice view={view} lines={advice} />}
        <ApplyForm view={view} reviewed={reviewed} />
      </>
    ),
    ...(stale === undefined && held === undefined ? {} : { status: 409 }),
  };
}

function Stale(
  { view, stale, version, contents }: {
    view: View;
    stale: Staleness;
    version: number;
    contents: readonly CatalogIds[];
  },
) {
  const say = view.say(editMessages);
  return (
    <>
      <Notice kind="problem">
        {say.stale(stale.base, version)}
        {stale.conflicts.length === 0 ? null : (
          <>
            {" "}
            {say.conflicts} <code>{shownText(stale.conflicts.join(", "))}</code>
          </>
        )}
      </Notice>
      <Panel title={say.meanwhile}>
        <Changes view={view} changes={stale.changes} contents={contents} />
      </Panel>
    </>
  );
}

/** Sentences that the API has for whoever is about to apply. */
export function Advice({ view, lines }: { view: View; lines: readonly string[] }) {
  return (
    <Panel title={view.say(editMessages).advice}>
      <ul class="advice">{lines.map((line) => <li key={line}>{shownText(line)}</li>)}</ul>
    </Panel>
  );
}

function ApplyForm({ view, reviewed }: { view: View; reviewed: Reviewed }) {
  const say = view.say(editMessages);
  const { edit, made, held } = reviewed;
  return (
    <section class="panel">
      <ChangeForm action="/console/catalog/apply">
        {made.changes.length === 0 ? null : (
          <TextField
            name="note"
            label={say.note}
            hint={say.noteHint}
            value={edit.note}
            maxLength={500}
          />
        )}
        {held === undefined && !edit.isForced
          ? null
          : <CheckField name="force" label={say.force} isChecked={edit.isForced} />}
        <div class="actions form-end">
          {made.changes.length === 0
            ? null
            : (
              <button type="submit" class="button primary" name="do" value="apply">
                {say.apply}
              </button>
            )}
          <button type="submit" class="button" name="do" value="edit">{say.editFurther}</button>
          <a class="button quiet" href="/console/catalog">{view.say(sharedMessages).cancel}</a>
        </div>
        <input type="hidden" name="content" value={contentText(edit.content)} />
        <input type="hidden" name="base" value={String(edit.base)} />
      </ChangeForm>
    </section>
  );
}
